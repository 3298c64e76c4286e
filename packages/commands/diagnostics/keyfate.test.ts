/** KEYFATE: its grammar with every error, and the shape of its replies. */
import type { Reply } from '#testkit';
import { call, CallContext } from '../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { commandTable } from '../table/all-commands.ts';
import type { RemovedKeyEntry, KeyFatePort } from './ports.ts';

const keyfate = suite('KEYFATE');

const removed: RemovedKeyEntry = {
  id: 7,
  unixMs: 1_700_000_000_000.9,
  database: 2,
  shard: 1,
  keys: 1,
  keyBytes: 200,
  key: Buffer.from([0, 255, 13, 10]),
  fate: 'deleted',
  command: 'del',
  client: { id: 4, address: '127.0.0.1:5', name: 'me', user: 'default' },
};
const exclusive: RemovedKeyEntry = {
  ...removed,
  fate: 'expired-active',
  command: '',
  client: null,
};

function fixture(protocol: 2 | 3 = 2, database = 0) {
  const asked: unknown[] = [];
  const keyFates: KeyFatePort = {
    length: 5,
    counts: [
      ['expired-active', 1],
      ['deleted', 2],
    ],
    newest: (count, of) => {
      asked.push(of === undefined ? [count] : [count, of.database, Buffer.from(of.key).toString()]);
      return Promise.resolve([removed, exclusive]);
    },
    reset: () => {
      asked.push('reset');
      return Promise.resolve();
    },
  };
  const client = { session: { database } };
  const context = new CallContext({ ports: { keyFates }, protocol, client });
  return { context, asked };
}

const tooMany = (name: string): string =>
  `-ERR unknown subcommand or wrong number of arguments for '${name}'. Try KEYFATE HELP.`;

const cases: readonly (readonly [line: string, reply: unknown])[] = [
  ['KEYFATE', "-ERR wrong number of arguments for 'keyfate' command"],
  ['KEYFATE NOPE', "-ERR unknown subcommand 'NOPE'. Try KEYFATE HELP."],
  ['KEYFATE LEN', 5],
  ['KEYFATE LEN x', "-ERR wrong number of arguments for 'keyfate|len' command"],
  ['KEYFATE RESET x', "-ERR wrong number of arguments for 'keyfate|reset' command"],
  ['KEYFATE COUNTS x', "-ERR wrong number of arguments for 'keyfate|counts' command"],
  ['KEYFATE HELP x', "-ERR wrong number of arguments for 'keyfate|help' command"],
  ['KEYFATE COUNTS', ['expired-active', 1, 'deleted', 2]],
  ['KEYFATE GET -2', '-ERR count should be greater than or equal to -1'],
  ['KEYFATE GET x', '-ERR count should be greater than or equal to -1'],
  ['KEYFATE GET 1 2', tooMany('GET')],
  ['KEYFATE KEY', "-ERR wrong number of arguments for 'keyfate|key' command"],
  ['KEYFATE KEY k -2', '-ERR count should be greater than or equal to -1'],
  ['KEYFATE KEY k x', '-ERR count should be greater than or equal to -1'],
  ['KEYFATE KEY k 1 2', tooMany('KEY')],
];

for (const [line, reply] of cases) {
  keyfate(line, () => {
    const { context, asked } = fixture();
    assert.equal(call(context, line), reply);
    assert.equal(asked, []);
  });
}

const requests: readonly (readonly [line: string, asked: unknown])[] = [
  ['KEYFATE GET', [10]],
  ['KEYFATE GET 0', [0]],
  ['KEYFATE GET -1', [Infinity]],
  ['KEYFATE KEY name', [10, 3, 'name']],
  ['KEYFATE KEY name 2', [2, 3, 'name']],
  ['KEYFATE KEY name -1', [Infinity, 3, 'name']],
  ['KEYFATE RESET', 'reset'],
];

for (const [line, expected] of requests) {
  keyfate(`${line} asks its port`, () => {
    const { context, asked } = fixture(2, 3);
    call(context, line);
    assert.equal(asked, [expected]);
  });
}

async function later(line: string, protocol: 2 | 3 = 2): Promise<Reply | undefined> {
  const { context } = fixture(protocol);
  assert.is(call(context, line), undefined, 'the reply is left for later');
  await new Promise((resolve) => setImmediate(resolve));
  return context.deferred[0];
}

keyfate('GET tells all of a removed key, with any bytes', async () => {
  const common = [
    ...['id', 7, 'unix-time-ms', 1_700_000_000_000, 'db', 2, 'shard', 1, 'keys', 1],
    ...['key-length', 200],
  ];
  const key = ['key', '\0\xff\r\n'];
  assert.equal(await later('KEYFATE GET'), [
    [
      ...[...common, 'client-id', 4, ...key, 'reason', 'deleted', 'command', 'del'],
      ...['client-addr', '127.0.0.1:5', 'client-name', 'me', 'user', 'default'],
    ],
    [
      ...[...common, 'client-id', 0, ...key, 'reason', 'expired-active', 'command', ''],
      ...['client-addr', '', 'client-name', '', 'user', ''],
    ],
  ]);
});

keyfate('removed keys and counts are maps in RESP3', async () => {
  const [first] = (await later('KEYFATE KEY k', 3)) as Map<string, Reply>[];
  assert.is(first!.get('reason'), 'deleted');
  assert.is(first!.size, 13);
  const counts = call(fixture(3).context, 'KEYFATE COUNTS') as Map<string, number>;
  assert.is(counts.get('deleted'), 2);
});

keyfate('RESET answers when the shards have', async () => {
  assert.is(await later('KEYFATE RESET'), 'OK');
});

keyfate('HELP names every subcommand', () => {
  const text = (call(fixture().context, 'KEYFATE HELP') as string[]).join('\n');
  for (const { command } of commandTable.byName('KEYFATE')!.subcommands) {
    assert.match(text, command.name.slice(command.name.indexOf('|') + 1));
  }
});

keyfate.run();
