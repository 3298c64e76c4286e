/**
 * SET with conditions, DELEX, DELIFEQ, MSETEX and INCREX over several shards, against a model: on the server, after a crash,
 * and on a Redis 7.4 as a replica, which knows none of them.
 */
// test-tier: long
// test-again: TEST_SPILLS=1
import {
  keyPerShard,
  keysOnShard,
  needs,
  type Random,
  redisProgram,
  type RespClient,
  startServer,
  withRandom,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keptServers } from '../durability/kept-server.ts';
import { untilLinked } from '../replication/info.test-helper.ts';
import {
  AT_ONCE,
  caughtUp,
  differences,
  startReplica,
} from '../replication/replicas.test-helper.ts';

const conditions = suite('conditional strings');

const newServer = keptServers(conditions);

const SHARDS = 3;
const KEYS = [0, 1, 2].flatMap((shard) => keysOnShard(shard, SHARDS, 2, 'condition'));
const COUNTER = 'counter';
/** Short ones, one in a segment of the store, and one in memory of its own. */
const VALUES = ['a', 'b', '12', 'c'.repeat(3_000), 'd'.repeat(300_000)];
const COMMANDS = 600;

interface Held {
  value: string;
  expires: boolean;
}

/** Keys with strings that may expire, much later. */
class Model {
  readonly keys = new Map<string, Held>();

  /** Runs the command, whose reply is 1, 0 or that of SET. */
  apply(words: readonly string[]): unknown {
    const [name, ...args] = words;
    if (name === 'SET') return this.#set(args);
    if (name === 'MSETEX') return this.#setAll(args);
    if (name === 'INCREX') return this.#increment();
    const [key = '', word = 'IFEQ', value = ''] =
      name === 'DELEX' ? args : [args[0], 'IFEQ', args[1]];
    const held = this.keys.get(key);
    const isDue =
      held !== undefined && (args.length === 1 || (held.value === value) === (word === 'IFEQ'));
    return isDue && this.keys.delete(key) ? 1 : 0;
  }

  #set([key = '', value = '', word = '', expected = '', ...options]: readonly string[]): unknown {
    const held = this.keys.get(key);
    const isSame = held?.value === expected;
    const isDue = word === 'IFEQ' ? isSame : !isSame;
    if (isDue) this.#put(key, value, options);
    if (options.includes('GET')) return held?.value ?? null;
    return isDue ? 'OK' : null;
  }

  #setAll([count = '', ...words]: readonly string[]): number {
    const end = 2 * Number(count);
    const options = words.slice(end);
    const names = words.slice(0, end).filter((_, nth) => nth % 2 === 0);
    const found = names.filter((name) => this.keys.has(name)).length;
    if (options.includes('NX') && found > 0) return 0;
    if (options.includes('XX') && found < names.length) return 0;
    for (const [nth, name] of names.entries()) this.#put(name, words[2 * nth + 1]!, options);
    return 1;
  }

  /** Up to 5, and back to 0 when it is removed. */
  #increment(): unknown {
    const held = this.keys.get(COUNTER) ?? { value: '0', expires: false };
    const old = Number(held.value);
    const applied = old < 5 ? 1 : 0;
    if (applied === 1) this.keys.set(COUNTER, { value: String(old + 1), expires: true });
    return [old + applied, applied];
  }

  #put(key: string, value: string, options: readonly string[]): void {
    const kept = options.includes('KEEPTTL') && this.keys.get(key)?.expires === true;
    this.keys.set(key, { value, expires: kept || options.includes('EX') });
  }
}

function randomCommand(random: Random): string[] {
  const key = random.pick(KEYS);
  const value = random.pick(VALUES);
  const ending = random.pick([[], ['EX', '1000'], ['KEEPTTL']]);
  const get = random.chance(0.3) ? ['GET'] : [];
  const word = random.pick(['IFEQ', 'IFNE']);
  const names = random.shuffled(KEYS).slice(0, random.integer(1, 4));
  const condition = random.pick([[], ['NX'], ['XX']]);
  const pairs = names.flatMap((name) => [name, random.pick(VALUES)]);
  return random.weighted([
    [4, ['SET', key, value, word, random.pick(VALUES), ...get, ...ending]],
    [1, ['DELEX', key]],
    [2, ['DELEX', key, word, value]],
    [2, ['DELIFEQ', key, value]],
    [3, ['MSETEX', String(names.length), ...pairs, ...condition, ...ending]],
    [1, ['INCREX', COUNTER, 'UBOUND', '5', 'EX', '1000', 'ENX']],
    [0.3, ['DELEX', COUNTER]],
  ]);
}

async function compare(client: RespClient, model: Model): Promise<void> {
  for (const key of [...KEYS, COUNTER]) {
    const held = model.keys.get(key);
    assert.is(await client.call('GET', key), held?.value ?? null, key);
    const ttl = (await client.call('TTL', key)) as number;
    assert.is(ttl >= 0, held?.expires === true, key);
  }
}

/** Plays commands, and compares each reply with that of the model. */
async function play(client: RespClient, model: Model, random: Random): Promise<void> {
  for (let nth = 0; nth < COMMANDS; nth += 1) {
    const words = randomCommand(random);
    const shown = words.map((word) => word.slice(0, 20)).join(' ');
    assert.equal(await client.call(...words), model.apply(words), shown);
  }
}

conditions(
  'are what a model says, and survive a crash',
  withRandom(async (random) => {
    const server = newServer();
    const args = ['--set', 'persistence.durability-mode=sync'];
    let client = await server.start({ shards: SHARDS, args });
    const model = new Model();
    await play(client, model, random);
    await compare(client, model);
    await server.kill();
    client = await server.start({ shards: SHARDS, args });
    await compare(client, model);
    await server.stop();
  }),
);

if (needs(redisProgram())) {
  conditions(
    'replicate as what Redis 7.4 knows',
    withRandom(async (random) => {
      const server = await startServer({ shards: SHARDS, args: AT_ONCE });
      const replica = await startReplica(server);
      try {
        const client = await server.client();
        const reader = await replica.client();
        await untilLinked(reader);
        const model = new Model();
        await play(client, model, random);
        const [one = '', two = ''] = keyPerShard(SHARDS, 'group');
        await client.call('MULTI');
        await client.call('MSETEX', '2', one, '1', two, '2', 'PX', '1000000');
        await client.call('SET', one, '3', 'IFEQ', '1', 'KEEPTTL');
        await client.call('INCREX', one, 'BYFLOAT', '0.5', 'PERSIST');
        assert.equal(await client.call('EXEC'), [1, 'OK', ['3.5', '0.5']]);
        const script = "return redis.call('DELEX', KEYS[1], 'IFNE', '3')";
        assert.is(await client.call('EVAL', script, '1', one), 1);
        await caughtUp(client, 1);
        await compare(reader, model);
        assert.equal(await differences(server, replica), []);
      } finally {
        await Promise.all([server.stop(), replica.stop()]);
      }
    }),
  );
}

conditions('have keys and permissions by what they read', async () => {
  const server = await startServer({ shards: SHARDS });
  try {
    const client = await server.client();
    const keysOf = (line: string): Promise<unknown> =>
      client.call('COMMAND', 'GETKEYSANDFLAGS', ...line.split(' '));
    assert.equal(await keysOf('MSETEX 2 a 1 b 2 NX'), [
      ['a', ['OW', 'update']],
      ['b', ['OW', 'update']],
    ]);
    assert.equal(await keysOf('SET a 1 IFEQ 2'), [['a', ['RW', 'access', 'update']]]);
    assert.equal(await keysOf('DELEX a'), [['a', ['RM', 'delete']]]);
    assert.equal(await keysOf('DELEX a IFEQ 1'), [['a', ['RW', 'access', 'delete']]]);
    await client.call('ACL', 'SETUSER', 'writer', 'on', 'nopass', '+@string', '%W~*');
    const dryRun = (line: string): Promise<unknown> =>
      client.call('ACL', 'DRYRUN', 'writer', ...line.split(' '));
    for (const line of ['SET a 1 NX', 'DELEX a', 'MSETEX 1 a 1 EX 10']) {
      assert.is(await dryRun(line), 'OK', line);
    }
    for (const line of [
      'SET a 1 IFDNE 1',
      'DELEX a IFEQ 1',
      'DELIFEQ a 1',
      'INCREX a',
      'DIGEST a',
    ]) {
      assert.match(String(await dryRun(line)), /no permissions/, line);
    }
  } finally {
    await server.stop();
  }
});

conditions('MSETEX sets thousands of keys on all shards, or none', async () => {
  const server = await startServer({ shards: SHARDS });
  try {
    const client = await server.client();
    const names = Array.from({ length: 5_000 }, (_, nth) => `many:${nth}`);
    const pairs = names.flatMap((name) => [name, `of ${name}`]);
    const setAll = (...options: string[]): Promise<unknown> =>
      client.call('MSETEX', String(names.length), ...pairs, ...options);
    assert.is(await setAll('NX', 'EX', '1000'), 1);
    assert.is(await client.call('DBSIZE'), names.length);
    assert.is(await client.call('DEL', 'many:4999'), 1);
    assert.is(await setAll('XX'), 0);
    assert.is(await setAll('NX'), 0);
    assert.is(await client.call('EXISTS', ...names), names.length - 1);
    assert.ok(((await client.call('TTL', 'many:7')) as number) > 0);
    assert.is(await client.call('GET', 'many:7'), 'of many:7');
  } finally {
    await server.stop();
  }
});

conditions('a failed condition invalidates nothing, a met one does', async () => {
  const server = await startServer({ shards: SHARDS });
  try {
    const [watcher, writer] = [await server.client(), await server.client()];
    await writer.call('SET', 'w', '1');
    const exec = async (...words: string[]): Promise<unknown> => {
      await watcher.call('WATCH', 'w');
      await watcher.call('MULTI');
      await watcher.call('PING');
      await writer.call(...words);
      return watcher.call('EXEC');
    };
    assert.equal(await exec('SET', 'w', '2', 'IFEQ', '2'), ['PONG']);
    assert.equal(await exec('DELEX', 'w', 'IFNE', '1'), ['PONG']);
    assert.equal(await exec('MSETEX', '2', 'w', '2', 'v', '2', 'NX'), ['PONG']);
    assert.equal(await exec('INCREX', 'w', 'UBOUND', '1'), ['PONG']);
    assert.is(await exec('SET', 'w', '2', 'IFEQ', '1'), null);
    assert.is(await exec('INCREX', 'w'), null);
    assert.is(await exec('MSETEX', '1', 'w', '2', 'XX'), null);
    assert.is(await exec('DELIFEQ', 'w', '2'), null);
  } finally {
    await server.stop();
  }
});

conditions.run();
