/** Names of value encodings, as in OBJECT ENCODING and DEBUG OBJECT. */

import { parseInteger } from '#base';
import { Encoding, type Keyspace, type Ref, ValueType } from '#store';
import type { ShardContext } from '../contexts/contexts.ts';
import { stringEncoding } from '../string/encoding.ts';

/** Redis' names of the store's encodings of values that are no strings. */
const NAMES: Readonly<Record<number, string>> = {
  [Encoding.listpack]: 'listpack',
  [Encoding.intset]: 'intset',
  [Encoding.hashtable]: 'hashtable',
  [Encoding.skiplist]: 'skiplist',
  [Encoding.quicklist]: 'quicklist',
  [Encoding.stream]: 'stream',
  [Encoding.listpackEx]: 'listpackex',
  [Encoding.hashtableEx]: 'hashtable',
  [Encoding.listpackExIdle]: 'listpackex',
};

export function encodingName(keyspace: Keyspace, ref: Ref): string {
  const form = keyspace.encoding(ref);
  if (keyspace.type(ref) !== ValueType.string) return NAMES[form] ?? 'raw';
  const { bytes, at, length } = keyspace.value(ref);
  return stringEncoding(form, bytes, at, length);
}

/** Redis keeps one object for each integer below this. */
const SHARED_INTEGERS = 10_000;

/**
 * True when Redis would keep the value as one of its shared integers, which it does unless eviction needs every key's
 * own clock.
 */
export function isSharedInteger(context: ShardContext, ref: Ref): boolean {
  const { keyspace, store } = context;
  if (encodingName(keyspace, ref) !== 'int') return false;
  const { bytes, at, length } = keyspace.value(ref);
  const value = parseInteger(bytes, at, length);
  return value >= 0 && value < SHARED_INTEGERS && !/lru|lfu/.test(store.policy);
}
