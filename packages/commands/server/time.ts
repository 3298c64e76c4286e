import type { MainContext } from '../contexts/contexts.ts';
import { onMain } from '../definition/definition.ts';
import { noKeys } from '../definition/keys.ts';

export const time = onMain<MainContext>({
  name: 'TIME',
  summary: 'Returns the Unix time as seconds and microseconds.',
  since: '2.6.0',
  complexity: 'O(1)',
  group: 'server',
  arity: 1,
  flags: ['loading', 'stale', 'fast'],
  keys: noKeys,
  args: [],
  tips: ['nondeterministic_output'],
  run({ reply, unixUs: us }) {
    reply.arrayHeader(2);
    reply.bulkInteger(Math.floor(us / 1_000_000));
    reply.bulkInteger(us % 1_000_000);
  },
});
