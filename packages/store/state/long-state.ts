/** States of keys whose values take long to write. */

import type { Bytes, Steps } from '#base';
import { KEY_STATE_HEADER_BYTES, KeyStateWriter, type StateCopy } from './key-state.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import { installStates, type InstallTarget } from './key-state-reader.ts';
import type { Ref } from '../memory/segment.ts';
import { bytesForm, codecAt, valueOf } from '../keyspace/value-codec.ts';
import { WordWriter } from '../memory/word-bytes.ts';

const NOTHING: Bytes = new Uint8Array(0);

/** The count of a piece that is part of a long state, in bits: the part that it ends with, and below its number. */
const PART = 2 ** 31;
const LAST_PART = 2 ** 30;

/** Returns what stands in the place of a count of keys where a piece is part of the long state of that number. */
function statePart(number: number, isLast: boolean): number {
  return PART + (isLast ? LAST_PART : 0) + (number % LAST_PART);
}

/** Stands in the place of a count where a piece has no keys, but the libraries of functions, as FUNCTION DUMP has them. */
export const LIBRARIES_PIECE = PART - 1;

/** Returns how many keys end in a piece. */
export function keysInPiece(count: number): number {
  if (count === LIBRARIES_PIECE) return 0;
  if (count < PART) return count;
  return count >= PART + LAST_PART ? 1 : 0;
}

/** Makes keys of the pieces of a snapshot; states in parts may come among each other. */
export class PieceInstaller {
  readonly #store: InstallTarget;
  /** Parts of incomplete states, by number of the state. */
  readonly #parts = new Map<number, Bytes[]>();

  constructor(store: InstallTarget) {
    this.#store = store;
  }

  /** Takes a piece in, in memory that may be used again; returns how many keys are there with it. */
  install(states: Bytes, count: number): number {
    if (count < PART) return installStates(this.#store, states);
    const number = count % LAST_PART;
    const parts = this.#parts.get(number) ?? [];
    parts.push(new Uint8Array(states));
    if (keysInPiece(count) === 0) {
      this.#parts.set(number, parts);
      return 0;
    }
    this.#parts.delete(number);
    const [first, ...rest] = parts as [Bytes, ...Bytes[]];
    return installStates(this.#store, first, rest);
  }
}

/** Most bytes of a piece of a long state. */
const STATE_PIECE_BYTES = 8 * 1024 * 1024;

/**
 * Yields the state of a record with a long value in pieces, in memory that the caller owns, with the marker used in
 * place of a count for each. `number` identifies it among concurrent states. The record is read with the first step;
 * its value must not change until the last.
 */
export function* longState(
  keyspace: Keyspace,
  ref: Ref,
  database: number,
  number: number,
  take: (piece: Bytes, count: number) => void,
): Steps<void> {
  const key = keyspace.key(ref);
  const copy: StateCopy = {
    database,
    key: key.bytes.slice(key.at, key.at + key.length),
    type: keyspace.type(ref),
    encoding: keyspace.encoding(ref),
    access: keyspace.access(ref),
    expireAt: keyspace.expireAt(ref),
    value: NOTHING,
    object: keyspace.object(ref),
  };
  const form = keyspace.isObject(ref)
    ? yield* codecAt(keyspace, ref).encode(copy.object)
    : bytesForm(valueOf(keyspace, ref));
  const head = new KeyStateWriter(KEY_STATE_HEADER_BYTES + copy.key.length);
  head.writeHead(copy, form.byteCount, 0);
  const { written } = head;
  const byteCount = written.length + form.byteCount;
  let left = byteCount;
  let piece: Bytes = new Uint8Array(Math.min(left, Math.max(STATE_PIECE_BYTES, written.length)));
  piece.set(written);
  const next = (): Bytes => {
    // Before it is given away, and has no length.
    left -= piece.length;
    take(piece, statePart(number, false));
    piece = new Uint8Array(Math.min(left, STATE_PIECE_BYTES));
    return piece;
  };
  yield* form.write(new WordWriter(piece, written.length, next));
  take(piece, left === byteCount ? 1 : statePart(number, true));
}
