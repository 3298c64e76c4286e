/** Names of the representations of values, as OBJECT ENCODING and DEBUG OBJECT tell them. */

import { parseInteger } from '#base';
import { ValueType, type Keyspace, type Ref } from '#store';
import type { ShardContext } from '../contexts.ts';
import { stringEncoding } from '../string/encoding.ts';

type Namer = (keyspace: Keyspace, ref: Ref) => string;

/** By type: each type's family knows what the encoding bits of its records mean. */
const namers = new Map<number, Namer>([
  [
    ValueType.string,
    (keyspace, ref) => {
      const form = keyspace.encoding(ref);
      const { bytes, at, length } = keyspace.value(ref);
      return stringEncoding(form, bytes, at, length);
    },
  ],
]);

export function encodingName(keyspace: Keyspace, ref: Ref): string {
  return namers.get(keyspace.type(ref))?.(keyspace, ref) ?? 'raw';
}

/** Redis keeps one object for each integer below this. */
const SHARED_INTEGERS = 10_000;

/**
 * Whether Redis would keep the value as one of its shared integers, which it does unless eviction
 * needs every key's own clock.
 */
export function isSharedInteger(context: ShardContext, ref: Ref): boolean {
  const { keyspace, store } = context;
  if (encodingName(keyspace, ref) !== 'int') return false;
  const { bytes, at, length } = keyspace.value(ref);
  const value = parseInteger(bytes, at, length);
  return value >= 0 && value < SHARED_INTEGERS && !/lru|lfu/.test(store.policy);
}
