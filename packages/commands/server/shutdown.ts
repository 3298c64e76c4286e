/** SHUTDOWN: ends the process, or calls that off. */

import { CommandError, errors } from '#base';
import type { Arguments } from '../arguments/arguments.ts';
import { onMain } from '../definition/definition.ts';
import { noKeys } from '../definition/keys.ts';
import type { ServerContext, ShutdownOptions } from './ports/ports.ts';

const shutdown = onMain<ServerContext>({
  name: 'SHUTDOWN',
  summary: 'Finishes work in flight, saves if configured, and stops the server.',
  since: '1.0.0',
  complexity: 'O(N) for N keys when it saves, else O(1).',
  group: 'server',
  arity: -1,
  flags: ['admin', 'noscript', 'loading', 'stale', 'no_multi', 'allow_busy'],
  keys: noKeys,
  args: [
    {
      name: 'save-selector',
      type: 'oneof',
      optional: true,
      arguments: [
        { name: 'nosave', type: 'pure-token', token: 'NOSAVE' },
        { name: 'save', type: 'pure-token', token: 'SAVE' },
      ],
    },
    { name: 'now', type: 'pure-token', token: 'NOW', since: '7.0.0', optional: true },
    { name: 'force', type: 'pure-token', token: 'FORCE', since: '7.0.0', optional: true },
    { name: 'abort', type: 'pure-token', token: 'ABORT', since: '7.0.0', optional: true },
  ],
  history: [['7.0.0', 'Added NOW, FORCE and ABORT.']],
  run(context, args) {
    const options = readOptions(args);
    if (options !== 'abort') {
      // The answer is that the connection ends.
      const answer = context.defer();
      context.process.shutdown(options, () => {
        answer((reply) => {
          reply.error(errors.shutdownFailed);
        });
      });
    } else if (context.process.abortShutdown()) {
      context.reply.ok();
    } else {
      throw nothingToAbort;
    }
  },
});

export const serverEnding = [shutdown];

const nothingToAbort = new CommandError('ERR No shutdown in progress.');

const WORDS = ['NOSAVE', 'SAVE', 'NOW', 'FORCE', 'ABORT'] as const;

function readOptions(args: Arguments): ShutdownOptions | 'abort' {
  const given = new Set<(typeof WORDS)[number]>();
  while (args.more) {
    const word = WORDS.find((each) => args.takes(each));
    if (word === undefined) throw errors.syntax;
    given.add(word);
  }
  if (given.has('NOSAVE') && given.has('SAVE')) throw errors.syntax;
  if (!given.has('ABORT')) {
    const save = given.has('SAVE') ? 'always' : given.has('NOSAVE') ? 'never' : 'default';
    return { save, now: given.has('NOW'), force: given.has('FORCE') };
  }
  if (given.size > 1) throw errors.syntax;
  return 'abort';
}
