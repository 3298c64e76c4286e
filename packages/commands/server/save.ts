/** SAVE, BGSAVE, BGREWRITEAOF, LASTSAVE: snapshots. */

import { CommandError, errors } from '#base';
import { onMain } from '../definition/definition.ts';
import { noKeys } from '../definition/keys.ts';
import type { SavingPort, ServerContext } from './ports/ports.ts';

const scheduleAdvice = new CommandError(
  'ERR Background save already in progress, use BGSAVE SCHEDULE to have one follow it',
);

function demand(saving: SavingPort | undefined): SavingPort {
  if (saving === undefined) throw errors.notDurable;
  return saving;
}

/** Begins a snapshot, or has one follow the transaction: it would have one half of it, and the log the other. */
function begin(
  { saving, mayBlock }: ServerContext,
  schedule: boolean,
): 'started' | 'scheduled' | 'busy' {
  const port = demand(saving);
  if (mayBlock || (port.isSaving && !schedule)) return port.saveInBackground(schedule);
  port.saveLater();
  return 'scheduled';
}

const save = onMain<ServerContext>({
  name: 'SAVE',
  summary:
    'Takes a snapshot and returns once it is on disk; other clients are served in the meantime.',
  since: '1.0.0',
  complexity: 'O(N) for N keys.',
  group: 'server',
  arity: 1,
  flags: ['admin', 'noscript', 'no_async_loading', 'no_multi'],
  keys: noKeys,
  args: [],
  run(context) {
    const saving = demand(context.saving);
    if (saving.isSaving) throw errors.saveInProgress;
    const answer = context.defer();
    saving.save().then(
      () => {
        answer((reply) => {
          reply.ok();
        });
      },
      (error: unknown) => {
        answer((reply) => {
          reply.error(errors.saveFailed((error as Error).message));
        });
      },
    );
  },
});

const bgsave = onMain<ServerContext>({
  name: 'BGSAVE',
  summary: 'Starts a snapshot in the background.',
  since: '1.0.0',
  complexity: 'O(1)',
  group: 'server',
  arity: -1,
  flags: ['admin', 'noscript', 'no_async_loading'],
  keys: noKeys,
  args: [
    { name: 'schedule', type: 'pure-token', token: 'SCHEDULE', since: '3.2.2', optional: true },
  ],
  history: [['3.2.2', 'Added SCHEDULE.']],
  run(context, args) {
    const schedule = args.takes('SCHEDULE');
    if (args.more) throw errors.syntax;
    const outcome = begin(context, schedule);
    if (outcome === 'busy') throw scheduleAdvice;
    context.reply.simple(
      outcome === 'started' ? 'Background saving started' : 'Background saving scheduled',
    );
  },
});

const bgrewriteaof = onMain<ServerContext>({
  name: 'BGREWRITEAOF',
  summary: 'Compacts the log: takes a snapshot, after which a new log starts.',
  since: '1.0.0',
  complexity: 'O(1)',
  group: 'server',
  arity: 1,
  flags: ['admin', 'noscript', 'no_async_loading'],
  keys: noKeys,
  args: [],
  run(context) {
    const outcome = begin(context, true);
    context.reply.simple(
      outcome === 'started'
        ? 'Background append only file rewriting started'
        : 'Background append only file rewriting scheduled',
    );
  },
});

const lastsave = onMain<ServerContext>({
  name: 'LASTSAVE',
  summary:
    'Returns the Unix time of the last finished snapshot, in seconds, or the start of the server before the first one.',
  since: '1.0.0',
  complexity: 'O(1)',
  group: 'server',
  arity: 1,
  flags: ['loading', 'stale', 'fast'],
  keys: noKeys,
  args: [],
  acl: { add: ['admin', 'dangerous'] },
  tips: ['nondeterministic_output'],
  run(context) {
    context.reply.integer(Math.floor((context.saving?.lastSaveMs ?? context.startedMs) / 1_000));
  },
});

export const serverSaving = [save, bgsave, bgrewriteaof, lastsave];
