/**
 * Records of the log: what a shard has done, in its order. In the ring, and in blocks that are not packed, a record begins
 * at a multiple of 8 and has the shape of a request frame (link/frames.ts), so that a command goes in by one copy:
 *
 *   word 0    bytes of the record, a multiple of 8
 *   word 1    kind in bits 0-6, flags in bits 7-15, database in bits 16-31
 *   word 4-5  Unix milliseconds at which it was done, a double
 *   word 6    arguments of the command
 *   word 7    bytes of the body
 *   word 8-9  of `share`, `each`, `transaction` and `sharedCommit`: the transaction's number, the epoch of the
 *             process
 *   then      two words per argument (offset in the body, length), then the body
 *
 * A record that is long (transactions, whose states take as much as the keys) is written as records of the kind `part`,
 * each in a block of its own: words 2-3 of their heads say how many bytes of the record are still to come, and their
 * bodies are the pieces it is in. Its own words 0 and 7 hold its length up to 2 GiB only.
 *
 * Commands are replayed at recovery, with their original time; what depends on chance or on settings is
 * logged by its effects. A record that belongs to a group counts only if the group's `commit` exists.
 */
import type { Bytes } from '#base';

export const RecordKind = {
  /** A command whose keys are all the shard's. */
  command: 1,
  /** A command that several shards did their share of; the whole command. */
  share: 2,
  /** A command that the shard did for its own keys alone, among keys of others. */
  each: 3,
  /** Keys removed by expiry or eviction. Body: states of absent keys. */
  removed: 4,
  /** Fields of a hash that have expired by then. Body: the hash as a state of an absent key. */
  fieldsExpired: 5,
  /** States of keys. */
  states: 6,
  /**
   * Changes of a transaction over several shards, on all of them. Body: what it rests on (u32 count, then per
   * shard that took part u32 shard, u32 `transaction` records in that shard's segment when it took part), then
   * states, each with its owner.
   */
  transaction: 7,
  /** The group is whole. */
  commit: 8,
  /** Not on disk: the log continues in the segment of this number (word 8). */
  cut: 9,
  /** The group is whole, and counts where every shard's log has this of the same transaction. */
  sharedCommit: 10,
  /** A piece of a long record. Body: the piece. */
  part: 11,
} as const;

export const Record = {
  bytes: 0,
  kind: 1,
  command: 2,
  /** Bytes still to come, a double; only in a `part`. */
  toCome: 2,
  timeAt: 4,
  argumentCount: 6,
  bodyBytes: 7,
  transaction: 8,
  epoch: 9,
  /** Start of the spans in a record without transaction and epoch. */
  spans: 8,
} as const;

export const RECORD_HEADER_BYTES = 32;
/** The transaction's number and epoch. */
export const TRANSACTION_BYTES = 8;

export const RECORD_KIND_MASK = 0x7f;
/** In the ring only: the record itself came by message. */
export const RECORD_TRANSFERRED = 0x80;
/** The record belongs to a group. */
export const RECORD_GROUPED = 1 << 8;
export const RECORD_DATABASE_SHIFT = 16;

/** Kinds of records that name a transaction: 1 at the place of the kind. */
const WITH_TRANSACTION = new Uint8Array(RECORD_KIND_MASK + 1);
const { share, each, transaction, sharedCommit } = RecordKind;
for (const kind of [share, each, transaction, sharedCommit]) WITH_TRANSACTION[kind] = 1;

/** True when records of the kind name a transaction. */
export function hasTransaction(kind: number): boolean {
  return WITH_TRANSACTION[kind] === 1;
}

/** True when records of the kind are commands, with arguments. */
export function isCommand(kind: number): boolean {
  return kind <= RecordKind.each;
}

/** A shard on which a transaction rests, and how many `transaction` records its segment had then. */
export type Rest = readonly [shard: number, transactions: number];

/** Encodes what a transaction rests on, as the body of its record begins. */
export function encodeRests(rests: readonly Rest[]): Bytes {
  const words = new Uint32Array([rests.length, ...rests.flat()]);
  return new Uint8Array(words.buffer);
}

/** Reads it; `end` is where the states begin. */
export function decodeRests(bytes: Bytes, at: number): { rests: Rest[]; end: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at);
  const rests: Rest[] = [];
  const count = view.getUint32(0, true);
  for (let nth = 0; nth < count; nth += 1) {
    rests.push([view.getUint32(4 + 8 * nth, true), view.getUint32(8 + 8 * nth, true)]);
  }
  return { rests, end: at + 4 + 8 * count };
}

/** Returns the body without its dependencies, for another segment. */
export function withoutRests(bytes: Bytes, at: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at);
  const count = view.getUint32(0, true);
  for (let nth = 0; nth < count; nth += 1) view.setUint32(8 + 8 * nth, 0, true);
}

/** A number for a transaction that no other has, in any life of the server. */
export function transactionId(epoch: number, transaction: number): number {
  return epoch * 2 ** 32 + transaction;
}
