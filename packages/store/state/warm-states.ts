/** States of warm keys at the time of their visit: their values are read from the disk later, while commands run. */

import { type Bytes, CommandError, finish } from '#base';
import type { Databases } from '../keyspace/databases.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import { setOptions } from '../keyspace/set-options.ts';
import type { Ref } from '../memory/segment.ts';
import { Span } from '../values/span.ts';
import { codecOf } from '../values/codecs.ts';
import { readEntry } from '../warm/extent.ts';

/** Values that are asked for ahead of the one that is to be written next. */
const AHEAD_MAX = 256;

interface WarmState {
  readonly key: Bytes;
  readonly database: number;
  readonly access: number;
  readonly expireAt: number;
  /** Undefined until it is there. */
  entry: Bytes | CommandError | undefined;
}

export class WarmStates {
  readonly #store: Databases;
  #states: WarmState[] = [];
  #first = 0;
  /** Database that a key is in for as long as it is written. */
  #scratch: Keyspace | undefined;

  constructor(store: Databases) {
    this.#store = store;
  }

  get count(): number {
    return this.#states.length - this.#first;
  }

  /** True when no more should be added for now. */
  get isFull(): boolean {
    return this.count >= AHEAD_MAX;
  }

  /** True when the next one is there. */
  get hasNext(): boolean {
    return this.#states[this.#first]?.entry !== undefined;
  }

  /** Notes a warm key as it is now, and asks for its value. */
  add(keyspace: Keyspace, ref: Ref, database: number): void {
    const { bytes, at, length } = keyspace.key(ref);
    const state: WarmState = {
      key: bytes.slice(at, at + length),
      database,
      access: keyspace.access(ref),
      expireAt: keyspace.expireAt(ref),
      entry: undefined,
    };
    this.#states.push(state);
    this.#store.tier.fetch(keyspace.warmNumber(ref), (entry) => {
      state.entry = entry instanceof CommandError ? entry : entry.slice();
    });
  }

  /** Hands over the next one as a key of a database; false where its value could not be read. */
  take(write: (keyspace: Keyspace, ref: Ref, database: number) => void): boolean {
    const state = this.#states[this.#first]!;
    this.#first += 1;
    if (this.#first === this.#states.length) this.clear();
    const { entry } = state;
    if (entry === undefined || entry instanceof CommandError) return false;
    this.#scratch ??= this.#store.newDatabase();
    const scratch = this.#scratch;
    const ref = store(scratch, state, entry);
    write(scratch, ref, state.database);
    scratch.takeOut(ref);
    return true;
  }

  clear(): void {
    this.#states = [];
    this.#first = 0;
  }
}

function store(scratch: Keyspace, state: WarmState, entry: Bytes): Ref {
  const { bytes, valueAt, valueLength, type, encoding, isObject } = readEntry(entry);
  const options = setOptions({ type, encoding, expireAt: state.expireAt });
  const key = new Span(state.key);
  let ref: Ref;
  if (isObject) {
    const codec = codecOf(type, encoding);
    const object = finish(codec.decode([bytes.subarray(valueAt, valueAt + valueLength)]));
    ref = scratch.setObject(key, object, codec.bytesOf(object), options);
  } else {
    ref = scratch.set(key, new Span(bytes, valueAt, valueLength), options);
  }
  scratch.setAccess(ref, state.access);
  return ref;
}
