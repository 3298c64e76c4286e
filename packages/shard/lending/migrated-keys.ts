/**
 * Keys that MIGRATE moves to another server. Main receives their values and sends them to that server; the keys are
 * locked meanwhile. Keys that the target has accepted are deleted here before they are unlocked. Both is done
 * incrementally, between commands on other keys, for any number and length of keys.
 */

import { type Bytes, joined, KeyFate, keyName, type Steps } from '#base';
import { AT } from '#stats';
import {
  DATABASE_SHIFT,
  decodeMessage,
  encodeMessage,
  FrameKind,
  type KeyFound,
  type KeysMoved,
  type KeysWanted,
  Request,
} from '#link';
import { rdb, type Ref } from '#store';
import type { Frame } from '../frames/frame.ts';
import { slotOf } from '../execution/frame-keys.ts';
import type { KeyEvents } from '../execution/key-events.ts';
import type { HostingOptions } from './hosting.ts';

export interface MigratedKeysOptions extends HostingOptions {
  readonly events: KeyEvents;
}

/** Keys that are looked for, or deleted, between two steps. */
const KEYS_PER_STEP = 64;
/** Size of the pieces into which short values are combined. */
const PIECE_BYTES = 64 * 1024;

/** Keys of a transaction of main's that are held, and the client that wants them moved. */
interface Held extends KeysWanted {
  readonly transaction: number;
  readonly database: number;
  readonly slot: number;
  /** Sequence of the client's command. */
  readonly sequence: number;
}

export class MigratedKeys {
  readonly #options: MigratedKeysOptions;
  readonly #held = new Map<number, Held>();

  constructor(options: MigratedKeysOptions) {
    this.#options = options;
  }

  /** Names of the keys of a `migrate` frame. */
  namesIn(frame: Frame): readonly string[] {
    return namesOf(databaseOf(frame), decodeMessage(frame.body) as KeysWanted);
  }

  /** Main wants the values of keys, at the place of the frame. */
  take(frame: Frame): void {
    const { keyLocks, work, sender } = this.#options;
    const held: Held = {
      ...(decodeMessage(frame.body) as KeysWanted),
      transaction: frame.sequence,
      database: databaseOf(frame),
      slot: slotOf(frame),
      sequence: frame.words[frame.word + Request.ofSequence]! >>> 0,
    };
    const { transaction, slot } = held;
    // Values are read over several steps, during which they must not be written.
    keyLocks.hold(transaction, namesOf(held.database, held), true);
    const report = (found: readonly KeyFound[] | 'refused'): void => {
      sender.give(FrameKind.found, slot, transaction, encodeMessage(found));
      if (held.holds && found !== 'refused' && found.length > 0) this.#held.set(transaction, held);
      else this.#release(transaction);
    };
    work.run(this.#values(held), report, () => {
      report('refused');
    });
  }

  /** Finds the keys that are here, and gives main their values. */
  *#values(held: Held): Steps<readonly KeyFound[]> {
    const { context, sender } = this.#options;
    const found: KeyFound[] = [];
    const pieces = new Pieces((piece) => {
      sender.give(FrameKind.migrate, held.slot, held.transaction, piece);
    });
    for (const nth of held.keys.keys()) {
      this.#begin(held);
      const ref = this.#find(held.keys[nth]!);
      if (ref !== 0) {
        const expireAt = context.keyspace.expireAt(ref);
        const before = pieces.bytes;
        const steps = this.#dump(held, ref, pieces);
        this.#end();
        yield* steps;
        found.push({ nth, expireAt, bytes: steps === NO_DUMP ? -1 : pieces.bytes - before });
      } else {
        this.#end();
      }
      if (nth % KEYS_PER_STEP === KEYS_PER_STEP - 1) yield;
    }
    pieces.flush();
    return found;
  }

  /** Finds a key, with what Redis counts and announces about it. */
  #find(key: Bytes): Ref {
    const { context } = this.#options;
    const ref = context.keyspace.find(key, 0, key.length);
    if (context.reportsLookUps) context.lookedUp(key, 0, key.length, ref !== 0);
    if (ref === 0) {
      context.miss();
      context.notify('m', 'keymiss', key, 0, key.length);
    } else {
      context.hit();
    }
    return ref;
  }

  #dump({ isForOld }: Held, ref: Ref, pieces: Pieces): Iterable<undefined> {
    const { keyspace } = this.#options.context;
    const give = (piece: Bytes): void => {
      pieces.add(piece);
    };
    if (!isForOld) return rdb.dumpInSteps(keyspace, ref, give);
    const version = rdb.VERSION_OF_7_0;
    if (!rdb.fitsVersion(keyspace, ref, version)) return NO_DUMP;
    return rdb.dumpInSteps(keyspace, ref, give, version);
  }

  /** Another server has some of the keys now. */
  moved(frame: Frame): void {
    const { sender, work } = this.#options;
    const transaction = frame.sequence;
    const slot = slotOf(frame);
    const held = this.#held.get(transaction);
    this.#held.delete(transaction);
    const done = (): void => {
      this.#release(transaction);
      sender.sendSignal(FrameKind.migrated, slot, transaction, 0);
    };
    if (held === undefined) done();
    // The client may have disconnected meanwhile, and its slot may be reused.
    else work.run(this.#removeAll(frame.detached(), { ...held, slot }), done);
  }

  *#removeAll(frame: Frame, held: Held): Steps<void> {
    const moved = decodeMessage(frame.body) as KeysMoved;
    const { effects, values, keyLocks } = this.#options;
    keyLocks.changes(held.transaction);
    for (let from = 0; from < moved.length; from += KEYS_PER_STEP) {
      this.#begin(held);
      values[AT.executing] = held.command + 1;
      values[AT.executingClient] = held.slot;
      values[AT.executingFrame] = -1;
      effects.begin();
      this.#remove(held, moved.slice(from, from + KEYS_PER_STEP));
      effects.end(frame);
      values[AT.executing] = 0;
      this.#end();
      yield;
    }
  }

  #remove({ database, keys }: Held, moved: KeysMoved): void {
    const { context, effects } = this.#options;
    const gone: Bytes[] = [];
    for (const nth of moved) {
      const key = keys[nth]!;
      effects.preserve(database, key);
      if (!context.keyspace.remove(key, 0, key.length, KeyFate.moved)) continue;
      context.changed('g', 'del', key, 0, key.length);
      gone.push(key);
    }
    // Logged as a deletion: a replay must not contact another server.
    if (gone.length > 0 && context.isLogged) context.logAs(['DEL', ...gone]);
  }

  /** Points at the keys' database, in the name of the client. */
  #begin({ database, slot, sequence }: Held): void {
    const { executor, context, events, values } = this.#options;
    executor.readClock();
    executor.setNow();
    values[AT.executingSinceUs] = executor.nowUs;
    context.actFor(slot, database);
    events.begin(slot, sequence);
  }

  /** Sends the key events before main continues. */
  #end(): void {
    const { events } = this.#options;
    events.sendRest();
    events.begin();
  }

  #release(transaction: number): void {
    this.#options.keyLocks.release(transaction, () => {
      this.#options.blocking.serve();
    });
  }
}

/** Stands for a value that has no form for old servers. */
const NO_DUMP: Iterable<undefined> = [];

/** Puts short values together into longer pieces, which are given away. */
class Pieces {
  /** Bytes of all that was added. */
  bytes = 0;
  readonly #give: (piece: Bytes) => void;
  #short: Bytes[] = [];
  #shortBytes = 0;

  constructor(give: (piece: Bytes) => void) {
    this.#give = give;
  }

  /** Adds bytes that are all of their memory. */
  add(piece: Bytes): void {
    this.bytes += piece.length;
    if (piece.length >= PIECE_BYTES) {
      this.flush();
      this.#give(piece);
      return;
    }
    this.#short.push(piece);
    this.#shortBytes += piece.length;
    if (this.#shortBytes >= PIECE_BYTES) this.flush();
  }

  flush(): void {
    if (this.#shortBytes === 0) return;
    this.#give(joined(this.#short));
    this.#short = [];
    this.#shortBytes = 0;
  }
}

function namesOf(database: number, { keys }: KeysWanted): readonly string[] {
  return keys.map((key) => keyName(database, key));
}

function databaseOf({ words, word }: Frame): number {
  return words[word + Request.kind]! >>> DATABASE_SHIFT;
}
