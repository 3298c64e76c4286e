/** Primaries that send invalid data: the replica reports why, and keeps its data until it receives a complete set. */
// test-tier: long

import net from 'node:net';
import type { ReplicationDocument, StatusDocument } from '#api-types';
import { type ChildServer, request, type RespClient, startServer, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { infoOf, untilLinked } from './info.test-helper.ts';

const broken = suite('broken primaries');

const ID = 'c'.repeat(40);

/** A primary that answers PSYNC with what the test has chosen, and closes behind it where that is not whole. */
class FakePrimary {
  readonly port: number;
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();
  /** Bytes behind the line of FULLRESYNC. */
  data: Buffer = Buffer.alloc(0);
  closesBehind = false;
  stream: net.Socket | undefined;
  /** Place that was asked for last. */
  asked = '';

  private constructor(server: net.Server) {
    this.#server = server;
    this.port = (server.address() as net.AddressInfo).port;
    server.on('connection', (socket) => {
      this.#take(socket);
    });
  }

  static async listen(): Promise<FakePrimary> {
    const server = net.createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new FakePrimary(server);
  }

  #take(socket: net.Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('data', (piece) => {
      const text = piece.toString('latin1');
      if (text.includes('PSYNC')) {
        this.asked = text
          .split('\r\n')
          .filter((line) => !/^[*$]/.test(line))
          .join(' ')
          .trim();
        socket.write(`+FULLRESYNC ${ID} 0\r\n`);
        socket.write(this.data);
        this.stream = socket;
        if (this.closesBehind) socket.end();
      } else if (text.includes('INFO')) {
        socket.write('-NOPERM this user may not ask for INFO\r\n');
      } else if (text.includes('PING') || text.includes('REPLCONF')) {
        if (!text.includes('ACK')) socket.write('+OK\r\n');
      }
    });
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const string = (text: string): Buffer => Buffer.concat([Buffer.of(text.length), Buffer.from(text)]);
/** A snapshot of these operations, without a checksum. */
const snapshot = (...operations: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from('REDIS0011'), ...operations, Buffer.of(0xff), Buffer.alloc(8)]);
const key = (name: string, value: string): Buffer =>
  Buffer.concat([Buffer.of(0), string(name), string(value)]);
/** The data as they are sent, with their length before them. */
const reported = (data: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`$${data.length}\r\n`), data]);

const GOOD = snapshot(key('of', 'the primary'));
const damaged = Buffer.from(GOOD);
damaged[damaged.length - 1] = 1;

const cases: readonly (readonly [what: string, data: Buffer, reason: RegExp])[] = [
  [
    'no snapshot',
    reported(Buffer.from('HELLO WORLD, this is no snapshot')),
    /no snapshot of Redis/,
  ],
  ['a snapshot of a later version', reported(Buffer.from('REDIS0099')), /has version 99/],
  ['a wrong checksum', reported(damaged), /checksum/],
  [
    'a type that nobody knows',
    reported(snapshot(Buffer.concat([Buffer.of(99), string('k')]))),
    /a value of type 99/,
  ],
  [
    'a value that is malformed',
    reported(
      snapshot(key('fine', 'v'), Buffer.concat([Buffer.of(11), string('k'), string('bad')])),
    ),
    /malformed|no value/,
  ],
  [
    'a database that is not here',
    reported(snapshot(Buffer.of(0xfe, 60), key('k', 'v'))),
    /keys in database 60/,
  ],
  ['less than it ends with', reported(GOOD.subarray(0, 15)), /ends at offset/],
  [
    'more than it ends with',
    reported(Buffer.concat([GOOD, Buffer.from('more')])),
    /more bytes follow/,
  ],
  ['no length', Buffer.from('HELLO\r\n'), /instead of its data/],
];

const asCommand = (words: readonly string[]): string =>
  `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`;

let primary: FakePrimary;
let replica: ChildServer;
let here: RespClient;

broken.before(async () => {
  primary = await FakePrimary.listen();
  replica = await startServer({ http: true, shards: 2 });
  here = await replica.client();
});

broken.after(async () => {
  await replica.stop();
  await primary.close();
});

async function lastFailure(): Promise<string> {
  const document = (await request(replica.httpPort, '/debug/api/replication')).json();
  return (document as ReplicationDocument).primary?.last_failure ?? '';
}

for (const [what, data, reason] of cases) {
  broken(`${what}: it is told, and the old data stay`, async () => {
    await here.call('REPLICAOF', 'NO', 'ONE');
    await here.call('SET', 'mine', what);
    primary.data = data;
    await here.call('REPLICAOF', '127.0.0.1', primary.port);
    await until(async () => reason.test(await lastFailure()), `the link breaks for ${reason}`);
    assert.is(textOf(await here.call('GET', 'mine')), what);
    assert.is(await here.call('EXISTS', 'k', 'fine', 'of'), 0);
    assert.is((await infoOf(here))['master_link_status'], 'down');
    const memory = await infoOf(here, 'memory');
    assert.ok(Number(memory['used_memory_dataset']) < 4_000_000, 'nothing of it is left');
  });
}

broken('a link that ends within the data changes nothing, and whole data come in', async () => {
  await here.call('REPLICAOF', 'NO', 'ONE');
  await here.call('SET', 'mine', 'still');
  primary.data = reported(GOOD).subarray(0, 20);
  primary.closesBehind = true;
  await here.call('REPLICAOF', '127.0.0.1', primary.port);
  await until(async () => (await lastFailure()) !== '', 'the link breaks');
  assert.is(textOf(await here.call('GET', 'mine')), 'still');
  primary.closesBehind = false;
  primary.data = reported(GOOD);
  await untilLinked(here);
  assert.is(textOf(await here.call('GET', 'of')), 'the primary');
  assert.is(await here.call('EXISTS', 'mine'), 0);
});

/** Codes of what is wrong with the replica. */
async function healthCodes(): Promise<string[]> {
  const { health } = (await request(replica.httpPort, '/status/json')).json() as StatusDocument;
  return health.issues.map(({ severity, code }) => `${severity} ${code}`);
}

broken('a command that cannot be run is an alarm, and all data are sent anew', async () => {
  await untilLinked(here);
  const before = Number((await infoOf(here, 'stats'))['replica_sync_full']);
  primary.asked = '';
  primary.stream!.write('SET behind it\r\nNOSUCH key\r\nSET of mine\r\n');
  await until(() => primary.asked !== '', 'the primary is asked again');
  assert.is(primary.asked, 'PSYNC ? -1');
  await untilLinked(here);
  const stats = await infoOf(here, 'stats');
  assert.is(stats['unexpected_error_replies'], '1');
  assert.is(Number(stats['replica_sync_full']), before + 1);
  assert.is(textOf(await here.call('GET', 'of')), 'the primary');
  const info = await infoOf(here);
  assert.match(info['master_stream_last_error'] ?? '', /^NOSUCH key: ERR unknown command/);
  assert.is(info['master_data_differ'], '0');
  assert.equal(await healthCodes(), ['warning PRIMARY_STREAM_FAULT']);
  await until(() => replica.stdout.includes('replica-stream-error'), 'the log tells it');
  assert.match(replica.stdout, /command=NOSUCH key=key|"command":"NOSUCH","key":"key"/);
});

broken('a stream that fails again waits before its data are asked for, and is not up', async () => {
  primary.asked = '';
  const transaction = [['MULTI'], ['SET', 'a', 'b'], ['LPUSH', 'of', 'x'], ['PING'], ['EXEC']];
  primary.stream!.write(transaction.map(asCommand).join(''));
  await until(async () => (await infoOf(here))['master_data_differ'] === '1', 'the data differ');
  assert.is((await infoOf(here))['master_link_status'], 'down');
  assert.match((await infoOf(here))['master_stream_last_error'] ?? '', /^LPUSH of: WRONGTYPE/);
  assert.ok((await healthCodes()).includes('critical PRIMARY_STREAM_FAULT'));
  await untilLinked(here);
  assert.is(primary.asked, 'PSYNC ? -1');
  assert.is((await infoOf(here))['master_data_differ'], '0');
});

broken('what has come and is not applied is shown', async () => {
  await untilLinked(here);
  const loop = 'for i = 1, 1e8 do end return redis.call("SET", KEYS[1], "done")';
  const commands = [
    ['EVAL', loop, '1', 'slow'],
    ...Array<string[]>(100).fill(['INCR', 'slow count']),
  ];
  const bytes = commands.map(asCommand).join('');
  primary.stream!.write(bytes);
  await until(async () => {
    const info = await infoOf(here);
    const behind = Number(info['slave_read_repl_offset']) - Number(info['slave_repl_offset']);
    const isShown = Number(info['master_unapplied_bytes']) === behind;
    return behind >= bytes.length - 100 && isShown && Number(info['master_link_lag_ms']) > 0;
  }, 'the replica shows how far it is behind');
  await until(async () => (await infoOf(here))['master_unapplied_bytes'] === '0', 'all is applied');
  const info = await infoOf(here);
  assert.is(info['slave_read_repl_offset'], info['slave_repl_offset']);
  assert.is(await here.call('GET', 'slow count'), '100');
});

broken('what is no command ends the link', async () => {
  primary.stream!.write('SET last one\r\n*1\r\n$x\r\n');
  await until(async () => /is not a command/.test(await lastFailure()), 'the link breaks');
  assert.is(textOf(await here.call('GET', 'last')), 'one');
});

broken(
  'another primary is asked for what is behind all that was taken, though it is still being applied',
  async () => {
    const next = await FakePrimary.listen();
    try {
      primary.data = reported(GOOD);
      primary.closesBehind = false;
      next.data = reported(GOOD);
      await here.call('REPLICAOF', 'NO', 'ONE');
      await here.call('REPLICAOF', '127.0.0.1', primary.port);
      await untilLinked(here);
      const commands = [
        ['SELECT', '0'],
        ['EVAL', 'for i = 1, 2e7 do end return redis.call("SET", KEYS[1], "done")', '1', 'slow'],
        ['INCR', 'count'],
      ];
      const stream = commands.map(asCommand).join('');
      primary.stream?.end(stream);
      await until(async () => (await infoOf(here))['master_link_status'] === 'down', 'it is over');
      assert.is(await here.call('REPLICAOF', '127.0.0.1', next.port), 'OK');
      await until(() => next.asked !== '', 'the next one is asked');
      assert.is(next.asked, `PSYNC ${ID} ${stream.length + 1}`);
    } finally {
      await here.call('REPLICAOF', 'NO', 'ONE');
      await next.close();
    }
  },
);

broken('a collection without elements is skipped, and said so', async () => {
  const [primary, replica] = await Promise.all([FakePrimary.listen(), startServer({ shards: 2 })]);
  try {
    const empty = (name: string): Buffer =>
      Buffer.concat([Buffer.of(4), string(name), Buffer.of(0)]);
    const operations = [key('a', '1'), empty('none'), empty('no more'), key('b', '2')];
    primary.data = reported(snapshot(...operations));
    const client = await replica.client();
    await client.call('REPLICAOF', '127.0.0.1', String(primary.port));
    await untilLinked(client);
    assert.is(await client.call('EXISTS', 'a', 'b', 'none', 'no more'), 2);
    await until(
      () => /empty-keys-skipped.*"none"/.test(replica.stdout) && replica.stdout.includes('no more'),
      'the keys are named',
    );
  } finally {
    await Promise.all([replica.stop(), primary.close()]);
  }
});

broken.run();
