/** WAIT and WAITAOF after each way in which a command writes, while the only replica is stopped: none is confirmed. */
// test-limit: 120s

import {
  type ChildServer,
  keyPerShard,
  type RespClient,
  startServer,
  textOf,
  until,
  type Word,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { freeze, untilLinked, untilOnline } from './info.test-helper.ts';
import { AT_ONCE } from './replicas.test-helper.ts';

const waits = suite('WAIT after each way of writing');

/** Way of writing: commands before the replica stops, and those of the client that waits then. */
interface Way {
  readonly name: string;
  readonly before?: readonly (readonly Word[])[];
  readonly commands: readonly (readonly Word[])[];
  /** Commands of another client, while the first of `commands` is blocked. */
  readonly others?: readonly (readonly Word[])[];
  /** Replicas that WAIT counts; none unless it says otherwise. */
  readonly counts?: number;
  /** A key has to expire before the commands come. */
  readonly expires?: boolean;
}

const SHARDS = 2;
const [A, B] = keyPerShard(SHARDS) as [string, string];
const OVER = `{${A}}:over`;
const LIBRARY = `#!lua name=ways
redis.register_function('way', function(keys) return redis.call('INCR', keys[1]) end)`;

/** A transaction that writes first or last, with something else in it. */
function transactions(...others: (readonly Word[])[]): Way[] {
  return others.flatMap((other) => {
    const name = other.join(' ');
    const write = ['INCR', `{${A}}:multi`];
    return [
      { name: `EXEC of INCR, ${name}`, commands: [['MULTI'], write, other, ['EXEC']] },
      { name: `EXEC of ${name}, INCR`, commands: [['MULTI'], other, write, ['EXEC']] },
    ];
  });
}

function single(...commands: (readonly Word[])[]): Way[] {
  return commands.map((words) => ({ name: words.slice(0, 2).join(' '), commands: [words] }));
}

/** A key that is over, and what meets it. */
function expired(name: string, ...commands: (readonly Word[])[]): Way {
  return {
    name: `expiry by ${name}`,
    before: [['SET', OVER, '1', 'PX', '1']],
    commands,
    expires: true,
  };
}
const DATA: readonly (readonly Word[])[] = [
  ['MSET', A, '1', B, '2'],
  ['RPUSH', `{${A}}:list`, '3', '1', '2'],
  ['RPUSH', `{${B}}:list`, '1'],
  ['SADD', `{${A}}:set`, 'a', 'b', 'c', 'd'],
  ['SADD', `{${B}}:set`, 'b'],
  ['PFADD', `{${A}}:hll`, 'a', 'b'],
  ['XADD', `{${A}}:stream`, '1-1', 'f', 'v'],
  ['XGROUP', 'CREATE', `{${A}}:stream`, 'g', '0'],
  ['MSET', `{${A}}:move`, '1', `{${B}}:move`, '2'],
];

const WAYS: readonly Way[] = [
  { name: 'nothing', commands: [['GET', A]], counts: 1 },
  { name: 'an EXEC that only reads', commands: [['MULTI'], ['PING'], ['EXEC']], counts: 1 },
  ...transactions(
    ['PING'],
    ['ECHO', 'x'],
    ['SELECT', '0'],
    ['CLIENT', 'GETNAME'],
    ['CONFIG', 'SET', 'slowlog-max-len', '64'],
    ['PUBLISH', 'c', 'm'],
    ['DBSIZE'],
    ['SET', `{${B}}:multi`, '1'],
    ['EVAL', "return redis.call('GET', KEYS[1])", '1', B],
    ['SORT', `{${A}}:list`, 'BY', `{${B}}:*`, 'STORE', `{${B}}:sorted`],
  ),
  { name: 'WATCH', commands: [['WATCH', B], ['MULTI'], ['INCR', A], ['PING'], ['EXEC']] },
  ...single(
    ['SET', A, '3'],
    ['MSET', A, '1', B, '2'],
    ['DEL', `{${A}}:no`, B],
    ['RENAME', `{${A}}:list`, `{${B}}:renamed`],
    ['LMOVE', `{${B}}:renamed`, `{${A}}:list`, 'LEFT', 'RIGHT'],
    ['SMOVE', `{${A}}:set`, `{${B}}:set`, 'a'],
    ['SINTERSTORE', `{${B}}:inter`, `{${A}}:set`, `{${B}}:set`],
    ['SORT', `{${A}}:list`, 'BY', `{${B}}:*`, 'STORE', `{${B}}:sorted`],
    ['COPY', A, `{${B}}:copy`],
    ['SPOP', `{${A}}:set`],
    ['PFCOUNT', `{${A}}:hll`],
    ['XREADGROUP', 'GROUP', 'g', 'c', 'STREAMS', `{${A}}:stream`, '>'],
    ['PUBLISH', 'c', 'm'],
    ['SPUBLISH', 'c', 'm'],
    ['EVAL', "redis.call('INCR', KEYS[1])", '1', A],
    ['EVAL', "redis.call('INCR', KEYS[1]); redis.call('INCR', KEYS[2])", '2', A, B],
    ['EVAL', `redis.call('INCR', '${B}'); redis.call('INCR', '${A}')`, '0'],
    ['EVAL', "redis.call('PUBLISH', 'c', 'm')", '0'],
    ['EVAL', "redis.call('INCR', KEYS[1]); return redis.error_reply('x')", '1', A],
    ['FUNCTION', 'LOAD', 'REPLACE', LIBRARY],
    ['FCALL', 'way', '1', `{${B}}:way`],
    ['FUNCTION', 'DELETE', 'ways'],
    ['SWAPDB', '1', '2'],
    ['SET', A, '3', 'PXAT', '1'],
  ),
  {
    name: 'BLPOP that was woken',
    commands: [['BLPOP', `{${A}}:wait`, '0']],
    others: [['LPUSH', `{${A}}:wait`, '1']],
  },
  {
    name: 'BLPOP on two shards that was woken',
    commands: [['BLPOP', `{${A}}:wait`, `{${B}}:wait`, '0']],
    others: [['LPUSH', `{${B}}:wait`, '1']],
  },
  {
    name: 'BLMOVE between shards that was woken',
    commands: [['BLMOVE', `{${A}}:wait`, `{${B}}:moved`, 'LEFT', 'LEFT', '0']],
    others: [['LPUSH', `{${A}}:wait`, '1']],
  },
  {
    name: 'XREADGROUP that was woken',
    commands: [['XREADGROUP', 'GROUP', 'g', 'c', 'BLOCK', '0', 'STREAMS', `{${A}}:stream`, '>']],
    others: [['XADD', `{${A}}:stream`, '*', 'f', 'v']],
  },
  expired('GET', ['GET', OVER]),
  expired('MGET over two shards', ['MGET', B, OVER]),
  expired('TTL', ['TTL', OVER]),
  expired('EVAL_RO', ['EVAL_RO', "return redis.call('GET', KEYS[1])", '1', OVER]),
  expired('EXEC of GET', ['MULTI'], ['GET', OVER], ['EXEC']),
  expired('EXEC of GET and PING', ['MULTI'], ['GET', OVER], ['PING'], ['EXEC']),
];

class Pair {
  readonly #primary: ChildServer;
  readonly #replica: ChildServer;
  readonly #control: RespClient;

  constructor(primary: ChildServer, replica: ChildServer, control: RespClient) {
    this.#primary = primary;
    this.#replica = replica;
    this.#control = control;
  }

  /** Goes one way, and returns the faults of WAIT after it. */
  async go(way: Way): Promise<string[]> {
    const client = await this.#primary.client();
    for (const words of [...DATA, ...(way.before ?? [])]) {
      await this.#control.reply(...words);
    }
    const since = await this.#nowMs();
    assert.is(await this.#control.call('WAIT', '1', '0'), 1);
    if (way.expires === true) {
      await until(async () => (await this.#nowMs()) > since + 1, 'the key has expired');
    }
    await freeze(this.#replica);
    const answers = Promise.all(way.commands.map((words) => client.reply(...words)));
    if (way.others !== undefined) await this.#wake(way.others);
    await answers;
    const reported = await client.call('WAIT', '1', '1');
    const onDisk = await client.call('WAITAOF', '0', '1', '1');
    this.#replica.signal('SIGCONT');
    assert.is(await client.call('WAIT', '1', '0'), 1, way.name);
    await client.end();
    const counts = way.counts ?? 0;
    const faults = reported === counts ? [] : [`${way.name}: WAIT ${textOf(reported)}`];
    const disk = (onDisk as number[])[1];
    if (counts === 0 && disk !== 0) faults.push(`${way.name}: WAITAOF ${disk}`);
    return faults;
  }

  async #nowMs(): Promise<number> {
    const [seconds, us] = ((await this.#control.call('TIME')) as string[]).map(Number);
    return seconds! * 1_000 + us! / 1_000;
  }

  async #wake(commands: readonly (readonly Word[])[]): Promise<void> {
    await until(
      async () => textOf(await this.#control.call('INFO', 'clients')).includes('blocked_clients:1'),
      'it is blocked',
    );
    for (const words of commands) await this.#control.call(...words);
  }
}

waits('nothing is confirmed that the replica does not have', async () => {
  const primary = await startServer({
    shards: SHARDS,
    args: [...AT_ONCE, '--set', 'security.enable-debug-command=yes'],
  });
  const replica = await startServer({ args: AT_ONCE });
  const target = await startServer();
  try {
    const control = await primary.client();
    await control.call('DEBUG', 'SET-ACTIVE-EXPIRE', '0');
    await (await replica.client()).call('REPLICAOF', '127.0.0.1', primary.port);
    await untilLinked(await replica.client());
    await untilOnline(control, 1);
    const pair = new Pair(primary, replica, control);
    const faults: string[] = [];
    const to = ['127.0.0.1', String(target.port)];
    const moves = single(
      ['MIGRATE', ...to, A, '0', '5000', 'REPLACE'],
      ['MIGRATE', ...to, '', '0', '5000', 'REPLACE', 'KEYS', A, B],
    );
    for (const way of [...WAYS, ...moves]) faults.push(...(await pair.go(way)));
    assert.equal(faults, []);
  } finally {
    replica.signal('SIGCONT');
    await replica.stop();
    await target.stop();
    await primary.stop();
  }
});

waits.run();
