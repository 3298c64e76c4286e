/** CLIENT TRACEPARENT: the application sets the trace of its commands. */

import { CommandError } from '#base';
import { onMain } from '../definition/definition.ts';
import { noKeys } from '../definition/keys.ts';
import { parseTraceParent } from '../contexts/trace-context.ts';

const badWord = new CommandError('ERR TRACEPARENT takes NEXT after the value, or OFF alone');

export const traceParent = onMain({
  name: 'CLIENT|TRACEPARENT',
  sessionOnly: true,
  summary: 'Sets the parent trace of all commands of this connection, or of the next one.',
  since: '1.0.0',
  complexity: 'O(1)',
  group: 'connection',
  arity: -3,
  flags: ['noscript', 'loading', 'stale'],
  keys: noKeys,
  args: [
    {
      name: 'context',
      type: 'oneof',
      arguments: [
        { name: 'traceparent', type: 'string' },
        { name: 'off', type: 'pure-token', token: 'OFF' },
      ],
    },
    { name: 'next', type: 'pure-token', token: 'NEXT', optional: true },
  ],
  run({ client, reply }, args) {
    const isForNext = args.count === 4 && args.spellsAt(3, 'NEXT');
    const isOff = args.spellsAt(2, 'OFF');
    if (args.count > 4 || (args.count === 4 && (isOff || !isForNext))) throw badWord;
    client.session.traceParent = isOff ? undefined : parseTraceParent(args.latin1(2), isForNext);
    reply.ok();
  },
});
