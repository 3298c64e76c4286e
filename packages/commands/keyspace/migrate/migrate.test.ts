/** MIGRATE: its words, what it answers, and what is secret of it. What moves keys is played by the test. */

import { CommandError } from '#base';
import { pointedAt } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { call, CallContext } from '../../call.test-helper.ts';
import {
  Arguments,
  commandTable,
  findKeys,
  type Migration,
  type MigrationOutcome,
} from '../../index.ts';

const migrating = suite('MIGRATE');

const entry = commandTable.byName('MIGRATE')!;

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** Runs a line; returns its immediate or later reply, and the migration that it has started. */
async function migrate(
  line: string | readonly string[],
  outcome: MigrationOutcome = 'moved',
): Promise<{ reply: unknown; begun: object | undefined }> {
  const asked: Migration[] = [];
  const move = (migration: Migration): Promise<MigrationOutcome> => {
    asked.push(migration);
    return Promise.resolve(outcome);
  };
  const context = new CallContext({ ports: { migrations: { move } } });
  const atOnce = call(context, line);
  await new Promise(setImmediate);
  const [migration] = asked;
  const begun = migration && {
    ...migration,
    keys: migration.keys.map(text),
    credentials: migration.credentials.map(text),
  };
  return { reply: begun === undefined ? atOnce : context.deferred[0], begun };
}

const usual = {
  host: 'h',
  port: 1,
  database: '0',
  timeoutMs: 5,
  isCopy: false,
  replaces: false,
  credentials: [] as string[],
  keys: ['k'],
};

const understood: readonly (readonly [line: string, differs: Partial<typeof usual>])[] = [
  ['MIGRATE h 1 k 0 5', {}],
  ['migrate h 1 k 0 5 copy Replace', { isCopy: true, replaces: true }],
  ['MIGRATE h 1 k -7 0', { database: '-7', timeoutMs: 1_000 }],
  ['MIGRATE h 1 k 9223372036854775807 -1', { database: '9223372036854775807', timeoutMs: 1_000 }],
  ['MIGRATE h 6379x k 0 5', { port: 6379 }],
  ['MIGRATE h none k 0 5', { port: 0 }],
  ['MIGRATE h 1 k 0 5 AUTH keys', { credentials: ['keys'] }],
  ['MIGRATE h 1 k 0 5 AUTH a AUTH2 b c COPY', { credentials: ['b', 'c'], isCopy: true }],
  ['MIGRATE h 1 "" 0 5', { keys: [''] }],
  ['MIGRATE h 1 "" 0 5 COPY KEYS a b a', { isCopy: true, keys: ['a', 'b', 'a'] }],
  ['MIGRATE h 1 "" 0 5 KEYS', { keys: [] }],
];

for (const [line, differs] of understood) {
  migrating(`${line} is understood`, async () => {
    assert.equal((await migrate(line)).begun, { ...usual, ...differs });
  });
}

const refused: readonly (readonly [line: string, error: string])[] = [
  ['MIGRATE h 1 k 0 5 nonsense', 'ERR syntax error'],
  ['MIGRATE h 1 k 0 5 AUTH', 'ERR syntax error'],
  ['MIGRATE h 1 k 0 5 AUTH2 a', 'ERR syntax error'],
  // Words come before numbers.
  ['MIGRATE h 1 k x y nonsense', 'ERR syntax error'],
  ['MIGRATE h 1 k x 5', 'ERR value is not an integer or out of range'],
  ['MIGRATE h 1 k 0 5.5', 'ERR value is not an integer or out of range'],
  [
    'MIGRATE h 1 k x y KEYS a',
    'ERR When using MIGRATE KEYS option, the key argument must be set to the empty string',
  ],
];

for (const [line, error] of refused) {
  migrating(`${line} is refused`, async () => {
    const { reply, begun } = await migrate(line);
    assert.is(reply, `-${error}`);
    assert.is(begun, undefined);
  });
}

const answers: readonly (readonly [outcome: MigrationOutcome, reply: string])[] = [
  ['moved', 'OK'],
  ['none', 'NOKEY'],
  [{ brokenOff: 'connecting' }, 'IOERR error or timeout connecting to the client'],
  [{ brokenOff: 'writing' }, 'IOERR error or timeout writing to target instance'],
  [{ brokenOff: 'reading' }, 'IOERR error or timeout reading to target instance'],
  [{ answered: 'BUSYKEY taken' }, 'ERR Target instance replied with error: BUSYKEY taken'],
  [{ error: new CommandError('ERR ours') }, 'ERR ours'],
];

for (const [outcome, expected] of answers) {
  migrating(`${JSON.stringify(outcome)} is answered with ${expected}`, async () => {
    const { reply } = await migrate('MIGRATE h 1 k 0 5', outcome);
    assert.is(reply, typeof outcome === 'string' ? expected : `-${expected}`);
  });
}

const keys: readonly (readonly [line: string, indexes: readonly number[]])[] = [
  ['MIGRATE h 1 k 0 5', [3]],
  ['MIGRATE h 1 k 0 5 COPY AUTH keys', [3]],
  ['MIGRATE h 1 k 0 5 AUTH2 keys keys', [3]],
  ['MIGRATE h 1 "" 0 5 AUTH2 keys keys KEYS a b', [10, 11]],
  ['MIGRATE h 1 "" 0 5 KEYS keys', [7]],
  ['MIGRATE h 1 "" 0 5 KEYS', []],
  // A mistake, which is for the command to find.
  ['MIGRATE h 1 k 0 5 KEYS a', []],
];

for (const [line, indexes] of keys) {
  migrating(`the keys of ${line}`, () => {
    const found = findKeys(entry.command.keys, pointedAt(new Arguments(), line));
    assert.equal(
      found?.map(({ index }) => index),
      indexes,
    );
  });
}

const secrets: readonly (readonly [line: string, indexes: readonly number[]])[] = [
  ['MIGRATE h 1 k 0 5', []],
  ['MIGRATE h 1 k 0 5 AUTH s', [7]],
  ['MIGRATE h 1 k 0 5 COPY AUTH s AUTH2 s s REPLACE', [8, 10, 11]],
  ['MIGRATE h 1 "" 0 5 AUTH s KEYS AUTH a', [7]],
  // What is not understood may be one.
  ['MIGRATE h 1 k 0 5 AUHT s', [6, 7]],
  ['MIGRATE h 1 k 0 5 AUTH2 s', [6, 7]],
];

for (const [line, indexes] of secrets) {
  migrating(`the secrets of ${line}`, () => {
    assert.equal(entry.secretsOf(pointedAt(new Arguments(), line)), indexes);
  });
}

migrating.run();
