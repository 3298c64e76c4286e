/** Keyspace notifications: their kinds, their order relative to replies, and none without subscribers. */
import {
  type ChildServer,
  keyPerShard,
  letTimePass,
  type RespClient,
  RespParser,
  startServer,
  textOf,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const notifications = suite('keyspace notifications');

let server: ChildServer;
let client: RespClient;
let listener: RespClient;
/** `channel message` of all that came. */
const got: string[] = [];

notifications.before(async () => {
  server = await startServer({ shards: 2 });
  client = await server.client();
  listener = await server.client();
  const parser = new RespParser((reply) => {
    if (Array.isArray(reply) && reply[0] === 'pmessage')
      got.push(`${textOf(reply[2])} ${textOf(reply[3])}`);
  });
  listener.socket.on('data', (chunk: Buffer) => {
    parser.push(chunk);
  });
  await listener.call('PSUBSCRIBE', '__key*__:*');
});
notifications.after(async () => {
  await server.stop();
});

const choose = (classes: string): Promise<unknown> =>
  client.call('CONFIG', 'SET', 'notify-keyspace-events', classes);

/** Takes the events received so far: they are sent before the reply that the command's client has seen. */
async function taken(): Promise<string[]> {
  await listener.call('PING');
  return got.splice(0);
}

async function eventsOf(...commands: readonly string[]): Promise<string[]> {
  for (const command of commands) await client.call(...command.split(' '));
  return taken();
}

notifications('none while the setting is empty', async () => {
  assert.equal(await eventsOf('SET quiet 1', 'DEL quiet', 'GET nothing'), []);
});

notifications('one for the key, one for the event, in this order', async () => {
  await choose('KEA');
  assert.equal(await eventsOf('SET k v', 'EXPIRE k 100'), [
    '__keyspace@0__:k set',
    '__keyevent@0__:set k',
    '__keyspace@0__:k expire',
    '__keyevent@0__:expire k',
  ]);
  await choose('K$');
  assert.equal(await eventsOf('SET k v', 'EXPIRE k 100'), ['__keyspace@0__:k set']);
  await choose('E');
  assert.equal(await eventsOf('SET k v'), []);
});

notifications('every class by its letter, misses and new keys only when asked for', async () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['$', 'APPEND s x', 'append s'],
    ['l', 'LPUSH l x', 'lpush l'],
    ['s', 'SADD t x', 'sadd t'],
    ['h', 'HSET h f v', 'hset h'],
    ['z', 'ZADD z 1 m', 'zadd z'],
    ['g', 'DEL s', 'del s'],
    ['m', 'GET none', 'keymiss none'],
    ['n', 'SET fresh 1', 'new fresh'],
  ];
  for (const [letter, command, event] of cases) {
    await choose(`E${letter}`);
    assert.equal(await eventsOf(command), [`__keyevent@0__:${event}`], command);
  }
  await choose('EA');
  assert.equal(await eventsOf('GET none', 'SET fresher 1'), ['__keyevent@0__:set fresher']);
});

/** Commands that replace a value, with all events of the classes new, overwritten and type changed, and their own. */
const replacing: readonly (readonly [
  setup: readonly string[],
  command: string,
  events: string[],
])[] = [
  [['SET a 1'], 'SET a 2', ['overwritten a', 'set a']],
  [['SADD a 1'], 'SET a 2', ['overwritten a', 'type_changed a', 'set a']],
  [['SET a 1'], 'SET a 2 NX', []],
  [['SET a 1'], 'SETEX a 100 2', ['overwritten a', 'set a', 'expire a']],
  [['SET a 1'], 'GETSET a 2', ['overwritten a', 'set a']],
  [['SET a 1'], 'APPEND a 2', ['append a']],
  [['SET a 1'], 'INCR a', ['incrby a']],
  [
    ['LPUSH {t}a 1'],
    'MSET {t}a 2 {t}b 3',
    ['overwritten {t}a', 'type_changed {t}a', 'set {t}a', 'new {t}b', 'set {t}b'],
  ],
  [
    ['SET {t}a 1', 'SADD {t}b x'],
    'SUNIONSTORE {t}a {t}b',
    ['overwritten {t}a', 'type_changed {t}a', 'sunionstore {t}a'],
  ],
  [['SET {t}a 1'], 'SUNIONSTORE {t}a {t}none', ['del {t}a']],
  [
    ['SET {t}a 1', 'ZADD {t}b 1 x'],
    'ZUNIONSTORE {t}a 1 {t}b',
    ['overwritten {t}a', 'type_changed {t}a', 'zunionstore {t}a'],
  ],
  [
    ['HSET {t}a f v', 'SET {t}b x'],
    'BITOP NOT {t}a {t}b',
    ['overwritten {t}a', 'type_changed {t}a', 'set {t}a'],
  ],
  [
    ['SET {t}a 1', 'SET {t}b x'],
    'RENAME {t}b {t}a',
    ['new {t}a', 'rename_from {t}b', 'rename_to {t}a', 'overwritten {t}a'],
  ],
  [
    ['SET {t}a 1', 'HSET {t}b f v'],
    'RENAME {t}b {t}a',
    ['new {t}a', 'rename_from {t}b', 'rename_to {t}a', 'overwritten {t}a', 'type_changed {t}a'],
  ],
  [
    ['SET {t}a 1', 'HSET {t}b f v'],
    'COPY {t}b {t}a REPLACE',
    ['new {t}a', 'copy_to {t}a', 'overwritten {t}a', 'type_changed {t}a'],
  ],
  [['SET {t}b 1'], 'COPY {t}b {t}a REPLACE', ['new {t}a', 'copy_to {t}a']],
];

for (const [setup, command, events] of replacing) {
  notifications(`${setup.join(', ')}: ${command} announces ${events.join(', ')}`, async () => {
    await client.call('FLUSHALL');
    for (const each of setup) await client.call(...(each.split(' ') as [string]));
    await choose('EAnoc');
    await taken();
    assert.equal(
      await eventsOf(command),
      events.map((event) => `__keyevent@0__:${event}`),
    );
    await choose('EA');
    assert.not.match((await eventsOf('SET a b', 'SET a c')).join(), /overwritten|type_changed/);
  });
}

notifications('the type that RENAME replaces on another shard, RESTORE and SORT', async () => {
  const [one, other] = keyPerShard(2, 'far') as [string, string];
  await client.call('FLUSHALL');
  await client.call('SET', one, '1');
  await client.call('RPUSH', other, '3', '1');
  const dumping = await server.client({ buffers: true });
  const dump = (await dumping.call('DUMP', other)) as Buffer;
  await choose('Eoc');
  await taken();
  const [overwritten, changed] = ['overwritten', 'type_changed'].map(
    (event) => `__keyevent@0__:${event} ${one}`,
  );
  await client.call('SORT', other, 'STORE', one);
  assert.equal(await taken(), [overwritten, changed]);
  await client.call('RESTORE', one, 0, dump, 'REPLACE');
  assert.equal(await taken(), [overwritten]);
  await client.call('SET', one, 'v');
  await taken();
  await client.call('RENAME', other, one);
  assert.equal(await taken(), [overwritten, changed]);
});

notifications('another database, binary keys, and keys too large for a frame', async () => {
  await choose('EA');
  await client.call('SELECT', '3');
  assert.equal(await eventsOf('SET there 1'), ['__keyevent@3__:set there']);
  await client.call('SELECT', '0');
  const key = Buffer.alloc(1_000_000, 0x61);
  await client.call('SET', key, 'v');
  assert.equal(await taken(), [`__keyevent@0__:set ${key.toString()}`]);
  await client.call('DEL', key);
  await taken();
});

notifications('a command that is split yields the events of all its keys', async () => {
  await choose('EA');
  const keys = Array.from({ length: 50 }, (_, nth) => `many:${String(nth)}`);
  await client.call('MSET', ...keys.flatMap((key) => [key, 'v']));
  assert.equal((await taken()).sort(), keys.map((key) => `__keyevent@0__:set ${key}`).sort());
  await client.call('RENAME', 'many:0', 'many:1');
  assert.equal(await taken(), [
    '__keyevent@0__:rename_from many:0',
    '__keyevent@0__:rename_to many:1',
  ]);
});

notifications(
  'expired: when touched, and by itself; fields of hashes, and evicted keys',
  async () => {
    await choose('EA');
    await client.call('DEBUG', 'SET-ACTIVE-EXPIRE', '0');
    await client.call('PSETEX', 'brief', '1', 'v');
    await letTimePass(client, 2);
    await taken();
    await client.call('GET', 'brief');
    assert.equal(await taken(), ['__keyevent@0__:expired brief']);
    await client.call('DEBUG', 'SET-ACTIVE-EXPIRE', '1');
    await client.call('PSETEX', 'unseen', '1', 'v');
    await client.call('HSET', 'hash', 'f', 'v');
    await client.call('HPEXPIRE', 'hash', '1', 'FIELDS', '1', 'f');
    const seen: string[] = [];
    while (seen.length < 7) seen.push(...(await taken()));
    // On a busy machine the key may expire before the commands about the hash arrive.
    assert.equal(seen.sort(), [
      '__keyevent@0__:del hash',
      '__keyevent@0__:expire unseen',
      '__keyevent@0__:expired unseen',
      '__keyevent@0__:hexpire hash',
      '__keyevent@0__:hexpired hash',
      '__keyevent@0__:hset hash',
      '__keyevent@0__:set unseen',
    ]);
  },
);

notifications('evicted keys are announced', async () => {
  await choose('Ee');
  await client.call('SET', 'victim', 'v');
  await client.call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-random', 'maxmemory', '1');
  const seen: string[] = [];
  while (seen.length === 0) seen.push(...(await taken()));
  assert.match(seen[0]!, /^__keyevent@0__:evicted /);
  await client.call('CONFIG', 'SET', 'maxmemory', '0');
  // Every shard knows it by then, and evicts no more.
  await client.call('DBSIZE');
});

notifications('an event is there before the reply to its command', async () => {
  await choose('EA');
  const own = await server.client();
  await own.call('HELLO', '3');
  own.raw('PSUBSCRIBE __keyevent*\r\n');
  await own.nextPush();
  for (let nth = 0; nth < 100; nth += 1) await own.call('SET', `own:${String(nth)}`, 'v');
  await own.call('PING');
  // The last command's event comes after the command's own reply, as in Redis.
  assert.is(own.pushes.length, 100);
  await own.end();
});

notifications('classes that do not exist are refused', async () => {
  const reply = await client.reply('CONFIG', 'SET', 'notify-keyspace-events', 'KEq');
  assert.match(textOf(reply), /Invalid event class character/);
  await choose('KEg$l');
  const [, shown] = (await client.call('CONFIG', 'GET', 'notify-keyspace-events')) as string[];
  assert.is(shown, 'g$lKE');
});

notifications.run();
