import { call, CallContext } from '../../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { commandTable } from '../../table/all-commands.ts';

const command = suite('command');

function context(protocol: 2 | 3 = 2): CallContext {
  return new CallContext({ protocol, ports: { commands: commandTable } });
}

const range = (index: number, last: number, step: number): unknown[] => [
  'begin_search',
  ['type', 'index', 'spec', ['index', index]],
  'find_keys',
  ['type', 'range', 'spec', ['lastkey', last, 'keystep', step, 'limit', 0]],
];

const getInfo = [
  'get',
  2,
  ['readonly', 'fast'],
  1,
  1,
  1,
  ['@read', '@string', '@fast'],
  [],
  [['flags', ['RO', 'access'], ...range(1, 0, 1)]],
  [],
];

const cases: readonly (readonly [line: string, reply: unknown])[] = [
  ['COMMAND COUNT', commandTable.topLevel.length],
  ['COMMAND INFO get nowhere', [getInfo, null]],
  ['COMMAND INFO object|nowhere a|b|c debug|sleep', [null, null, null]],
  ['COMMAND COUNT x', "-ERR wrong number of arguments for 'command|count' command"],
  ['COMMAND FOO', "-ERR unknown subcommand 'FOO'. Try COMMAND HELP."],
  ['COMMAND DOCS nowhere', []],
  ['COMMAND LIST FILTERBY MODULE x', []],
  ['COMMAND LIST FILTERBY ACLCAT nonsense', []],
  ['COMMAND LIST FILTERBY PATTERN xyz*', []],
  ['COMMAND LIST FILTERBY PATTERN PEXPIRE?T', ['pexpireat']],
  ['COMMAND LIST FILTERBY FOO x', '-ERR syntax error'],
  ['COMMAND LIST FILTERBY PATTERN', '-ERR syntax error'],
  ['COMMAND LIST FOO', '-ERR syntax error'],
  ['COMMAND GETKEYS GET a', ['a']],
  ['COMMAND GETKEYS XREAD STREAMS a b 0 0 0', ['a', 'b']],
  ['COMMAND GETKEYS XREAD STREAMS a b 0', ['a']],
  ['COMMAND GETKEYS mset a 1 b 2', ['a', 'b']],
  ['COMMAND GETKEYS LCS a b LEN', ['a', 'b']],
  ['COMMAND GETKEYS OBJECT ENCODING a', ['a']],
  ['COMMAND GETKEYS MEMORY USAGE a', ['a']],
  ['COMMAND GETKEYS OBJECT FOO a', '-ERR Invalid command specified'],
  ['COMMAND GETKEYS OBJECT', '-ERR The command has no key arguments'],
  ['COMMAND GETKEYS DEBUG OBJECT a', '-ERR The command has no key arguments'],
  ['COMMAND GETKEYS NOWHERE a', '-ERR Invalid command specified'],
  ['COMMAND GETKEYS DBSIZE', '-ERR The command has no key arguments'],
  ['COMMAND GETKEYS SPUBLISH a b', '-ERR The command has no key arguments'],
  ['COMMAND GETKEYS GET', '-ERR Invalid number of arguments specified for command'],
  ['COMMAND GETKEYS GET a b', '-ERR Invalid number of arguments specified for command'],
  ['COMMAND GETKEYS', "-ERR wrong number of arguments for 'command|getkeys' command"],
  ['COMMAND GETKEYS ZDIFFSTORE x 0 b', '-ERR Invalid arguments specified for command'],
  ['COMMAND GETKEYS GEORADIUS a 1 1 1 STORE b', ['a']],
  ['COMMAND GETKEYS GEORADIUS a 1 1 1 km STORE b', ['a', 'b']],
  ['COMMAND GETKEYS GEORADIUSBYMEMBER a m 1 km STORE b', ['a', 'b']],
  ['COMMAND GETKEYSANDFLAGS BITFIELD a GET u8', [['a', ['RW', 'access', 'update']]]],
  ['COMMAND GETKEYSANDFLAGS BITFIELD a OVERFLOW sat GET u8 0', [['a', ['RO', 'access']]]],
  ['COMMAND GETKEYSANDFLAGS GET a', [['a', ['RO', 'access']]]],
  ['COMMAND GETKEYSANDFLAGS SET a 1', [['a', ['OW', 'update']]]],
  ['COMMAND GETKEYSANDFLAGS SET a 1 get', [['a', ['RW', 'access', 'update']]]],
  [
    'COMMAND GETKEYSANDFLAGS SORT a BY x STORE b',
    [
      ['a', ['RO', 'access']],
      ['b', ['OW', 'update']],
    ],
  ],
  [
    'COMMAND GETKEYSANDFLAGS RENAME a b',
    [
      ['a', ['RW', 'access', 'delete']],
      ['b', ['OW', 'update']],
    ],
  ],
];

for (const [line, reply] of cases) {
  command(line, () => assert.equal(call(context(), line), reply));
}

command('the name alone tells of all commands, as INFO does', () => {
  const all = call(context(), 'COMMAND') as unknown[][];
  assert.is(all.length, commandTable.topLevel.length);
  assert.equal(all, call(context(), 'COMMAND INFO'));
  assert.equal(
    all.find(([name]) => name === 'get'),
    getInfo,
  );
});

command('a container tells of its subcommands, an opaque one does not', () => {
  const [object, debug] = call(context(), 'COMMAND INFO object debug') as unknown[][];
  const subcommands = object![9] as unknown[][];
  assert.ok(subcommands.some(([name]) => name === 'object|encoding'));
  assert.equal(debug![9], []);
});

command('in RESP3 flags, categories, tips and specs are sets', () => {
  const [info] = call(context(3), 'COMMAND INFO set') as unknown[][];
  assert.equal(info![2], new Set(['write', 'denyoom']));
  assert.instance(info![6], Set);
  assert.instance(info![7], Set);
  const [spec] = info![8] as Set<Map<string, unknown>>;
  assert.equal(spec!.get('flags'), new Set(['RW', 'access', 'update', 'variable_flags']));
  assert.type(spec!.get('notes'), 'string');
});

command('DOCS is a map of maps', () => {
  const docs = call(context(3), 'COMMAND DOCS setnx object') as Map<string, Map<string, unknown>>;
  const setnx = docs.get('setnx')!;
  assert.is(setnx.get('since'), '1.0.0');
  assert.is(setnx.get('group'), 'string');
  assert.equal(setnx.get('doc_flags'), new Set(['deprecated']));
  assert.is(setnx.get('replaced_by'), '`SET` with the `NX` argument');
  const [key] = setnx.get('arguments') as Map<string, unknown>[];
  assert.equal(
    key,
    new Map<string, unknown>([
      ['name', 'key'],
      ['type', 'key'],
      ['display_text', 'key'],
      ['key_spec_index', 0],
    ]),
  );
  const subcommands = docs.get('object')!.get('subcommands') as Map<string, unknown>;
  assert.ok(subcommands.has('object|freq'));
});

command('LIST names everything clients see, once', () => {
  const names = call(context(), 'COMMAND LIST') as string[];
  assert.is(new Set(names).size, names.length);
  assert.ok(names.includes('config|get'));
  assert.not.ok(names.includes('debug|sleep'));
  const dangerous = call(context(), 'COMMAND LIST FILTERBY ACLCAT Dangerous') as string[];
  assert.ok(dangerous.includes('flushall') && !dangerous.includes('get'));
});

command.run();
