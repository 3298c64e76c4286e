/**
 * Iterates over all keys as of one moment while commands run: the base of a snapshot without a fork. One bit of each
 * record says whether the iterator has visited it. A freeze starts by inverting the meaning of the bit: all records are
 * unvisited, and new ones are created as visited. The walk visits record by record; a change of an unvisited record has
 * it written first. So each record is written once, in its original state, and unchanged records are not copied. A
 * database that is flushed or swapped meanwhile is still walked in its original state.
 */
import { asBuffer, type Bytes, finish, isResourceError, type Steps } from '#base';
import type { Contents } from '../keyspace/contents.ts';
import { KeyStateWriter } from './key-state.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import { longState } from './long-state.ts';
import { FREEZE_BIT } from '../records/record-head.ts';
import type { Ref } from '../memory/segment.ts';
import type { Databases } from '../keyspace/databases.ts';
import { isLong } from '../keyspace/value-codec.ts';
import { WarmStates } from './warm-states.ts';

/** Most keys met between two looks at the clock. */
export const SNAPSHOT_STEP_KEYS = 32;
/** States are handed on when they take this many bytes. */
const PIECE_BYTES = 256 * 1_024;
/** Usual maximum size of a piece: keys are visited in groups of this size. */
export const SNAPSHOT_PIECE_BYTES_USUAL = PIECE_BYTES + 64 * 1_024;

/**
 * Receives states of `count` keys, or a part of one (`longState`); the bytes are valid until it returns, or handed over
 * with all their memory.
 */
type SnapshotSink = (states: Bytes, count: number, isGiven: boolean) => void;

/** Form in which keys are written. */
interface SnapshotForm {
  readonly writer: SnapshotPieceWriter;
  /** Size at which pieces are passed on. */
  readonly pieceBytes: number;
  /** True for keys that are written; without it all are. */
  readonly isWanted?: ((keyspace: Keyspace, ref: Ref, database: number) => boolean) | undefined;
  /**
   * Steps that write a key with a long value, independently of other pieces; `wrote` receives the number of bytes
   * written. The record is read with the first step.
   */
  longSteps(
    keyspace: Keyspace,
    ref: Ref,
    database: number,
    wrote: (byteCount: number) => void,
  ): Steps<void>;
}

interface SnapshotPieceWriter {
  readonly length: number;
  readonly count: number;
  readonly written: Bytes;
  write(keyspace: Keyspace, ref: Ref, database: number): void;
  clear(): void;
}

/** The state of a key with a long value, which is being written. */
interface LongState {
  readonly contents: Contents;
  readonly key: Bytes;
  readonly steps: Steps<void>;
  /** The key is about to change. */
  isPreserved: boolean;
}

export class SnapshotIterator {
  readonly #store: Databases;
  #writer: SnapshotPieceWriter = new KeyStateWriter(0);
  #pieceBytes = PIECE_BYTES;
  /** Form of the keys, where they are not written as states. */
  #form: SnapshotForm | undefined;
  #sink: SnapshotSink | undefined;
  #failed: (() => void) | undefined;
  /** False when the last freeze was abandoned. */
  isWhole = true;
  #standing: readonly Keyspace[] = [];
  /** The database that each of the contents was when the freeze began. */
  #numbers = new Map<Contents, number>();
  #database = 0;
  #cursor = 0;
  /** Long values that the walk has visited. They do not change before they are written. */
  #long: LongState[] = [];
  /** Records that one step has found. */
  readonly #refs: Ref[] = [];
  /** Long states so far. */
  #longCount = 0;
  /** Keys met between two looks at the clock. */
  stepKeys = SNAPSHOT_STEP_KEYS;
  /** Keys that the walk has written. */
  walkedKeys = 0;
  /** Bytes written because they were about to change. */
  preservedBytes = 0;

  /** Visited warm keys that are not yet written. */
  readonly #warm: WarmStates;

  constructor(store: Databases) {
    this.#store = store;
    this.#warm = new WarmStates(store);
  }

  get isActive(): boolean {
    return this.#sink !== undefined;
  }

  /**
   * Freezes all keys, to be written as states or in another form. `failed` is called if there is no memory for a key:
   * the rest is abandoned then.
   */
  begin(sink: SnapshotSink, failed?: () => void, form?: SnapshotForm): void {
    const store = this.#store;
    store.freezeBit ^= FREEZE_BIT;
    store.tier.hold();
    this.#sink = sink;
    this.#failed = failed;
    this.isWhole = true;
    this.#writer = form?.writer ?? new KeyStateWriter(SNAPSHOT_PIECE_BYTES_USUAL);
    this.#pieceBytes = form?.pieceBytes ?? PIECE_BYTES;
    this.#form = form;
    this.#standing = store.databases.map((keyspace) => keyspace.standing());
    this.#numbers = new Map(this.#standing.map(({ contents }, number) => [contents, number]));
    this.#database = 0;
    this.#cursor = 0;
    this.preservedBytes = 0;
  }

  /** True while a value is being read in steps. */
  get isReading(): boolean {
    return this.#long.length > 0;
  }

  /** Drops all further output; the walk continues, so that all records are visited. */
  abandon(): void {
    if (!this.isActive) return;
    this.#sink = nobody;
    this.isWhole = false;
    this.#long.length = 0;
    this.#warm.clear();
    this.#writer.clear();
  }

  /** True when nothing can be done before values come from the disk. */
  get isWaiting(): boolean {
    const isEnding = this.#database >= this.#standing.length;
    return this.#warm.count > 0 && !this.#warm.hasNext && (isEnding || this.#warm.isFull);
  }

  /** Abandons what there is no room for. */
  #fail(error: unknown): void {
    if (!isResourceError(error)) throw error;
    this.#giveUp();
  }

  #giveUp(): void {
    this.abandon();
    this.#failed?.();
    this.#failed = undefined;
  }

  /** Writes the current state of a key that is about to change. */
  preserve(database: number, bytes: Bytes, at: number, length: number): void {
    const keyspace = this.#store.databases[database];
    if (keyspace === undefined) return;
    const ref = keyspace.lookUp(bytes, length, at);
    if (ref === 0) return;
    try {
      if (this.#long.length > 0) {
        this.#finishLong(keyspace.contents, bytes.subarray(at, at + length));
      }
      if (this.#isUnmet(keyspace, ref)) this.#preserve(keyspace, ref);
    } catch (error) {
      this.#fail(error);
    }
  }

  #preserve(keyspace: Keyspace, ref: Ref): void {
    const number = this.#numbers.get(keyspace.contents);
    meet(keyspace, ref);
    if (number === undefined || !this.isWhole) return;
    if (this.#form?.isWanted?.(keyspace, ref, number) === false) return;
    if (this.#isAway(keyspace, ref)) {
      this.#warm.add(keyspace, ref, number);
      return;
    }
    if (isLong(keyspace, ref)) {
      const long = this.#longState(keyspace, ref, number);
      long.isPreserved = true;
      finish(long.steps);
      return;
    }
    const before = this.#writer.length;
    this.#writer.write(keyspace, ref, number);
    this.preservedBytes += this.#writer.length - before;
    if (this.#writer.length >= this.#pieceBytes) this.#handOn();
  }

  /** A key is about to change: if it is a long one that is being written, that is done at once. */
  #finishLong(contents: Contents, key: Bytes): void {
    const nth = this.#long.findIndex(
      (long) => long.contents === contents && asBuffer(long.key).equals(key),
    );
    if (nth < 0) return;
    const [long] = this.#long.splice(nth, 1) as [LongState];
    long.isPreserved = true;
    finish(long.steps);
  }

  #longState(keyspace: Keyspace, ref: Ref, database: number): LongState {
    const { bytes, at, length } = keyspace.key(ref);
    const key = bytes.slice(at, at + length);
    const wrote = (byteCount: number): void => {
      if (long.isPreserved) this.preservedBytes += byteCount;
    };
    const steps =
      this.#form?.longSteps(keyspace, ref, database, wrote) ??
      this.#stateSteps(keyspace, ref, database, wrote);
    const long: LongState = { contents: keyspace.contents, key, steps, isPreserved: false };
    return long;
  }

  #stateSteps(
    keyspace: Keyspace,
    ref: Ref,
    database: number,
    wrote: (byteCount: number) => void,
  ): Steps<void> {
    const number = this.#longCount;
    this.#longCount += 1;
    return longState(keyspace, ref, database, number, (piece, count) => {
      wrote(piece.length);
      this.#sink?.(piece, count, true);
    });
  }

  /** Continues for `budgetUs` microseconds; returns true when all keys are visited. */
  slice(nowUs: () => number, budgetUs: number): boolean {
    const endUs = nowUs() + budgetUs;
    do {
      if (this.#long.length > 0) {
        this.#stepLong();
        continue;
      }
      if (this.#warm.hasNext) {
        this.#writeWarm();
        continue;
      }
      if (this.isWaiting) return false;
      const keyspace = this.#standing[this.#database];
      if (keyspace === undefined) {
        this.#end();
        return true;
      }
      this.#step(keyspace);
      if (this.#cursor === 0) this.#database += 1;
      if (this.#writer.length >= this.#pieceBytes) this.#handOn();
    } while (nowUs() < endUs);
    return false;
  }

  #step(keyspace: Keyspace): void {
    const refs = this.#refs;
    let found = 0;
    this.#cursor = keyspace.scan(this.#cursor, this.stepKeys, (ref) => {
      refs[found] = ref;
      found += 1;
    });
    // All are looked at before the first is written: so the processor waits for many of them at once.
    let unmet = 0;
    for (let nth = 0; nth < found; nth += 1) {
      const ref = refs[nth]!;
      if (!this.#isUnmet(keyspace, ref)) continue;
      refs[unmet] = ref;
      unmet += 1;
    }
    for (let nth = 0; nth < unmet; nth += 1) {
      const ref = refs[nth]!;
      meet(keyspace, ref);
      if (!this.isWhole) continue;
      if (this.#form?.isWanted?.(keyspace, ref, this.#database) === false) continue;
      this.#write(keyspace, ref);
      this.walkedKeys += 1;
      if (this.#writer.length >= this.#pieceBytes) this.#handOn();
    }
  }

  #write(keyspace: Keyspace, ref: Ref): void {
    try {
      if (this.#isAway(keyspace, ref)) this.#warm.add(keyspace, ref, this.#database);
      else if (isLong(keyspace, ref)) this.#beginLong(keyspace, ref);
      else this.#writer.write(keyspace, ref, this.#database);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** True when the value is warm and not lent. */
  #isAway(keyspace: Keyspace, ref: Ref): boolean {
    return keyspace.isWarm(ref) && !this.#store.tier.loans.has(keyspace.warmNumber(ref));
  }

  /** Writes the next warm key. Without its value the whole would lack a key: it is abandoned. */
  #writeWarm(): void {
    try {
      const isWritten = this.#warm.take((keyspace, ref, database) => {
        this.#writer.write(keyspace, ref, database);
      });
      if (!isWritten) this.#giveUp();
    } catch (error) {
      this.#fail(error);
    }
    if (this.#writer.length >= this.#pieceBytes) this.#handOn();
  }

  #beginLong(keyspace: Keyspace, ref: Ref): void {
    const long = this.#longState(keyspace, ref, this.#database);
    // The record is read now.
    if (long.steps.next().done !== true) this.#long.push(long);
  }

  #stepLong(): void {
    try {
      if (this.#long[0]!.steps.next().done === true) this.#long.shift();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** True when a record was there when the snapshot began, and has not been met since. */
  #isUnmet({ contents }: Keyspace, ref: Ref): boolean {
    return ((contents.records.word(ref) ^ this.#store.freezeBit) & FREEZE_BIT) !== 0;
  }

  #handOn(): void {
    const { count, written } = this.#writer;
    if (count > 0) this.#sink?.(written, count, false);
    this.#writer.clear();
  }

  #end(): void {
    this.#handOn();
    this.#store.tier.letGo();
    this.#sink = undefined;
    this.#writer = new KeyStateWriter(0);
    this.#form = undefined;
    this.#standing = [];
    this.#numbers.clear();
  }
}

function meet({ contents }: Keyspace, ref: Ref): void {
  const { records } = contents;
  records.setWord(ref, records.word(ref) ^ FREEZE_BIT);
}

function nobody(): void {
  // An abandoned freeze has no taker.
}
