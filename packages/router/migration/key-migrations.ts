/**
 * Keys on their way to another server: shards give main their values, and hold the keys until main says which of them the
 * other server has. Frames of one migration go to all shards at one place of the order, so no command sees some of the keys
 * moved and others not.
 */

import { type Bytes, type Pieces, unreachable } from '#base';
import type { CommandEntry } from '#commands';
import { decodeMessage, encodeMessage, FrameKind, type KeysFound, RequestFlag } from '#link';
import type { Client } from '../clients/client.ts';
import type { Routes } from '../routes/routes.ts';
import { emptyHead } from '../shards/shard-link.ts';

/** A key that is here, with its value as RESTORE takes it. */
export interface MigratedKey {
  /** Index among the keys that were asked for. */
  readonly index: number;
  /** Unix milliseconds, or -1. */
  readonly expireAt: number;
  /** Undefined when it has no form that old servers read. */
  readonly value: Pieces | undefined;
}

/** Keys of a migration that the shards have. */
interface TakenKeys {
  /** True if there was no memory for the values: no key is locked, and none may be sent. */
  readonly isRefused: boolean;
  /** In the order in which they were asked for. */
  readonly keys: readonly MigratedKey[];
  /** Deletes the keys of these indexes and lets others have the rest; answers whether that is in the logs. */
  readonly end: (moved: readonly number[]) => Promise<boolean>;
}

/** Wish to move keys, or to copy them. */
interface WantedKeys {
  readonly client: Client;
  readonly entry: CommandEntry;
  readonly keys: readonly Bytes[];
  /** True if the keys are locked until `end`. */
  readonly holds: boolean;
  /** The values are to be in a form that Redis 7.0 reads. */
  readonly isForOld: boolean;
}

/** A shard's share of a migration. */
interface Share {
  /** Indexes of its keys among all of them. */
  readonly indexes: number[];
  found: KeysFound | undefined;
  readonly pieces: Bytes[];
}

interface UnderWay {
  readonly wanted: WantedKeys;
  /** Sequence of the client's command. */
  readonly sequence: number;
  readonly shares: ReadonlyMap<number, Share>;
  sharesLeft: number;
  readonly taken: (keys: TakenKeys) => void;
}

/** Shards that have not deleted the moved keys yet. */
interface Ending {
  shardsLeft: number;
  isSafe: boolean;
  readonly done: (isSafe: boolean) => void;
}

export class KeyMigrations {
  readonly #routes: Routes;
  readonly #beginTurn: () => void;
  readonly #underWay = new Map<number, UnderWay>();
  readonly #ending = new Map<number, Ending>();

  constructor(routes: Routes, beginTurn: () => void) {
    this.#routes = routes;
    this.#beginTurn = beginTurn;
  }

  /** Asks the shards for the values of keys in the client's database. */
  take(wanted: WantedKeys): Promise<TakenKeys> {
    const { client, keys } = wanted;
    const { ownership } = this.#routes;
    const shares = new Map<number, Share>();
    for (const [index, key] of keys.entries()) {
      const shard = ownership.ownerOf(key, 0, key.length);
      const share = shares.get(shard) ?? { indexes: [], found: undefined, pieces: [] };
      share.indexes.push(index);
      shares.set(shard, share);
    }
    const transaction = this.#routes.nextTransaction();
    return new Promise((taken) => {
      // The sequence of the command is used up.
      const sequence = (client.replies.nextSequence - 1) >>> 0;
      const sharesLeft = shares.size;
      const underWay = { wanted, sequence, shares, sharesLeft, taken };
      if (sharesLeft === 0) {
        taken(this.#taken(transaction, underWay));
        return;
      }
      this.#underWay.set(transaction, underWay);
      for (const [shard, { indexes }] of shares) {
        const body = encodeMessage({
          command: wanted.entry.id,
          keys: indexes.map((index) => keys[index]!),
          holds: wanted.holds,
          isForOld: wanted.isForOld,
        });
        this.#send(FrameKind.migrate, shard, transaction, underWay, body);
      }
    });
  }

  /** A shard gives a piece of the values. */
  given(shard: number, transaction: number, piece: Bytes): void {
    this.#shareOf(shard, transaction).pieces.push(piece);
  }

  /** A shard has sent all values, with the keys that it has found. */
  found(shard: number, transaction: number, body: Bytes): void {
    this.#shareOf(shard, transaction).found = decodeMessage(body) as KeysFound;
    const underWay = this.#underWay.get(transaction)!;
    underWay.sharesLeft -= 1;
    if (underWay.sharesLeft > 0) return;
    this.#underWay.delete(transaction);
    underWay.taken(this.#taken(transaction, underWay));
  }

  #shareOf(shard: number, transaction: number): Share {
    const share = this.#underWay.get(transaction)?.shares.get(shard);
    return share ?? unreachable('a shard reports keys that were requested from it');
  }

  #taken(transaction: number, underWay: UnderWay): TakenKeys {
    const shares = [...underWay.shares.values()];
    const isRefused = shares.some(({ found }) => found === 'refused');
    if (isRefused) void this.#end(transaction, underWay, []);
    const keys = isRefused ? [] : shares.flatMap(keysOf);
    return {
      isRefused,
      keys: keys.toSorted((one, other) => one.index - other.index),
      end: (moved) => this.#end(transaction, underWay, moved),
    };
  }

  #end(transaction: number, underWay: UnderWay, moved: readonly number[]): Promise<boolean> {
    const isMoved = new Set(moved);
    const holders = underWay.wanted.holds
      ? [...underWay.shares].filter(([, share]) => holds(share))
      : [];
    return new Promise((done) => {
      if (holders.length === 0) {
        done(true);
        return;
      }
      this.#ending.set(transaction, { shardsLeft: holders.length, isSafe: true, done });
      for (const [shard, { indexes }] of holders) {
        const own = [...indexes.keys()].filter((nth) => isMoved.has(indexes[nth]!));
        this.#send(FrameKind.migrated, shard, transaction, underWay, encodeMessage(own));
      }
    });
  }

  /** Called when a shard has deleted the moved keys. */
  moved(transaction: number, isSafe: boolean): void {
    const ending =
      this.#ending.get(transaction) ?? unreachable('a shard ends a migration that exists');
    ending.shardsLeft -= 1;
    ending.isSafe &&= isSafe;
    if (ending.shardsLeft > 0) return;
    this.#ending.delete(transaction);
    ending.done(ending.isSafe);
  }

  #send(kind: number, shard: number, transaction: number, of: UnderWay, body: Bytes): void {
    const { client } = of.wanted;
    const isGone = client.socket.isClosed;
    const link = isGone ? this.#routes.links[shard]! : this.#routes.linkFor(client, shard);
    link.sendMessage(
      {
        ...emptyHead(),
        kind,
        flags: client.wait.isAtBarrier ? RequestFlag.passesBarrier : 0,
        database: client.session.database,
        connection: isGone ? -1 : client.slot,
        sequence: transaction,
        enqueuedUs: of.sequence,
      },
      body,
    );
    // What is sent may come of something else than the client's command.
    this.#beginTurn();
  }
}

function holds({ found }: Share): boolean {
  return found !== undefined && found !== 'refused' && found.length > 0;
}

function keysOf({ indexes, found, pieces }: Share): readonly MigratedKey[] {
  if (found === undefined || found === 'refused') return [];
  const cut = cutter(pieces);
  return found.map(({ nth, expireAt, bytes }) => ({
    index: indexes[nth]!,
    expireAt,
    value: bytes < 0 ? undefined : cut(bytes),
  }));
}

/** Cuts values out of pieces, one behind the other. */
function cutter(pieces: Pieces): (byteCount: number) => Pieces {
  let nth = 0;
  let at = 0;
  return (byteCount) => {
    const value: Bytes[] = [];
    for (let left = byteCount; left > 0;) {
      const piece = pieces[nth] ?? unreachable('the pieces hold the values');
      const part = piece.subarray(at, at + left);
      value.push(part);
      left -= part.length;
      at += part.length;
      if (at < piece.length) continue;
      nth += 1;
      at = 0;
    }
    return value;
  };
}
