/** Ownership of slots and keys: the shards of slots, and the keys of a command by owner. */

import { type Bytes, keyName, keySlot, shardOfSlot, SHARDS_MAX, SLOT_COUNT } from '#base';
import { LendFlag } from '#link';
import { type Arguments, type CommandEntry, type FoundKey, mayWrite } from '#commands';

/** The shard of every slot: contiguous ranges of equal size. */
export class Ownership {
  readonly shardCount: number;
  readonly #shardOfSlot: Uint8Array;

  constructor(shardCount: number) {
    this.shardCount = shardCount;
    this.#shardOfSlot = new Uint8Array(SLOT_COUNT);
    for (let slot = 0; slot < SLOT_COUNT; slot += 1) {
      this.#shardOfSlot[slot] = shardOfSlot(slot, shardCount);
    }
  }

  ownerOf(bytes: Bytes, at: number, length: number): number {
    return this.shardCount === 1 ? 0 : this.#shardOfSlot[keySlot(bytes, at, length)]!;
  }

  /** Owner of the first argument as a key. */
  ownerOfFirst(args: Arguments): number {
    return this.shardCount === 1 ? 0 : this.#shardOfSlot[args.firstKeySlot]!;
  }
}

/** The share of one shard in a command that is split by key. */
interface Share {
  shard: number;
  /** Indexes of its arguments, the command's name first. */
  picked: number[];
  bodyBytes: number;
}

interface Split {
  shares: Share[];
  /** For each key, the index of its share. */
  partOfKey: number[];
}

/** Index of each shard's share in the current split, or -1. */
const partOfShard = new Int32Array(SHARDS_MAX + 1);

/** Splits a command with a key at the first argument, and then at every `stride` arguments. */
export function splitByOwner(args: Arguments, stride: number, ownership: Ownership): Split {
  const shares: Share[] = [];
  const partOfKey: number[] = [];
  const nameBytes = args.length(0);
  const { count, source } = args;
  partOfShard.fill(-1);
  for (let index = 1; index < count; index += stride) {
    const shard = ownership.ownerOf(source, args.at(index), args.length(index));
    let part = partOfShard[shard]!;
    if (part < 0) {
      part = shares.length;
      partOfShard[shard] = part;
      shares.push({ shard, picked: [0], bodyBytes: nameBytes });
    }
    partOfKey.push(part);
    const share = shares[part]!;
    const end = Math.min(index + stride, count);
    for (let argument = index; argument < end; argument += 1) {
      share.picked.push(argument);
      share.bodyBytes += args.length(argument);
    }
  }
  return { shares, partOfKey };
}

/** A key that a shard lends to the host of a command. */
interface LentKey {
  index: number;
  database: number;
  writable: boolean;
  /** True if elements are only added to the value, of which only the type is read. */
  insertsOnly: boolean;
  /** True for an element that is added to the preceding key. */
  isElement: boolean;
}

/** Returns the prefix of a key in a `lend` frame: its database, and bits of LendFlag. */
export function lentPrefix(key: Pick<LentKey, 'database' | 'writable'> & Partial<LentKey>): number {
  let flags = key.writable ? LendFlag.writable : 0;
  if (key.insertsOnly === true) flags |= LendFlag.insertsOnly;
  if (key.isElement === true) flags |= LendFlag.element;
  return key.database | (flags << 24);
}

interface Lending {
  host: number;
  /** Keys lent, by lender. */
  lent: ReadonlyMap<number, LentKey[]>;
}

/** Chooses the host of a command with keys on several shards, and what the others lend it. */
export function planLending(
  entry: CommandEntry,
  args: Arguments,
  found: readonly FoundKey[],
  selected: number,
  ownership: Ownership,
): Lending {
  const { keys, databaseOf, inserts } = entry.command;
  const owners = found.map(({ index }) =>
    ownership.ownerOf(args.source, args.at(index), args.length(index)),
  );
  const firstWritten = found.findIndex(({ spec }) => mayWrite(spec));
  const host = owners[Math.max(firstWritten, 0)] ?? 0;
  const lent = new Map<number, LentKey[]>();
  /** Lent keys by name: a command may name a key often, and thousands of keys. */
  const byName = new Map<string, LentKey>();
  for (const [nth, { index, spec }] of found.entries()) {
    const owner = owners[nth]!;
    if (owner === host) continue;
    const database = databaseOf?.(keys.specs.indexOf(spec), args, selected) ?? selected;
    const list = lent.get(owner) ?? [];
    lent.set(owner, list);
    const writable = mayWrite(spec);
    const insertsOnly = spec.access === 'RW' && spec.use?.every((use) => use === 'insert') === true;
    const name = keyName(database, args.source, args.at(index), args.length(index));
    const same = byName.get(name);
    const key = { index, database, writable, insertsOnly, isElement: false };
    if (same === undefined) {
      byName.set(name, key);
      list.push(key);
    } else {
      same.writable ||= writable;
      same.insertsOnly = false;
    }
    if (insertsOnly && inserts !== undefined) {
      list.push({ ...key, index: inserts, writable: false, insertsOnly: false, isElement: true });
    }
  }
  return { host, lent };
}
