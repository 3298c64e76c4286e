/** Possibly stale data: with `replica-serve-stale-data no` no client reads it, not by scripts or transactions either. */

import {
  type ChildServer,
  keyPerShard,
  ReplyError,
  type RespClient,
  startServer,
  textOf,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const stale = suite('data that may be old');

const DOWN = "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.";
const NOT_ALLOWED =
  "MASTERDOWN Link with MASTER is down, replica-serve-stale-data is set to 'no' and 'allow-stale' flag is not set on the script.";
const READ = "return redis.call('GET', KEYS[1])";
const LIBRARY = `#!lua name=lib
redis.register_function{function_name='strict', callback=function() return 1 end, flags={'no-writes'}}
redis.register_function{function_name='easy', callback=function(keys) return redis.call('GET', keys[1]) end,
  flags={'no-writes', 'allow-stale'}}
redis.register_function{function_name='echo', callback=function() return redis.call('ECHO', 'x') end,
  flags={'no-writes', 'allow-stale'}}`;

let server: ChildServer;
let client: RespClient;
let key: string;
let digest: string;

/** Reply as text; of an array its elements. */
function shown(reply: unknown): string {
  if (Array.isArray(reply)) return reply.map(shown).join(' | ');
  return reply instanceof ReplyError ? reply.message : textOf(reply as string);
}

stale.before(async () => {
  server = await startServer({ shards: 2 });
  client = await server.client();
  [key] = keyPerShard(2) as [string, string];
  await client.call('SET', key, 'old');
  await client.call('FUNCTION', 'LOAD', LIBRARY);
  digest = textOf(await client.call('SCRIPT', 'LOAD', READ));
  await client.call('CONFIG', 'SET', 'replica-serve-stale-data', 'no');
  await client.call('REPLICAOF', '127.0.0.1', '1');
});

stale.after(async () => {
  await server.stop();
});

const cases = (): readonly (readonly [words: readonly string[], wanted: RegExp])[] => [
  [['GET', key], exactly(DOWN)],
  [['EVAL', READ, '1', key], exactly(DOWN)],
  [['EVAL', 'return 1', '0'], exactly(DOWN)],
  [['EVAL_RO', READ, '1', key], exactly(DOWN)],
  [['EVALSHA', digest, '1', key], exactly(DOWN)],
  [['EVALSHA_RO', digest, '1', key], exactly(DOWN)],
  [['EVAL', `#!lua flags=no-writes\n${READ}`, '1', key], exactly(NOT_ALLOWED)],
  [['EVAL', '#!lua flags=no-writes,allow-stale\nreturn 7', '0'], /^7$/],
  [
    ['EVAL', `#!lua flags=no-writes,allow-stale\n${READ}`, '1', key],
    /^ERR Can not execute the command on a stale replica/,
  ],
  [['FCALL', 'strict', '0'], exactly(NOT_ALLOWED)],
  [['FCALL_RO', 'strict', '0'], exactly(NOT_ALLOWED)],
  [['FCALL', 'easy', '1', key], /^ERR Can not execute the command on a stale replica/],
  [['FCALL_RO', 'echo', '0'], /^x$/],
];

function exactly(text: string): RegExp {
  return new RegExp(`^${text.replaceAll(/[().]/g, String.raw`\$&`)}$`);
}

stale('scripts say so, each by its flags', async () => {
  for (const [words, wanted] of cases()) {
    assert.match(shown(await client.reply(...words)), wanted, words.join(' '));
  }
});

for (const [where, others] of [
  ['a transaction', []],
  ['a transaction that is conducted', [['PUBLISH', 'c', 'm']]],
] as const) {
  stale(`the same in ${where}`, async () => {
    for (const [words, wanted] of cases().slice(1)) {
      await client.call('MULTI');
      for (const other of others) await client.call(...other);
      await client.call(...words);
      const reply = (await client.reply('EXEC')) as unknown[];
      assert.match(shown(reply.at(-1)), wanted, words.join(' '));
    }
  });
}

stale('all is served again by who follows nobody', async () => {
  await client.call('REPLICAOF', 'NO', 'ONE');
  assert.is(textOf(await client.call('EVAL', READ, '1', key)), 'old');
  assert.is(textOf(await client.call('FCALL', 'easy', '1', key)), 'old');
  await client.call('REPLICAOF', '127.0.0.1', '1');
  assert.is(shown(await client.reply('EVAL_RO', READ, '1', key)), DOWN);
  await client.call('CONFIG', 'SET', 'replica-serve-stale-data', 'yes');
  assert.is(textOf(await client.call('EVAL_RO', READ, '1', key)), 'old');
});

stale.run();
