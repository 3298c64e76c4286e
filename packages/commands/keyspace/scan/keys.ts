/** KEYS and RANDOMKEY: which keys a database has. */

import { type Bytes, globMatchesAt } from '#base';
import type { Keyspace, Ref } from '#store';
import { BulkList, type Bulks } from '../../definition/bulk-list.ts';
import { everyShard } from '../../definition/definition.ts';
import { noKeys } from '../../definition/keys.ts';
import { concatenated } from '../../definition/merge.ts';
import { hasEnded } from '../../elements/lookup.ts';
import { highestDraw, NO_DRAW, type Draw } from './random-draw.ts';

/** Number of keys that one step of a walk over a whole keyspace asks for. */
const WALK_STEP_KEYS = 1000;

const keys = everyShard<Bulks>({
  name: 'KEYS',
  summary: 'Returns all keys that match a pattern.',
  since: '1.0.0',
  complexity: 'O(N) for N keys in the database.',
  group: 'generic',
  arity: 2,
  flags: ['readonly'],
  keys: noKeys,
  args: [{ name: 'pattern', type: 'pattern' }],
  tips: ['nondeterministic_output_order'],
  acl: { add: ['dangerous'] },
  run({ keyspace, nowMs }, args) {
    const pattern = patternOrAll(args.view(1));
    const found = new BulkList();
    walk(keyspace, (ref) => {
      if (keyspace.isHidden(ref)) return;
      if (hasEnded(keyspace, ref, nowMs)) return;
      addMatching(keyspace, ref, pattern, found);
    });
    return found;
  },
  merge: concatenated,
});

const STAR = 0x2a;

/** Undefined for the pattern that all keys match. */
export function patternOrAll(pattern: Bytes): Bytes | undefined {
  return pattern.length === 1 && pattern[0] === STAR ? undefined : pattern;
}

/** Adds a record's key to the list, if it matches. */
export function addMatching(
  keyspace: Keyspace,
  ref: Ref,
  pattern: Bytes | undefined,
  list: BulkList,
): void {
  const { bytes, at, length } = keyspace.key(ref);
  if (pattern === undefined || globMatchesAt(pattern, bytes, at, length)) {
    list.push(bytes, at, length);
  }
}

export function keyCopy(keyspace: Keyspace, ref: Ref): Bytes {
  const { bytes, at, length } = keyspace.key(ref);
  return bytes.slice(at, at + length);
}

/** Visits every record; the visitor must not write to the store. */
export function walk(keyspace: Keyspace, visit: (ref: Ref) => void): void {
  let cursor = 0;
  const visitOne = (ref: Ref): void => {
    visit(ref);
    // Values of all warm keys at hand at the same time would be more than memory has room for.
    if (keyspace.isWarm(ref)) keyspace.endLoan(ref);
  };
  do {
    cursor = keyspace.scan(cursor, WALK_STEP_KEYS, visitOne);
  } while (cursor !== 0);
}

const randomkey = everyShard<Draw>({
  name: 'RANDOMKEY',
  summary: 'Returns a random key of the selected database; all keys are equally likely.',
  since: '1.0.0',
  complexity: 'O(1) on each shard.',
  group: 'generic',
  arity: 1,
  flags: ['readonly'],
  keys: noKeys,
  args: [],
  tips: ['nondeterministic_output'],
  run(context) {
    const { keyspace } = context;
    const keysBefore = keyspace.servedSize;
    for (let ref = drawn(keyspace); ref !== 0; ref = drawn(keyspace)) {
      const key = keyCopy(keyspace, ref);
      // Finding an ended key removes it, so that there is one less to draw from.
      if (keyspace.find(key, 0, key.length) === 0) continue;
      // The highest of these over all shards falls on each with its share of the keys.
      return { key, score: context.random() ** (1 / keysBefore) };
    }
    return NO_DRAW;
  },
  merge: highestDraw,
});

/** Draws so often before it takes the next key that it comes by: nearly all are hidden then. */
const DRAWS_MAX = 100;

/** A key by chance, of those that are served; 0 where there is none. */
function drawn(keyspace: Keyspace): Ref {
  if (keyspace.servedSize <= 0) return 0;
  for (let draws = 0; draws < DRAWS_MAX; draws += 1) {
    const ref = keyspace.randomRef();
    if (ref === 0 || !keyspace.isHidden(ref)) return ref;
  }
  let found: Ref = 0;
  let cursor = 0;
  do {
    cursor = keyspace.scan(cursor, WALK_STEP_KEYS, (ref) => {
      if (found === 0 && !keyspace.isHidden(ref)) found = ref;
    });
  } while (cursor !== 0 && found === 0);
  return found;
}

export const keyListing = [keys, randomkey];
