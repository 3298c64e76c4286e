import type { PrefixReport } from '#stats';
import { call, CallContext } from '../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { commandTable } from '../table/all-commands.ts';

const prefixes = suite('PREFIXES');

const user: PrefixReport = {
  prefix: 'user:',
  ops: 1,
  hits: 2,
  misses: 3,
  inputBytes: 4,
  outputBytes: 5,
  keys: 6,
  memoryBytes: 7,
};
const other: PrefixReport = { ...user, prefix: '', keys: null, memoryBytes: null };

const contextWith = (entries: readonly PrefixReport[], protocol: 2 | 3 = 2): CallContext =>
  new CallContext({ ports: { prefixes: { entries } }, protocol });

const cases: readonly (readonly [line: string, reply: unknown])[] = [
  ['PREFIXES', "-ERR wrong number of arguments for 'prefixes' command"],
  ['PREFIXES NOPE', "-ERR unknown subcommand 'NOPE'. Try PREFIXES HELP."],
  ['PREFIXES GET x', "-ERR wrong number of arguments for 'prefixes|get' command"],
  ['PREFIXES HELP x', "-ERR wrong number of arguments for 'prefixes|help' command"],
];

for (const [line, reply] of cases) {
  prefixes(line, () => assert.equal(call(contextWith([user]), line), reply));
}

prefixes('GET answers a row for each, with nil for what is not known yet', () => {
  const counts = ['ops', 1, 'hits', 2, 'misses', 3, 'input-bytes', 4, 'output-bytes', 5];
  assert.equal(call(contextWith([user, other]), 'PREFIXES GET'), [
    ['prefix', 'user:', ...counts, 'keys', 6, 'memory-bytes', 7],
    ['prefix', '', ...counts, 'keys', null, 'memory-bytes', null],
  ]);
});

prefixes('rows are maps in RESP3', () => {
  const [row] = call(contextWith([user], 3), 'PREFIXES GET') as Map<string, unknown>[];
  assert.is(row!.get('memory-bytes'), 7);
});

prefixes('GET without prefixes says what to set', () => {
  assert.is(
    call(contextWith([]), 'PREFIXES GET'),
    '-ERR no key prefixes are configured, set key-prefixes.prefixes',
  );
});

prefixes('HELP names every subcommand', () => {
  const text = (call(contextWith([]), 'PREFIXES HELP') as string[]).join('\n');
  for (const { command } of commandTable.byName('PREFIXES')!.subcommands) {
    assert.match(text, command.name.slice(command.name.indexOf('|') + 1));
  }
});

prefixes.run();
