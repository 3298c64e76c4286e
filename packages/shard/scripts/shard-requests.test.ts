/** Commands that a script which runs alone has another shard run, without main. */

import { encodeControl, FrameKind, KIND_MASK, RequestFlag, ScriptRequest } from '#link';
import { Record, RecordKind } from '#persistence';
import { type FakeClock, keysOnShard } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ShardsFixture, textsOf, type ShardFrame } from '../machine.test-helper.ts';

const shardRequests = suite('commands that other shards run for a script');

const [here = ''] = keysOnShard(0, 2, 1);
const [there = '', alsoThere = ''] = keysOnShard(1, 2, 2);
const BARRIER = { kind: FrameKind.barrier, flags: RequestFlag.exclusive };
const EXCLUSIVE = { flags: RequestFlag.exclusive };
/** Rounds in which the other shard does all that it can. */
const SLEEPS_MAX = 20;

type PlayedShard = ShardsFixture['shards'][number];

/** Shard 0 runs scripts, and shard 1 continues while shard 0 sleeps. */
class Scene {
  readonly host: PlayedShard;
  readonly target: PlayedShard;
  /** Frames that the other shard has sent to main. */
  readonly said: ShardFrame[] = [];
  /** Does something when the host has slept so often. */
  readonly #cues = new Map<number, () => void>();
  #sleeps = 0;

  readonly clock: FakeClock;

  constructor(isDurable = false) {
    const { shards, clock } = new ShardsFixture(2, isDurable, true);
    this.clock = clock;
    [this.host, this.target] = shards as [PlayedShard, PlayedShard];
    this.host.whileAsleep = () => {
      this.#sleeps += 1;
      if (this.#sleeps > SLEEPS_MAX) throw new Error('the host sleeps for ever');
      this.#cues.get(this.#sleeps)?.();
      this.said.push(...this.target.run());
    };
  }

  on(sleep: number, act: () => void): this {
    this.#cues.set(sleep, act);
    return this;
  }

  get sleeps(): number {
    return this.#sleeps;
  }

  /** Runs a script at the host, for which the other shard is to stop; returns its frames, with what main is asked. */
  run(source: string, ...args: readonly string[]): string[] {
    this.#sleeps = 0;
    this.target.report(BARRIER);
    this.host.send(['EVAL', source, '0', ...args], EXCLUSIVE);
    return this.host.run().map((frame) => shown(frame));
  }
}

function shown({ kind, sequence, text }: ShardFrame): string {
  if (kind !== 'ask') return text;
  const [name] = Object.entries(ScriptRequest).find(([, number]) => number === sequence)!;
  return `ask ${name}`;
}

shardRequests(
  'a command whose keys are all of one shard is run there, and main is not asked',
  () => {
    const scene = new Scene();
    const source = `redis.call('SET', ARGV[1], 'a') redis.call('SET', ARGV[2], 'b')
    return redis.call('MGET', ARGV[1], ARGV[2])`;
    const reply = '*2\r\n$1\r\na\r\n$1\r\nb\r\n';
    assert.equal(scene.run(source, there, alsoThere), [reply, 'ask end']);
    assert.equal(scene.said, []);
    assert.equal([scene.host.page.get('scriptAsks'), scene.host.page.get('scriptCalls')], [0, 3]);
    assert.is(scene.target.page.get('commands'), 3);
    assert.is(scene.target.keyCount, 2);
  },
);

shardRequests('time stands still there too, until the script has ended', () => {
  const scene = new Scene();
  scene.on(2, () => {
    scene.clock.advanceMs(10);
  });
  const source = `redis.call('SET', ARGV[1], 'a', 'PX', 5) redis.call('GET', ARGV[2])
    return redis.call('PTTL', ARGV[1])`;
  assert.equal(scene.run(source, there, alsoThere), [':5\r\n', 'ask end']);
  assert.is(scene.sleeps, 3);
  scene.target.send(`EXISTS ${there}`);
  scene.target.report({ kind: FrameKind.resume });
  assert.is(textsOf(scene.target.run()), ':0\r\n');
});

shardRequests('an error there is the error of the call', () => {
  const scene = new Scene();
  const source = `redis.call('SET', ARGV[1], 'a') return redis.pcall('LLEN', ARGV[1]).err`;
  const [reply = ''] = scene.run(source, there);
  assert.match(reply, /^\$\d+\r\nWRONGTYPE Operation against a key/);
});

shardRequests('what came before the script is done before, and what came behind waits', () => {
  const scene = new Scene();
  scene.target.send(`APPEND ${there} 1`);
  const source = "return redis.call('APPEND', ARGV[1], 2)";
  scene.on(1, () => {
    scene.target.send(`APPEND ${there} 3`);
  });
  assert.equal(scene.run(source, there), [':2\r\n', 'ask end']);
  assert.is(textsOf(scene.said), ':1\r\n');
  assert.equal(scene.target.run(), []);
  scene.target.report({ kind: FrameKind.resume });
  assert.is(textsOf(scene.target.run()), ':3\r\n');
  assert.is(scene.target.call(`GET ${there}`), '$3\r\n123\r\n');
});

shardRequests(
  'a shard that stands still for a transaction does nothing for a script behind it',
  () => {
    const scene = new Scene();
    scene.target.report({ kind: FrameKind.barrier, slot: 5 });
    scene.target.send(`APPEND ${there} 1`);
    scene.on(4, () => {
      scene.target.report({ kind: FrameKind.resume });
    });
    assert.is(scene.run("return redis.call('APPEND', ARGV[1], 2)", there)[0], ':2\r\n');
    assert.is(scene.sleeps, 4);
  },
);

shardRequests('a shard that stands still for an earlier script does nothing for the next', () => {
  const scene = new Scene();
  assert.equal(scene.run('return 1'), [':1\r\n', 'ask end']);
  scene.target.run();
  scene.target.send(`APPEND ${there} 1`);
  scene.on(4, () => {
    scene.target.report({ kind: FrameKind.resume });
  });
  assert.is(scene.run("return redis.call('APPEND', ARGV[1], 2)", there)[0], ':2\r\n');
  assert.is(scene.sleeps, 4);
});

shardRequests('a shard that was late for one script is in time for the next', () => {
  const scene = new Scene();
  assert.equal(scene.run('return 1'), [':1\r\n', 'ask end']);
  scene.target.report({ kind: FrameKind.resume });
  assert.is(scene.run("return redis.call('APPEND', ARGV[1], 2)", there)[0], ':1\r\n');
});

shardRequests('a long reply comes in pieces', () => {
  const scene = new Scene();
  const source = `redis.call('SETRANGE', ARGV[1], 99999, 'x')
    return {#redis.call('GET', ARGV[1]), redis.call('GETRANGE', ARGV[1], -2, -1)}`;
  assert.equal(scene.run(source, there), ['*2\r\n:100000\r\n$2\r\n\0x\r\n', 'ask end']);
});

/** Has main answer what a script asks of it, with OK. */
function answered(scene: Scene): string[] {
  const asked: string[] = [];
  for (let sleep = 1; sleep < SLEEPS_MAX; sleep += 1) {
    scene.on(sleep, () => {
      for (const frame of scene.host.heard()) {
        asked.push(shown(frame));
        const head = { kind: FrameKind.ask, sequence: frame.sequence };
        scene.host.report(head, Buffer.from('+OK\r\n'));
      }
    });
  }
  return asked;
}

shardRequests('keys of several shards, and long commands, are for main', () => {
  const scene = new Scene();
  const asked = answered(scene);
  const source = `redis.call('MSET', ARGV[1], 1, ARGV[2], 2)
    return redis.call('SET', ARGV[1], string.rep('v', 20000))`;
  assert.equal(scene.run(source, there, here), ['+OK\r\n', 'ask end']);
  assert.equal(asked, ['ask command', 'ask command']);
});

shardRequests(
  'while somebody wants to hear of keys, main is asked, which tells of them in order',
  () => {
    const scene = new Scene();
    scene.target.report(
      { kind: FrameKind.control },
      encodeControl({ kind: 'tracking', isOn: true }),
    );
    const asked = answered(scene);
    assert.equal(scene.run("return redis.call('SET', ARGV[1], 1)", there), ['+OK\r\n', 'ask end']);
    assert.equal(asked, ['ask command']);
    assert.is(scene.target.keyCount, 0);
  },
);

shardRequests('what it writes there is a group in that log, which ends with the others', () => {
  const scene = new Scene(true);
  answered(scene);
  const source = "redis.call('SET', ARGV[1], 1) return redis.call('INCR', ARGV[1])";
  assert.is(scene.run(source, there)[0], ':2\r\n');
  scene.target.report({ kind: FrameKind.prepare, slot: 5, sequence: 7 });
  scene.target.run();
  const kinds = scene.target
    .takeLog()
    .map((record) => record.readInt32LE(4 * Record.kind) & KIND_MASK);
  assert.equal(kinds, [RecordKind.command, RecordKind.command, RecordKind.sharedCommit]);
});

shardRequests.run();
