/** MIGRATE: keys are moved to another server, which takes them by RESTORE. */

import { type Bytes, CommandError, errors } from '#base';
import type { ReplyWriter } from '#resp';
import { answerLater } from '../../contexts/answer-later.ts';
import { indexesFrom, type Arguments, type ArgumentSource } from '../../arguments/arguments.ts';
import { onMain } from '../../definition/definition.ts';
import type { FoundKey, KeySpec } from '../../definition/keys.ts';
import type { Migration, MigrationContext, MigrationOutcome } from './ports.ts';

const HOST_INDEX = 1;
const PORT_INDEX = 2;
const KEY_INDEX = 3;
const DATABASE_INDEX = 4;
const TIMEOUT_INDEX = 5;
const OPTIONS_INDEX = 6;

const USUAL_TIMEOUT_MS = 1_000;

const keyBesidesKeys = new CommandError(
  'ERR When using MIGRATE KEYS option, the key argument must be set to the empty string',
);

const moved: Pick<KeySpec, 'access' | 'use'> = { access: 'RW', use: ['access', 'delete'] };
const toTheEnd = { last: -1, step: 1, limit: 0 };

const migrate = onMain<MigrationContext>({
  name: 'MIGRATE',
  summary: 'Moves keys to another server.',
  since: '2.6.0',
  complexity: 'O(N) in the bytes of the values, as DUMP here and RESTORE there.',
  group: 'generic',
  arity: -6,
  flags: ['write'],
  acl: { add: ['dangerous'] },
  tips: ['nondeterministic_output'],
  looksUpKeys: true,
  keys: {
    specs: [
      { ...moved, begin: { index: KEY_INDEX }, find: { last: 0, step: 1, limit: 0 } },
      {
        ...moved,
        begin: { keyword: 'KEYS', startFrom: -2 },
        find: toTheEnd,
        isIncomplete: true,
      },
    ],
    find: findMoved,
  },
  args: [
    { name: 'host', type: 'string' },
    { name: 'port', type: 'integer' },
    {
      name: 'key-selector',
      type: 'oneof',
      arguments: [
        { name: 'key', type: 'key' },
        { name: 'empty-string', type: 'pure-token', token: '' },
      ],
    },
    { name: 'destination-db', type: 'integer' },
    { name: 'timeout', type: 'integer' },
    { name: 'copy', type: 'pure-token', token: 'COPY', since: '3.0.0', optional: true },
    { name: 'replace', type: 'pure-token', token: 'REPLACE', since: '3.0.0', optional: true },
    {
      name: 'authentication',
      type: 'oneof',
      optional: true,
      arguments: [
        { name: 'auth', type: 'string', shown: 'password', token: 'AUTH', since: '4.0.7' },
        {
          name: 'auth2',
          type: 'block',
          token: 'AUTH2',
          since: '6.0.0',
          arguments: [
            { name: 'username', type: 'string' },
            { name: 'password', type: 'string' },
          ],
        },
      ],
    },
    {
      name: 'keys',
      type: 'key',
      shown: 'key',
      token: 'KEYS',
      since: '3.0.6',
      keySpec: 1,
      optional: true,
      multiple: true,
    },
  ],
  history: [
    ['3.0.0', 'Added COPY and REPLACE.'],
    ['3.0.6', 'Added KEYS.'],
    ['4.0.7', 'Added AUTH.'],
    ['6.0.0', 'Added AUTH2.'],
  ],
  secret: secretsOf,
  run(context, args) {
    answerLater(context, context.migrations.move(readMigration(args)), writeOutcome);
  },
});

export const keyMigration = [migrate];

function readMigration(args: Arguments): Migration {
  let isCopy = false;
  let replaces = false;
  let credentials: readonly Bytes[] = [];
  let keys: readonly Bytes[] | undefined;
  args.position = OPTIONS_INDEX;
  while (args.more && keys === undefined) {
    if (args.takes('COPY')) isCopy = true;
    else if (args.takes('REPLACE')) replaces = true;
    else if (args.takes('AUTH')) credentials = [args.bytes().slice()];
    else if (args.takes('AUTH2')) credentials = [args.bytes().slice(), args.bytes().slice()];
    else if (args.takes('KEYS')) keys = readKeys(args);
    else throw errors.syntax;
  }
  const timeout = args.roundedAt(TIMEOUT_INDEX);
  return {
    host: args.latin1(HOST_INDEX),
    // As C reads it: what is no number is no port, and cannot be connected to.
    port: Number.parseInt(args.latin1(PORT_INDEX), 10) || 0,
    database: String(args.integer64At(DATABASE_INDEX)),
    timeoutMs: timeout > 0 ? timeout : USUAL_TIMEOUT_MS,
    isCopy,
    replaces,
    credentials,
    keys: keys ?? [args.copy(KEY_INDEX)],
  };
}

function readKeys(args: Arguments): readonly Bytes[] {
  if (args.length(KEY_INDEX) > 0) throw keyBesidesKeys;
  return indexesFrom(args.position, args.count).map((index) => args.copy(index));
}

function writeOutcome(reply: ReplyWriter, outcome: MigrationOutcome): void {
  if (outcome === 'moved') reply.ok();
  else if (outcome === 'none') reply.simple('NOKEY');
  else reply.error(errorOf(outcome));
}

function errorOf(outcome: Exclude<MigrationOutcome, string>): CommandError {
  if ('error' in outcome) return outcome.error;
  if ('answered' in outcome) {
    return new CommandError(`ERR Target instance replied with error: ${outcome.answered}`);
  }
  const { brokenOff } = outcome;
  return brokenOff === 'connecting'
    ? new CommandError('IOERR error or timeout connecting to the client')
    : new CommandError(`IOERR error or timeout ${brokenOff} to target instance`);
}

/** Number of words that belong to an option, itself included; 0 where it is none. */
function optionWords(args: Pick<ArgumentSource, 'spellsAt'>, index: number): number {
  if (args.spellsAt(index, 'COPY') || args.spellsAt(index, 'REPLACE')) return 1;
  if (args.spellsAt(index, 'AUTH')) return 2;
  return args.spellsAt(index, 'AUTH2') ? 3 : 0;
}

/** Keys behind KEYS, unless a key stands before the options too, which is a mistake. */
function findMoved(args: ArgumentSource, specs: readonly KeySpec[]): readonly FoundKey[] {
  // This finds all keys, although the spec is marked as incomplete for clients.
  const [spec] = specs as readonly [KeySpec];
  let index = OPTIONS_INDEX;
  while (index < args.count && !args.spellsAt(index, 'KEYS')) {
    index += Math.max(optionWords(args, index), 1);
  }
  if (index >= args.count) return [{ index: KEY_INDEX, spec }];
  if (args.length(KEY_INDEX) > 0) return [];
  return indexesFrom(index + 1, args.count).map((nth) => ({ index: nth, spec }));
}

/** Words of AUTH and AUTH2; all from where the words cease to make sense. */
function secretsOf(args: Arguments): readonly number[] {
  const secrets: number[] = [];
  let index = OPTIONS_INDEX;
  while (index < args.count && !args.spellsAt(index, 'KEYS')) {
    const words = optionWords(args, index);
    if (words === 0 || index + words > args.count) {
      return [...secrets, ...indexesFrom(index, args.count)];
    }
    for (let nth = 1; nth < words; nth += 1) secrets.push(index + nth);
    index += words;
  }
  return secrets;
}
