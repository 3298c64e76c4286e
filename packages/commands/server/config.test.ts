import { pointedAt } from '#testkit';
import { call } from '../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Arguments } from '../arguments/arguments.ts';
import { commandTable } from '../table/all-commands.ts';
import { reportSecrecy } from './config.ts';
import { contextWithPorts } from './server.test-helper.ts';

const config = suite('CONFIG');

const cases: readonly (readonly [line: string, reply: unknown])[] = [
  ['CONFIG GET a b*', ['a', 'value of a', 'b*', 'value of b*']],
  ['CONFIG GET', "-ERR wrong number of arguments for 'config|get' command"],
  ['CONFIG SET a', "-ERR wrong number of arguments for 'config|set' command"],
  ['CONFIG SET a 1 b', '-ERR syntax error'],
  ['CONFIG SET nothing 1', '-ERR no such setting'],
  ['CONFIG FOO', "-ERR unknown subcommand 'FOO'. Try CONFIG HELP."],
  ['CONFIG', "-ERR wrong number of arguments for 'config' command"],
];

for (const [line, reply] of cases) {
  config(line, () => assert.equal(call(contextWithPorts().context, line), reply));
}

config('CONFIG REWRITE asks its port', () => {
  const { context, asked } = contextWithPorts();
  assert.is(call(context, 'CONFIG REWRITE'), 'OK');
  assert.equal(asked, ['rewrite']);
});

config('CONFIG SET answers when what was set is shown', async () => {
  const { context, asked } = contextWithPorts();
  assert.is(call(context, 'CONFIG SET a 1 b 2'), undefined);
  assert.equal(asked, ['set [["a","1"],["b","2"]]']);
  await new Promise(setImmediate);
  assert.equal(context.deferred.map(String), ['OK']);
});

config('CONFIG RESETSTAT answers when the counters are set back', async () => {
  const { context, asked } = contextWithPorts();
  assert.is(call(context, 'CONFIG RESETSTAT'), undefined);
  assert.equal(asked, ['reset']);
  await Promise.resolve();
  assert.equal(context.deferred.map(String), ['OK']);
});

/** Returns the indexes of the words of a command that are recorded nowhere. */
function secretWords(name: string, line: string): readonly number[] {
  return commandTable.byName(name)!.secretsOf(pointedAt(new Arguments(), line));
}

const secrets: readonly (readonly [name: string, line: string, hidden: readonly number[]])[] = [
  ['CONFIG|SET', 'CONFIG SET requirepass x port 1 MasterAuth y', [3, 6, 7]],
  ['CONFIG|SET', 'CONFIG SET RequirePass x', [3]],
  ['CONFIG|SET', 'CONFIG SET port 1', []],
  ['CONFIG|SET', 'CONFIG SET requirepass a b', [2, 3, 4]],
  ['CONFIG|SET', 'CONFIG SET port 1 x', [2, 3, 4]],
  ['CONFIG|SET', 'CONFIG SET requirepas x', [2, 3]],
  ['CONFIG|SET', 'CONFIG SET x requirepass', [2, 3]],
  ['AUTH', 'AUTH x', [1]],
  ['AUTH', 'AUTH a b c', [1, 2, 3]],
  ['HELLO', 'HELLO', []],
  ['HELLO', 'HELLO 3 AUTH u p SETNAME n', [3, 4]],
  ['HELLO', 'HELLO 3 SETNAME n AUTH u p', [5, 6]],
  ['HELLO', 'HELLO 9 AUTH u p', [3, 4]],
  ['HELLO', 'HELLO AUTH u p', [1, 2, 3]],
  ['HELLO', 'HELLO 3 AUTH p', [2, 3]],
  ['HELLO', 'HELLO 3 ATUH u p', [2, 3, 4]],
  ['HELLO', 'HELLO 3 AUTH u p q', [3, 4, 5]],
  ['HELLO', 'HELLO x u p', [1, 2, 3]],
];

for (const [name, line, hidden] of secrets) {
  config(`${line} leaves no secret`, () => {
    reportSecrecy(
      new Map([
        ['requirepass', true],
        ['port', false],
      ]),
    );
    assert.equal(secretWords(name, line), hidden);
  });
}

config('nothing of CONFIG SET is put down before secrets are known', () => {
  reportSecrecy(new Map());
  assert.equal(secretWords('CONFIG|SET', 'CONFIG SET port 1'), [2, 3]);
});

config.run();
