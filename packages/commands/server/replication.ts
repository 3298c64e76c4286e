/** ROLE: the server's place among others. */

import { onMain } from '../definition.ts';
import { noKeys } from '../keys.ts';
import type { ServerContext } from './ports.ts';

const role = onMain<ServerContext>({
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
  run({ reply, replicas }) {
    const { online, offset } = replicas;
    reply.arrayHeader(3);
    reply.text('master');
    reply.integer(offset);
    reply.arrayHeader(online.length);
    for (const replica of online) {
      reply.arrayHeader(3);
      reply.text(replica.host);
      reply.text(String(replica.port));
      reply.text(String(replica.offset));
    }
  },
});

export const serverReplication = [role];
