/** Redis' names of the value types. */

import { type Bytes, spells } from '#base';

/** Names of types, by the store's number of the type. */
const TYPE_NAMES = ['none', 'string', 'list', 'set', 'zset', 'hash', 'stream'] as const;

/** The name TYPE answers. */
export function typeName(type: number): string {
  return TYPE_NAMES[type] ?? 'none';
}

/** The number of the type that the bytes name, in any case; -1 when they name none. */
export function typeNumber(bytes: Bytes, at: number, length: number): number {
  for (let type = 1; type < TYPE_NAMES.length; type += 1) {
    if (spells(bytes, at, length, TYPE_NAMES[type]!.toUpperCase())) return type;
  }
  return -1;
}
