/** Reads hashes in every form that Redis has written them in. */
import type { Bytes } from '#base';
import { Encoding } from '../../values/encodings.ts';
import type { PackedLimits } from '../../values/packed-limits.ts';
import type { Keyspace } from '../../keyspace/keyspace.ts';
import { ListpackEntries } from '../../listpack/listpack-entries.ts';
import { Listpack } from '../../listpack/listpack.ts';
import type { PackedTable } from '../../table/packed-table.ts';
import { Span } from '../../values/span.ts';
import { ValueType } from '../../values/value-type.ts';
import { demand, demandElements } from '../format/malformed.ts';
import type { RdbReader } from '../format/rdb-reader.ts';
import type { FinishedValue } from '../format/finished-value.ts';
import { textsOfZipmap } from '../format/ziplist.ts';

const NO_END = 0;
/** The latest end of a field that Redis takes. */
const END_MAX = 2 ** 48 - 1;

interface Field {
  readonly name: Bytes;
  readonly value: Bytes;
  /** NO_END, or in Unix milliseconds. */
  readonly end: number;
}

/** A hash whose fields and values come one by one. */
export function readFields(
  reader: RdbReader,
  keyspace: Keyspace,
  limits: PackedLimits,
): FinishedValue {
  const count = reader.count();
  if (count > limits.entries) return readLarge(reader, keyspace, count);
  const fields = {
    count,
    next: () => ({ name: reader.string(), value: reader.string(), end: NO_END }),
  };
  return fieldByField(fields, keyspace, limits, false);
}

/** A hash that has too many fields for a listpack, without an object for any of them. */
function readLarge(reader: RdbReader, keyspace: Keyspace, count: number): FinishedValue {
  const table = keyspace.createTable(true);
  // No false count is larger than the bytes that are there.
  table.expect(count);
  const name = new Span();
  const value = new Span();
  for (let index = 0; index < count; index += 1) {
    reader.stringPlace(name);
    reader.stringPlace(value);
    demand(table.find(name.bytes, name.at, name.length) === 0);
    const entry = table.addMissed(name.bytes, name.at, name.length, value.length);
    table.writeValue(entry, value.bytes, value.at, value.length);
  }
  return ofTable(table);
}

/** Reads fields, each preceded by its expiry or by none. */
export function readFieldsWithEnds(
  reader: RdbReader,
  keyspace: Keyspace,
  limits: PackedLimits,
  isRelative: boolean,
): FinishedValue {
  const base = isRelative ? reader.milliseconds() - 1 : 0;
  const fields = {
    count: reader.count(),
    next: () => {
      const stored = reader.length();
      const end = stored === NO_END ? NO_END : stored + base;
      return { name: reader.string(), value: reader.string(), end };
    },
  };
  return fieldByField(fields, keyspace, limits, true);
}

/** A hash in a zipmap. */
export function readZipmap(bytes: Bytes, keyspace: Keyspace, limits: PackedLimits): FinishedValue {
  const texts = textsOfZipmap(bytes);
  demandElements(texts.length);
  let at = 0;
  const fields = {
    count: texts.length / 2,
    next: () => ({ name: texts[at++]!, value: texts[at++]!, end: NO_END }),
  };
  return fieldByField(fields, keyspace, limits, false);
}

/** Fields as they are read. */
interface Fields {
  readonly count: number;
  readonly next: () => Field;
}

function fieldByField(
  { count, next }: Fields,
  keyspace: Keyspace,
  limits: PackedLimits,
  hasEnds: boolean,
): FinishedValue {
  const table = keyspace.createTable(true);
  // Kept beside the table as long as the hash may become a listpack.
  let fields: Field[] | undefined = count <= limits.entries ? [] : undefined;
  for (let index = 0; index < count; index += 1) {
    const field = next();
    addField(table, field);
    const isShort = Math.max(field.name.length, field.value.length) <= limits.valueBytes;
    if (!isShort) fields = undefined;
    fields?.push(field);
  }
  return fields === undefined ? ofTable(table) : ofListpack(packed(fields, hasEnds), hasEnds);
}

/** A hash in a listpack that is sound in itself. */
export function readPackedHash(
  listpack: Bytes,
  keyspace: Keyspace,
  limits: PackedLimits,
  hasEnds: boolean,
): FinishedValue {
  const stride = hasEnds ? 3 : 2;
  const cursor = new Listpack().point(listpack, 0);
  const { count } = cursor;
  demandElements(count);
  demand(count % stride === 0);
  const table = keyspace.createTable(true);
  let before = 1;
  for (let more = cursor.first(); more; more = cursor.next()) {
    const name = cursor.copy();
    cursor.next();
    const value = cursor.copy();
    let end = NO_END;
    if (hasEnds) {
      cursor.next();
      demand(cursor.isInteger);
      end = cursor.integer;
      // Those that end come first, in order.
      demand(end === NO_END || (before !== NO_END && end >= before));
      before = end;
    }
    addField(table, { name, value, end });
  }
  return count / stride > limits.entries ? ofTable(table) : ofListpack(listpack, hasEnds);
}

function addField(table: PackedTable, { name, value, end }: Field): void {
  demand(end >= 0 && end <= END_MAX);
  demand(table.find(name, 0, name.length) === 0);
  const entry = table.addMissed(name, 0, name.length, value.length);
  table.writeValue(entry, value, 0, value.length);
  if (end !== NO_END) table.setExpiry(entry, end);
}

function packed(fields: Field[], hasEnds: boolean): Bytes {
  const entries = new ListpackEntries();
  if (hasEnds) fields.sort((left, right) => placeOf(left.end) - placeOf(right.end));
  for (const { name, value, end } of fields) {
    entries.add(name).add(value);
    if (hasEnds) entries.addInteger(end);
  }
  return entries.toListpack();
}

function placeOf(end: number): number {
  return end === NO_END ? END_MAX + 1 : end;
}

function ofListpack(listpack: Bytes, hasEnds: boolean): FinishedValue {
  let encoding: number = Encoding.listpack;
  if (hasEnds) {
    const cursor = new Listpack().point(listpack, 0);
    cursor.seek(2);
    encoding = cursor.integer === NO_END ? Encoding.listpackExIdle : Encoding.listpackEx;
  }
  return { type: ValueType.hash, encoding, value: listpack };
}

function ofTable(table: PackedTable): FinishedValue {
  const encoding = table.expiringCount > 0 ? Encoding.hashtableEx : Encoding.hashtable;
  return { type: ValueType.hash, encoding, value: table };
}
