/** Scripts in a shard: what they do by themselves, what they ask of main, and what waits meanwhile. */

import { commandTable } from '#commands';
import {
  FrameKind,
  KIND_MASK,
  Request,
  REQUEST_HEADER_BYTES,
  RequestFlag,
  ScriptRequest,
} from '#link';
import { LuaEngine } from '#lua';
import { Record, RecordKind } from '#persistence';
import { keyPerShard } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ShardsFixture, textsOf, type ShardFrame } from '../machine.test-helper.ts';
import { Libraries } from './libraries.ts';

const scripts = suite('scripts in a shard');

const SHARDS = 2;
const [here = '', there = ''] = keyPerShard(SHARDS);
const EXCLUSIVE = { flags: RequestFlag.exclusive };
/** Sleeps of one wait; main's answer is there with the next one. */
const SLEEPS_MAX = 100;
/** Number that main has for a transaction. */
const TRANSACTION = 7;
const ELSEWHERE = /^-ERR Script touches a key of another shard/;

type PlayedShard = ShardsFixture['shards'][number];
const firstShard = (isDurable = false): PlayedShard =>
  new ShardsFixture(SHARDS, isDurable).shards[0]!;

/** Calls a script with keys. */
function evalLine(source: string, ...keys: readonly string[]): readonly string[] {
  return ['EVAL', source, String(keys.length), ...keys];
}

/** Words of a command that a script asks for. */
function askedCommand({ body }: ShardFrame): string {
  const words = new Int32Array(body.buffer, body.byteOffset, body.byteLength >>> 2);
  const count = words[Request.argumentCount]!;
  const args = Array.from({ length: count }, (_, nth) => {
    const from = REQUEST_HEADER_BYTES + 8 * count + words[Request.spans + 2 * nth]!;
    return Buffer.from(body.slice(from, from + words[Request.spans + 2 * nth + 1]!)).toString();
  });
  assert.is(commandTable.entries[words[Request.command]!]!.name, args[0]!.toUpperCase());
  return args.join(' ');
}

/** Main, played by the test: it records the requests of scripts, and replies. */
class PlayedMain {
  /** Requests in their order: commands, `prepare`, `end`. */
  readonly asked: string[] = [];
  /** Frames beside requests, in their order. */
  readonly others: ShardFrame[] = [];
  readonly #shard: PlayedShard;
  readonly #answers: Record<string, string>;

  constructor(shard: PlayedShard, answers: Record<string, string> = {}) {
    this.#shard = shard;
    this.#answers = answers;
    let sleeps = 0;
    shard.whileAsleep = () => {
      sleeps += 1;
      if (sleeps > SLEEPS_MAX) throw new Error('the shard sleeps for ever');
      this.take(shard.heard());
    };
  }

  take(frames: readonly ShardFrame[]): void {
    for (const frame of frames) {
      if (frame.kind !== 'ask') this.others.push(frame);
      else this.#answer(frame);
    }
  }

  #answer(frame: ShardFrame): void {
    const { sequence } = frame;
    if (sequence === ScriptRequest.end) {
      this.asked.push('end');
      return;
    }
    const isCommand = sequence === ScriptRequest.command;
    const asked = isCommand ? askedCommand(frame) : 'prepare';
    this.asked.push(asked);
    const text = isCommand
      ? (this.#answers[asked] ?? '+OK\r\n')
      : `${String.fromCharCode(TRANSACTION)}\0\0\0`;
    this.#shard.report({ kind: FrameKind.ask, sequence }, Buffer.from(text, 'latin1'));
  }

  /** Runs a script; returns its reply. */
  run(line: readonly string[], head = EXCLUSIVE): string {
    this.#shard.send(line, head);
    this.take(this.#shard.run());
    return textsOf(this.others.splice(0));
  }
}

scripts('keys of its own are read and written in place', () => {
  const shard = firstShard();
  const main = new PlayedMain(shard);
  const source = "redis.call('SET', KEYS[1], 5) return redis.call('INCR', KEYS[1])";
  assert.is(main.run(evalLine(source, here), { flags: 0 }), ':6\r\n');
  assert.equal(main.asked, []);
  assert.is(shard.call(`GET ${here}`), '$1\r\n6\r\n');
});

scripts('alone, it asks main for keys of other shards, and gets their replies', () => {
  const shard = firstShard();
  const main = new PlayedMain(shard, { [`GET ${there}`]: '$5\r\nvalue\r\n' });
  const source = "return {redis.call('GET', ARGV[1]), redis.call('GET', KEYS[1])}";
  const reply = main.run([...evalLine(source, here), there]);
  assert.is(reply, '*2\r\n$5\r\nvalue\r\n$-1\r\n');
  assert.equal(main.asked, [`GET ${there}`, 'end']);
  assert.is(shard.page.get('scriptAsks'), 1);
});

scripts('alone, it asks main for what all shards answer', () => {
  const main = new PlayedMain(firstShard(), { DBSIZE: ':12\r\n' });
  assert.is(main.run(evalLine("return redis.call('DBSIZE')")), ':12\r\n');
  assert.equal(main.asked, ['DBSIZE', 'end']);
});

scripts('not alone, a key of another shard is an error that says so', () => {
  const main = new PlayedMain(firstShard());
  const lines = [
    evalLine(`return redis.call('GET', '${there}')`, here),
    evalLine("return redis.call('DBSIZE')", here),
  ];
  for (const line of lines) assert.match(main.run(line, { flags: 0 }), ELSEWHERE);
  assert.equal(main.asked, []);
});

scripts('an error of another shard ends the script, or is what pcall answers', () => {
  const wrong = '-WRONGTYPE Operation against a key\r\n';
  const main = new PlayedMain(firstShard(), { [`LLEN ${there}`]: wrong });
  assert.match(
    main.run([...evalLine("redis.call('LLEN', ARGV[1]) return 1", here), there]),
    /^-WRONGTYPE Operation against a key script: /,
  );
  const source = "return redis.pcall('LLEN', ARGV[1]).err";
  assert.match(main.run([...evalLine(source, here), there]), /WRONGTYPE Operation/);
});

scripts('what comes while it asks is run behind it, in its order', () => {
  const shard = firstShard();
  const main = new PlayedMain(shard, { [`GET ${there}`]: '$1\r\n1\r\n' });
  const source = "redis.call('GET', ARGV[1]) redis.call('SET', KEYS[1], 'written') return 'done'";
  shard.send([...evalLine(source, here), there], EXCLUSIVE);
  shard.send(`GET ${here}`);
  shard.send(`STRLEN ${here}`);
  main.take(shard.run());
  main.take(shard.run());
  assert.is(textsOf(main.others), '$4\r\ndone\r\n$7\r\nwritten\r\n:7\r\n');
});

scripts('main hears of the end behind the reply', () => {
  const shard = firstShard();
  new PlayedMain(shard);
  shard.send(evalLine('return 1'), EXCLUSIVE);
  assert.equal(
    shard.run().map(({ kind, sequence }) => (kind === 'ask' ? `ask ${sequence}` : kind)),
    ['command', `ask ${ScriptRequest.end}`],
  );
});

scripts('what it has written elsewhere is ended there before the reply', () => {
  const main = new PlayedMain(firstShard(true));
  const source = "redis.call('SET', ARGV[1], 1) redis.call('SET', KEYS[1], 1) return 2";
  assert.is(main.run([...evalLine(source, here), there]), ':2\r\n');
  assert.equal(main.asked, [`SET ${there} 1`, 'prepare', 'end']);
});

scripts('what it has only read elsewhere needs no end', () => {
  const main = new PlayedMain(firstShard(true));
  const source = "redis.call('SET', KEYS[1], 1) return redis.call('EXISTS', ARGV[1])";
  main.run([...evalLine(source, here), there]);
  assert.equal(main.asked, [`EXISTS ${there}`, 'end']);
});

/** Kinds of records, and the transaction of those that end one over several shards. */
function shownRecords(records: readonly Buffer[]): (string | number)[] {
  return records.flatMap((record) => {
    const kind = record.readInt32LE(4 * Record.kind) & KIND_MASK;
    const [name] = Object.entries(RecordKind).find(([, number]) => number === kind)!;
    if (kind !== RecordKind.sharedCommit) return [name];
    return [name, record.readInt32LE(4 * Record.transaction)];
  });
}

scripts('its writes are one group in the log, also around what it asks', () => {
  const shard = firstShard(true);
  const main = new PlayedMain(shard);
  const write = "redis.call('APPEND', KEYS[1], 1)";
  main.run([...evalLine(`${write} redis.call('GET', ARGV[1]) ${write}`, here), there]);
  assert.equal(shownRecords(shard.takeLog()), ['command', 'command', 'commit']);
});

scripts('a group counts with those of the shards where it has written too', () => {
  const shard = firstShard(true);
  const main = new PlayedMain(shard);
  const source = "redis.call('SET', KEYS[1], 1) redis.call('SET', ARGV[1], 1)";
  main.run([...evalLine(source, here), there]);
  assert.equal(shownRecords(shard.takeLog()), ['command', 'sharedCommit', TRANSACTION]);
});

scripts('read-only forms write neither here nor elsewhere', () => {
  const main = new PlayedMain(firstShard());
  for (const key of [here, there]) {
    const source = `return redis.call('SET', '${key}', 1)`;
    const line = ['EVAL_RO', source, '1', here];
    assert.match(main.run(line), /^-ERR Write commands are not allowed from read-only scripts/);
  }
  assert.equal(
    main.asked.filter((asked) => asked !== 'end'),
    [],
  );
});

scripts('what does not compile is told to main, and to the client', () => {
  const shard = firstShard();
  new PlayedMain(shard);
  shard.send(evalLine('return ('), { flags: 0 });
  const frames = shard.run();
  assert.match(textsOf(frames), /^-ERR Error compiling script/);
  const [forgotten] = frames.filter(({ kind }) => kind === 'ask');
  assert.equal([forgotten!.sequence, forgotten!.text.length], [ScriptRequest.forget, 40]);
});

/** Libraries, and the bytes of their sources as they were counted. */
function countedLibraries(): { libraries: Libraries; bytes: number[] } {
  const bytes: number[] = [];
  const engines: LuaEngine[] = [];
  const made: Libraries = new Libraries({
    engine: () => engines.at(-1)!,
    counted: (_libraries, _functions, count) => bytes.push(count),
    log: () => undefined,
  });
  engines.push(
    new LuaEngine({
      memoryLimitBytes: 64 * 1024 * 1024,
      version: '7.4.1',
      versionNumber: 0x70401,
      running: {},
      loading: made.loadingFunctions(() => engines.at(-1)!),
    }),
  );
  return { libraries: made, bytes };
}

function library(name: string, rest = ''): string {
  return `#!lua name=${name}\nredis.register_function('${name}', function() return 1 end)${rest}`;
}

scripts('bytes of sources follow each change', () => {
  const { libraries: all, bytes } = countedLibraries();
  const [one, longer, two] = [library('one'), library('one', ' -- longer'), library('two')];
  all.load(one, false);
  all.load(two, false);
  all.load(longer, true);
  assert.equal(bytes, [one.length, one.length + two.length, longer.length + two.length]);
  all.delete('two');
  assert.is(bytes.at(-1), longer.length);
  all.unload();
  all.functionOf('one');
  assert.is(bytes.at(-1), longer.length, 'loaded again');
  all.flush();
  assert.is(bytes.at(-1), 0);
});

scripts('libraries that are restored together are counted once', () => {
  const { libraries: all, bytes } = countedLibraries();
  const codes = ['one', 'two', 'three'].map((name) => library(name));
  all.restore(codes, 'append');
  assert.equal(bytes, [codes.join('').length]);
  all.restore(codes, 'replace');
  assert.is(bytes.at(-1), codes.join('').length);
});

scripts.run();
