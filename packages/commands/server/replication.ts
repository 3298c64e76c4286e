/** ROLE and WAIT: the server's place among others; there are no replicas yet. */

import type { ReplyWriter } from '#resp';
import type { MainContext } from '../contexts.ts';
import { onMain } from '../definition.ts';
import { noKeys } from '../keys.ts';
import { millisecondsAt } from '../timeout.ts';
import type { ServerContext } from './ports.ts';

const role = onMain<MainContext>({
  name: 'ROLE',
  summary: 'Answers whether the server is a primary or a replica, and who replicates it.',
  since: '2.8.12',
  complexity: 'O(1)',
  group: 'server',
  arity: 1,
  flags: ['noscript', 'loading', 'stale', 'fast'],
  keys: noKeys,
  args: [],
  acl: { add: ['admin', 'dangerous'] },
  run({ reply }) {
    reply.arrayHeader(3);
    reply.text('master');
    reply.integer(0);
    reply.arrayHeader(0);
  },
});

const wait = onMain<ServerContext>({
  name: 'WAIT',
  summary: 'Waits until so many replicas have the writes of this client, or until a timeout.',
  since: '3.0.0',
  complexity: 'O(1)',
  group: 'generic',
  arity: 3,
  flags: ['blocking'],
  keys: noKeys,
  args: [
    { name: 'numreplicas', type: 'integer' },
    { name: 'timeout', type: 'integer' },
  ],
  acl: { add: ['connection'], drop: ['keyspace'] },
  tips: ['request_policy:all_shards', 'response_policy:agg_min'],
  run(context, args) {
    const wanted = args.roundedAt(1);
    const timeoutMs = millisecondsAt(args, 2, context.nowMs);
    // No replica exists, so nothing can confirm anything before the time is over.
    if (wanted <= 0 || !context.mayBlock) {
      context.reply.integer(0);
      return;
    }
    const none = (reply: ReplyWriter): void => {
      reply.integer(0);
    };
    const answer = context.defer(none);
    if (timeoutMs === 0) return;
    context.timers.after(timeoutMs, () => {
      answer(none);
    });
  },
});

export const serverReplication = [role, wait];
