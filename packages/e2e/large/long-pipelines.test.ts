/** Long pipelines and commands with thousands of keys: what they cost grows with their length, and others are served. */
// test-tier: long
import {
  type ChildServer,
  encodeCommand,
  type Push,
  type RespClient,
  startServer,
  textOf,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const pipelines = suite('long pipelines');

const WAITING_COMMANDS = 60_000;
const KEYS = 20_000;

let server: ChildServer;
let client: RespClient;
let other: RespClient;

pipelines.before(async () => {
  server = await startServer({ shards: 2 });
  client = await server.client();
  other = await server.client();
});
pipelines.after(async () => {
  await server.stop();
});

const keys = (prefix: string): string[] =>
  Array.from({ length: KEYS }, (_, nth) => `${prefix}${nth}`);

pipelines(
  'a hundred thousand commands that may wait are answered one after the other',
  async () => {
    await client.call('RPUSH', '{a}source', ...keys('e'));
    const move = ['BLMOVE', '{a}source', '{a}source', 'LEFT', 'RIGHT', '0'];
    const replies = await client.pipeline(new Array<string[]>(WAITING_COMMANDS).fill(move));
    assert.equal(replies.length, WAITING_COMMANDS);
    assert.equal(replies[0], 'e0');
    assert.equal(replies.at(-1), `e${(WAITING_COMMANDS - 1) % KEYS}`);
  },
);

const overShards: readonly (readonly [name: string, command: readonly (string | number)[]])[] = [
  ['SUNION', ['SUNION', ...keys('none')]],
  ['SDIFFSTORE', ['SDIFFSTORE', 'target', ...keys('none')]],
  ['ZUNION', ['ZUNION', KEYS, ...keys('none')]],
  ['BITOP', ['BITOP', 'OR', 'target', ...keys('none')]],
  ['PFMERGE', ['PFMERGE', 'target', ...keys('none')]],
  ['PFCOUNT', ['PFCOUNT', ...keys('none')]],
  ['MSETNX', ['MSETNX', ...keys('new').flatMap((key) => [key, 'value'])]],
  ['BLPOP', ['BLPOP', ...keys('none'), '0.001']],
  ['XREAD', ['XREAD', 'STREAMS', ...keys('none'), ...keys('').map(() => '0')]],
];

for (const [name, command] of overShards) {
  pipelines(`${name} with ${KEYS} keys on two shards is answered`, async () => {
    // What looks at every key for every key would take minutes.
    await client.call(...command);
  });
}

pipelines('a key that is named often is lent once', async () => {
  await client.call('SADD', 'none1', 'member');
  const often = keys('none').flatMap((key) => [key, key, 'none1']);
  assert.equal(await client.pipeline([['SUNION', ...often]]), [['member']]);
});

pipelines('one client with a thousand long commands leaves others their turn', async () => {
  const flood = 3_000;
  let answered = 0;
  const replies = Array.from({ length: flood }, async () => {
    await client.receive();
    answered += 1;
  });
  client.raw(Buffer.concat(new Array<Buffer>(flood).fill(encodeCommand(['INFO', 'everything']))));
  await other.call('PING');
  await other.call('GET', 'key');
  assert.ok(answered < flood, 'the other client was answered before the whole pipeline was');
  await Promise.all(replies);
});

pipelines('what main answers by itself sees what was sent before it', async () => {
  await other.call('FLUSHALL');
  const sets = Array.from({ length: 50 }, (_, nth) => ['SET', `key${nth}`, 'value']);
  for (let round = 1; round <= 20; round += 1) {
    const replies = await client.pipeline([...sets, ['INFO', 'keyspace'], ['FLUSHALL']]);
    assert.match(textOf(replies[50]), /db0:keys=50,/);
  }
});

pipelines('a subscription does not hear of what its client has done before it', async () => {
  await other.call('CONFIG', 'SET', 'notify-keyspace-events', 'KEA');
  for (let round = 0; round < 20; round += 1) {
    const listener = await server.client();
    await listener.call('HELLO', '3');
    const commands = [
      ['SET', 'mine', 'before'],
      ['SUBSCRIBE', '__keyspace@0__:mine'],
      ['SET', 'mine', 'after'],
      ['UNSUBSCRIBE', '__keyspace@0__:mine'],
      ['SET', 'mine', 'later'],
      ['PING', 'end'],
    ];
    const replies = ['OK', 'OK', 'OK', 'end'].map(() => listener.receive());
    listener.raw(Buffer.concat(commands.map((words) => encodeCommand(words))));
    assert.equal(await Promise.all(replies), ['OK', 'OK', 'OK', 'end']);
    const kinds = listener.pushes.map((push) => (push as Push).items[0]);
    assert.equal(kinds, ['subscribe', 'message', 'unsubscribe']);
    await listener.end();
  }
});

pipelines('whoever is listed as blocked can be unblocked, by the first who asks', async () => {
  const waits = [
    ['BLPOP', 'no1', '0'],
    ['BLPOP', 'no1', 'no2', 'no3', 'no4', '0'],
    ['BLMOVE', 'no1', 'no2', 'LEFT', 'LEFT', '0'],
    ['XREAD', 'BLOCK', '0', 'STREAMS', 'no1', 'no2', 'no3', '$', '$', '$'],
    ['WAIT', '1', '0'],
  ];
  for (const [nth, command] of [...waits, ...waits, ...waits].entries()) {
    const blocked = await server.client();
    const id = textOf(await blocked.call('CLIENT', 'ID'));
    const reply = blocked.reply(...command);
    while (!/ flags=\w*b/.test(textOf(await client.call('CLIENT', 'LIST', 'ID', id))));
    const two = [client, other].map((asker) => asker.call('CLIENT', 'UNBLOCK', id));
    assert.equal((await Promise.all(two)).sort(), [0, 1], `${command.join(' ')}, ${nth}`);
    await reply;
    await blocked.end();
  }
});

pipelines.run();
