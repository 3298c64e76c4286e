import { call } from '../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { commandTable } from '../table/all-commands.ts';
import { contextWithPorts } from './server.test-helper.ts';

const server = suite('server');

const cases: readonly (readonly [line: string, reply: unknown])[] = [
  ['TIME', ['1700000000', '0']],
  ['ROLE', ['master', 100, [['10.0.0.1', '6380', '70']]]],
  ['REPLICAOF host 6379', 'OK'],
  ['SLAVEOF host 0', 'OK'],
  ['REPLICAOF same 1', 'OK Already connected to specified master'],
  ['REPLICAOF host x', '-ERR Invalid master port'],
  ['REPLICAOF host 65536', '-ERR Invalid master port'],
  ['REPLICAOF host -1', '-ERR Invalid master port'],
  ['SLAVEOF host', "-ERR wrong number of arguments for 'slaveof' command"],
  ['STATUS JSON', '{"status":1}'],
  ['STATUS JSON now', "-ERR wrong number of arguments for 'status|json' command"],
  ['STATUS nothing', "-ERR unknown subcommand 'nothing'. Try STATUS HELP."],
  ['INFO', '# default'],
  ['INFO Server CPU', '# server,cpu'],
  ['SHUTDOWN FOO', '-ERR syntax error'],
  ['SHUTDOWN SAVE NOSAVE', '-ERR syntax error'],
  ['SHUTDOWN ABORT NOW', '-ERR syntax error'],
  ['SHUTDOWN ABORT', '-ERR No shutdown in progress.'],
  ['LOLWUT VERSION x', '-ERR value is not an integer or out of range'],
];

for (const [line, reply] of cases) {
  server(line, () => assert.equal(call(contextWithPorts().context, line), reply));
}

const endings: readonly (readonly [line: string, options: object])[] = [
  ['SHUTDOWN', { save: 'default', now: false, force: false }],
  ['SHUTDOWN NOSAVE', { save: 'never', now: false, force: false }],
  ['SHUTDOWN SAVE NOW FORCE', { save: 'always', now: true, force: true }],
];

for (const [line, options] of endings) {
  server(`${line} ends the server without a reply`, () => {
    const { context, asked } = contextWithPorts();
    assert.is(call(context, line), undefined);
    assert.equal(asked, [`shutdown ${JSON.stringify(options)}`]);
    assert.is(call(context, 'SHUTDOWN ABORT'), 'OK');
  });
}

server('REPLICAOF tells whose replica the server is to be', () => {
  const { context, asked } = contextWithPorts();
  call(context, 'REPLICAOF host 6380');
  call(context, 'SLAVEOF no oNe');
  call(context, 'REPLICAOF no 1');
  assert.equal(asked, ['replicaOf "host" 6380', 'replicaOfNone', 'replicaOf "no" 1']);
});

server('LOLWUT is a picture and the version', () => {
  const { context } = contextWithPorts();
  for (const line of ['LOLWUT', 'LOLWUT VERSION 5', 'LOLWUT 1 2 3']) {
    const text = call(context, line) as string;
    assert.match(text, /\nRedis ver\. 7\.4\.1\n$/);
    assert.is(text.split('\n').length, 14);
  }
});

for (const line of [
  'CONFIG HELP',
  'MEMORY HELP',
  'MODULE HELP',
  'COMMAND HELP',
  'DEBUG HELP',
  'OBJECT HELP',
  'HOTKEYS HELP',
]) {
  server(`${line} has Redis' layout and names every subcommand`, () => {
    const [name = ''] = line.split(' ');
    const lines = call(contextWithPorts().context, line) as string[];
    assert.is(lines[0], `${name} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:`);
    assert.equal(lines.slice(-2), ['HELP', '    Print this help.']);
    for (const { command } of commandTable.byName(name)!.subcommands) {
      const subcommand = command.name.split('|')[1]!;
      assert.ok(
        lines.some((each) => each === subcommand || each.startsWith(`${subcommand} `)),
        subcommand,
      );
    }
  });
}

server('has no modules, and loads none', () => {
  const { context } = contextWithPorts();
  assert.equal(call(context, 'MODULE LIST'), []);
  assert.is(
    call(context, 'MODULE LOAD /lib/one.so'),
    "-ERR unknown subcommand 'LOAD'. Try MODULE HELP.",
  );
});

server.run();
