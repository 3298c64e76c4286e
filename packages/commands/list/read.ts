/** LLEN, LINDEX and LRANGE: reading elements by their place. */

import type { ReplyWriter } from '#resp';
import type { ListValue } from '#store';
import { oneShard } from '../definition/definition.ts';
import { replyEach } from '../elements/entries.ts';
import { oneKey } from '../definition/keys.ts';
import { indexRange } from './index-range.ts';
import { listToRead } from './lookup.ts';

const llen = oneShard({
  name: 'LLEN',
  summary: 'Counts the elements of a list.',
  since: '1.0.0',
  complexity: 'O(1)',
  group: 'list',
  arity: 2,
  flags: ['readonly', 'fast'],
  keys: oneKey('RO'),
  args: [{ name: 'key', type: 'key' }],
  run(context, args) {
    context.reply.integer(listToRead(context, args)?.count ?? 0);
  },
});

const lindex = oneShard({
  name: 'LINDEX',
  summary: 'Returns the element at an index; negative indexes count from the end.',
  since: '1.0.0',
  complexity: 'O(N) for N nodes between the element and the nearer end.',
  group: 'list',
  arity: 3,
  flags: ['readonly'],
  keys: oneKey('RO', 'access'),
  args: [
    { name: 'key', type: 'key' },
    { name: 'index', type: 'integer' },
  ],
  run(context, args) {
    const list = listToRead(context, args);
    // A missing list hides a wrong index, as in Redis.
    if (list?.seek(args.roundedAt(2)) === true) writeElement(context.reply, list);
    else context.reply.nil();
  },
});

const lrange = oneShard({
  name: 'LRANGE',
  summary: 'Returns the elements in a range of indexes, both ends included.',
  since: '1.0.0',
  complexity: 'O(S+N) for N elements, S nodes away from the nearer end.',
  group: 'list',
  arity: 4,
  flags: ['readonly'],
  keys: oneKey('RO', 'access'),
  args: [
    { name: 'key', type: 'key' },
    { name: 'start', type: 'integer' },
    { name: 'stop', type: 'integer' },
  ],
  run(context, args) {
    const { reply } = context;
    const start = args.roundedAt(2);
    const stop = args.roundedAt(3);
    const list = listToRead(context, args);
    const { first, count } = indexRange(start, stop, list?.count ?? 0);
    reply.arrayHeader(count);
    if (list === undefined || count === 0) return;
    list.seek(first);
    replyEach(reply, list, count);
  },
});

export const listReading = [llen, lindex, lrange];

/** Writes the element that the list stands at. */
export function writeElement(reply: ReplyWriter, list: ListValue): void {
  list.read();
  reply.bulk(list.bytes, list.at, list.length);
}
