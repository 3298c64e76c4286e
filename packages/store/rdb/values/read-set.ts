/** Reads sets in every form that Redis has written them in. */
import { type Bytes, parseInteger64 } from '#base';
import { Encoding } from '../../values/encodings.ts';
import { Intset, Word64 } from '../../listpack/intset.ts';
import type { Keyspace } from '../../keyspace/keyspace.ts';
import { ListpackEntries } from '../../listpack/listpack-entries.ts';
import { Listpack } from '../../listpack/listpack.ts';
import type { SetLimits } from '../../set/set-value.ts';
import type { PackedTable } from '../../table/packed-table.ts';
import { ValueType } from '../../values/value-type.ts';
import { demand, demandElements } from '../format/malformed.ts';
import type { RdbReader } from '../format/rdb-reader.ts';
import type { FinishedValue } from '../format/finished-value.ts';

const INTSET_HEADER_BYTES = 8;
const INTEGER_TEXT_MAX = 20;

const TYPE = ValueType.set;

/** A set whose members come one by one. */
export function readMembers(
  reader: RdbReader,
  keyspace: Keyspace,
  limits: SetLimits,
): FinishedValue {
  const count = reader.count();
  const table = keyspace.createTable(false);
  let integers: bigint[] | undefined = count <= limits.intsetEntries ? [] : undefined;
  // As in Redis, a set that is too large for an intset does not become a listpack either, regardless of its limits.
  const mayBePacked = integers !== undefined && count <= limits.entries;
  let entries = mayBePacked ? new ListpackEntries() : undefined;
  for (let index = 0; index < count; index += 1) {
    const member = reader.string();
    addMember(table, member);
    if (integers !== undefined) {
      const integer = integerOf(member);
      if (integer === undefined) integers = undefined;
      else integers.push(integer);
    }
    if (member.length > limits.valueBytes) entries = undefined;
    entries?.add(member);
  }
  if (integers !== undefined) {
    return { type: TYPE, encoding: Encoding.intset, value: intsetOf(integers) };
  }
  if (entries === undefined) return ofTable(table);
  return { type: TYPE, encoding: Encoding.listpack, value: entries.toListpack() };
}

/** A set in a listpack that is sound in itself. */
export function readPackedSet(
  listpack: Bytes,
  keyspace: Keyspace,
  limits: SetLimits,
): FinishedValue {
  const table = keyspace.createTable(false);
  const cursor = new Listpack().point(listpack, 0);
  for (let more = cursor.first(); more; more = cursor.next()) addMember(table, cursor.copy());
  demandElements(table.count);
  if (table.count > limits.entries) return ofTable(table);
  return { type: TYPE, encoding: Encoding.listpack, value: listpack };
}

/** A set of integers. */
export function readIntset(bytes: Bytes, keyspace: Keyspace, limits: SetLimits): FinishedValue {
  demand(bytes.length > INTSET_HEADER_BYTES);
  const integers = new Intset().pointAt({ bytes, at: 0, length: bytes.length });
  const { width, count } = integers;
  demand((width === 2 || width === 4 || width === 8) && isZero(bytes, 1, 4));
  demand(count > 0 && INTSET_HEADER_BYTES + count * width === bytes.length);
  demandOrder(integers);
  if (count <= limits.intsetEntries) {
    return { type: TYPE, encoding: Encoding.intset, value: bytes };
  }
  const table = keyspace.createTable(false);
  for (let index = 0; index < count; index += 1) {
    table.add(integers.text, 0, integers.writeText(index));
  }
  return ofTable(table);
}

function demandOrder(integers: Intset): void {
  let before = new Word64();
  let after = new Word64();
  integers.read(0, before);
  for (let index = 1; index < integers.count; index += 1) {
    integers.read(index, after);
    demand(after.high === before.high ? after.low > before.low : after.high > before.high);
    [before, after] = [after, before];
  }
}

function isZero(bytes: Bytes, from: number, end: number): boolean {
  for (let index = from; index < end; index += 1) if (bytes[index] !== 0) return false;
  return true;
}

function addMember(table: PackedTable, member: Bytes): void {
  demand(table.find(member, 0, member.length) === 0);
  table.addMissed(member, 0, member.length);
}

function integerOf(member: Bytes): bigint | undefined {
  if (member.length > INTEGER_TEXT_MAX) return undefined;
  return parseInteger64(member, 0, member.length);
}

/** An intset of integers that differ. */
function intsetOf(integers: readonly bigint[]): Bytes {
  const ordered = BigInt64Array.from(integers).sort();
  const width = Math.max(widthOf(ordered[0]!), widthOf(ordered[ordered.length - 1]!));
  const bytes = Buffer.alloc(INTSET_HEADER_BYTES + ordered.length * width);
  bytes.writeUInt32LE(width, 0);
  bytes.writeUInt32LE(ordered.length, 4);
  for (const [index, integer] of ordered.entries()) {
    const at = INTSET_HEADER_BYTES + index * width;
    if (width === 8) bytes.writeBigInt64LE(integer, at);
    else bytes.writeIntLE(Number(integer), at, width);
  }
  return bytes;
}

function widthOf(integer: bigint): number {
  if (BigInt.asIntN(16, integer) === integer) return 2;
  return BigInt.asIntN(32, integer) === integer ? 4 : 8;
}

function ofTable(table: PackedTable): FinishedValue {
  return { type: TYPE, encoding: Encoding.hashtable, value: table };
}
