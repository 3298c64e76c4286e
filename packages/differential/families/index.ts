/** All families; a new one is a file beside this, and its line here. */
import type { Family } from '../family.ts';
import { acl } from './acl.ts';
import { bitmap } from './bitmap.ts';
import { geo } from './geo.ts';
import { hash } from './hash.ts';
import { hyperloglog } from './hyperloglog.ts';
import { keyspace } from './keyspace.ts';
import { list } from './list.ts';
import { mixed } from './mixed.ts';
import { scripts } from './scripts.ts';
import { set } from './set.ts';
import { sort } from './sort.ts';
import { sortedSet } from './sorted-set.ts';
import { stream } from './stream.ts';
import { string } from './string.ts';

const mixable: readonly Family[] = [
  ...[string, keyspace, bitmap, hash, set, list, sortedSet, geo, stream, sort],
];

/**
 * Commands of other types break a HyperLogLog's code, and of a broken one Redis reads beyond the end. Scripts call what
 * the known differences could not see.
 */
export const families: readonly Family[] = [...mixable, hyperloglog, scripts, acl, mixed(mixable)];
