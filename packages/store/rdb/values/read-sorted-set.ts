/** Reads sorted sets in every form that Redis has written them in. */
import { type Bytes, parseDouble } from '#base';
import { Encoding } from '../../values/encodings.ts';
import type { PackedLimits } from '../../values/packed-limits.ts';
import type { Keyspace } from '../../keyspace/keyspace.ts';
import { ListpackEntries } from '../../listpack/listpack-entries.ts';
import { Listpack } from '../../listpack/listpack.ts';
import { addScore } from '../../sorted-set/packed-sorted-set.ts';
import { RankedTable } from '../../sorted-set/ranked-table.ts';
import { ValueType } from '../../values/value-type.ts';
import { demand, demandElements } from '../format/malformed.ts';
import type { RdbReader } from '../format/rdb-reader.ts';
import type { FinishedValue } from '../format/finished-value.ts';

const MINUS_ZERO = Buffer.from('-0');

/** A sorted set whose members come one by one, in any order. */
export function readScores(
  reader: RdbReader,
  keyspace: Keyspace,
  limits: PackedLimits,
  asText: boolean,
): FinishedValue {
  const count = reader.count();
  const ranked = new RankedTable(keyspace.createTable(true));
  let longest = 0;
  for (let index = 0; index < count; index += 1) {
    const member = reader.string();
    addMember(ranked, member, asText ? reader.textDouble() : reader.double());
    longest = Math.max(longest, member.length);
  }
  return finished(ranked, count <= limits.entries && longest <= limits.valueBytes);
}

/** Reads a sorted set from a valid listpack, and sorts it if it is not in order. */
export function readPackedSortedSet(
  listpack: Bytes,
  keyspace: Keyspace,
  limits: PackedLimits,
): FinishedValue {
  const cursor = new Listpack().point(listpack, 0);
  const { count } = cursor;
  demandElements(count);
  demand(count % 2 === 0);
  const ranked = new RankedTable(keyspace.createTable(true));
  for (let more = cursor.first(); more; more = cursor.next()) {
    const member = cursor.copy();
    cursor.next();
    addMember(ranked, member, cursor.isInteger ? cursor.integer : parseDouble(cursor.latin1()));
  }
  return finished(ranked, ranked.count <= limits.entries, true);
}

function addMember(ranked: RankedTable, member: Bytes, score: number): void {
  demand(!Number.isNaN(score));
  demand(ranked.find(member, 0, member.length) === 0);
  ranked.add(member, 0, member.length, score);
}

/** As in Redis, a score of -0 keeps its sign where it comes in a listpack, which is taken as it is. */
function finished(ranked: RankedTable, isPacked: boolean, keepsSign = false): FinishedValue {
  const type = ValueType.zset;
  if (!isPacked) return { type, encoding: Encoding.skiplist, value: ranked };
  const entries = new ListpackEntries();
  for (let more = ranked.seek(0); more; more = ranked.next()) {
    ranked.read();
    entries.add(ranked.bytes, ranked.at, ranked.length);
    if (keepsSign && Object.is(ranked.score, -0)) entries.add(MINUS_ZERO);
    else addScore(entries, ranked.score);
  }
  return { type, encoding: Encoding.listpack, value: entries.toListpack() };
}
