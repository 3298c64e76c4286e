/** HDEL and HGETDEL: taking fields out of a hash. */

import { oneShard } from '../definition/definition.ts';
import { elementRemoval } from '../elements/element-removal.ts';
import { oneKey } from '../definition/keys.ts';
import { removeIfEmpty, takenAt } from '../elements/lookup.ts';
import { events } from '../contexts/events.ts';
import { demandFieldCount, fieldsBlock } from './field-list.ts';
import { writeValue } from './get.ts';
import { announceEnded, findField, hashToWrite } from './lookup.ts';

const hdel = elementRemoval(
  {
    name: 'HDEL',
    summary: 'Removes fields from a hash; returns the number of fields removed.',
    since: '2.0.0',
    complexity: 'O(N) for N fields.',
    group: 'hash',
  },
  {
    element: 'field',
    event: events.hdel,
    find: hashToWrite,
    remove(hash, bytes, at, length) {
      if (!hash.find(bytes, at, length)) return false;
      hash.remove();
      return true;
    },
  },
);

const FIELDS_INDEX = 2;

const hgetdel = oneShard({
  name: 'HGETDEL',
  summary: 'Returns the values of fields and removes the fields.',
  since: '8.0.0',
  complexity: 'O(N) for N fields.',
  group: 'hash',
  arity: -5,
  flags: ['write', 'fast'],
  keys: oneKey('RW', ['access', 'delete']),
  args: [{ name: 'key', type: 'key' }, fieldsBlock],
  run(context, args) {
    const { reply } = context;
    const hash = hashToWrite(context, args);
    const first = demandFieldCount(args, FIELDS_INDEX);
    reply.arrayHeader(args.count - first);
    let deleted = 0;
    let ended = 0;
    let isGone = hash === undefined;
    for (let index = first; index < args.count; index += 1) {
      const state = isGone ? 'missing' : findField(context, args, index, false);
      if (hash === undefined || state !== 'there') {
        if (state === 'ended' || state === 'gone') ended += 1;
        isGone ||= state === 'gone';
        reply.nil();
        continue;
      }
      writeValue(context, hash);
      hash.remove();
      deleted += 1;
      isGone = removeIfEmpty(context, hash);
    }
    if (ended > 0) announceEnded(context, args, isGone && deleted === 0);
    if (deleted > 0) takenAt(context, args, 1, events.hdel, deleted, isGone);
  },
});

export const hashRemoval = [hdel, hgetdel];
