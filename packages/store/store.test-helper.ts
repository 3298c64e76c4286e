/** For the tests of this package: stores that repeat themselves, and keys and values as text. */
import { type Bytes, finish, fromLatin1, latin1 } from '#base';
import type { Ref } from './memory/segment.ts';
import type { Keyspace } from './keyspace/keyspace.ts';
import { Store } from './store.ts';
import type { ObjectCodec } from './values/codecs.ts';
import { WordWriter } from './memory/word-bytes.ts';
import { Span } from './values/span.ts';
import { setOptions } from './keyspace/set-options.ts';

/** Numbers from 0 up to 1 that a seed decides (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let word = Math.imul(state ^ (state >>> 15), 1 | state);
    word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word;
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function testStore(seed = 1, databases = 4): Store {
  const store = new Store({
    databases,
    seed: new Uint8Array(16).fill(seed),
    random: seededRandom(seed),
  });
  store.nowMs = 1_700_000_000_000;
  return store;
}

/** A clock that lets every slice finish. */
export function stoppedClock(): number {
  return 0;
}

export function bytesOf(text: string): Uint8Array {
  return fromLatin1(text);
}

export function setText(keyspace: Keyspace, key: string, value: string, keepTtl = false): Ref {
  return keyspace.set(new Span(bytesOf(key)), new Span(bytesOf(value)), setOptions({ keepTtl }));
}

export function refOf(keyspace: Keyspace, key: string): Ref {
  return keyspace.find(bytesOf(key), 0, key.length);
}

export function textOf(keyspace: Keyspace, key: string): string | undefined {
  const ref = refOf(keyspace, key);
  return ref === 0 ? undefined : valueText(keyspace, ref);
}

export function valueText(keyspace: Keyspace, ref: Ref): string {
  const view = keyspace.value(ref);
  return latin1(view.bytes, view.at, view.length);
}

export function keyText(keyspace: Keyspace, ref: Ref): string {
  const view = keyspace.key(ref);
  return latin1(view.bytes, view.at, view.length);
}

export function removeKey(keyspace: Keyspace, key: string): boolean {
  return keyspace.remove(bytesOf(key), 0, key.length);
}

/** All keys that a complete scan visits, each once. */
export function scannedKeys(keyspace: Keyspace, count = 10): Set<string> {
  const keys = new Set<string>();
  let cursor = 0;
  do {
    cursor = keyspace.scan(cursor, count, (ref) => keys.add(keyText(keyspace, ref)));
  } while (cursor !== 0);
  return keys;
}

/** Lengths of pieces that cut words, entries and nodes anywhere. */
const PIECE_LENGTHS = [1, 4_099, 6, 63, 20_011, 2, 1_025];

/** Encodes an object with a codec and decodes the result, in pieces that end anywhere. */
export function thereAndBack(codec: ObjectCodec, object: unknown): unknown {
  const form = finish(codec.encode(object));
  const pieces: Bytes[] = [];
  let left = form.byteCount;
  const next = (): Bytes => {
    const length = PIECE_LENGTHS[pieces.length % PIECE_LENGTHS.length]!;
    const piece = new Uint8Array(Math.min(left, length));
    left -= piece.length;
    pieces.push(piece);
    return piece;
  };
  finish(form.write(new WordWriter(new Uint8Array(0), 0, next)));
  return finish(codec.decode(pieces));
}
