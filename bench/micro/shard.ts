/**
 * Cost of a command in a shard, from its frame in the ring to its reply in the other: in one thread, without waking
 * anybody. Measured by type, and for SET and GET with each of the diagnostics on by itself; medians of rounds by turns.
 */
import { ERROR_CODES, fromLatin1, systemClock, byLogKind } from '#base';
import { commandTable, type ShardSettingValues } from '#commands';
import { Settings } from '#config';
import { HOT_KEYS, Page, ThreadProfiler } from '#stats';
import {
  encodeMessage,
  FrameKind,
  layoutOf,
  LinkMemory,
  RingReader,
  RingWriter,
  SharedCounter,
} from '#link';
import { type CommandBytes, CommandParser, ParsedCommand } from '#resp';
import { emptyHead, ShardLink } from '#router';
import { newShard, type ShardMachine } from '#shard';
import { shardSettings } from '#main';
import { resp } from '../load/generator.ts';
import { median } from '../load/rounds.ts';

const RING_BYTES = 1024 * 1024;
const KEYS = 50_000;
/** Commands that the ring has when the shard looks: as at pipeline 16 with 50 connections. */
const BATCH = 200;
/** Batch of commands that return a hundred elements: their replies fill the other ring. */
const LONG_BATCH = 50;
const COMMANDS = 100_000;
const LONG_COMMANDS = 5_000;
/** Elements of what is read. */
const ELEMENTS = 1_000;
const ROUNDS = 15;
const VALUE = 'x'.repeat(64);

type Words = readonly string[];

const off: Partial<ShardSettingValues> = {
  'latency-bands.enabled': false,
  'latency.tracking': false,
  'slowlog.log-slower-than': -1,
  'latency.monitor-threshold-ms': 0,
};
const diagnostics: Readonly<Record<string, typeof off>> = {
  'nothing on': {},
  histograms: { 'latency.tracking': true },
  bands: { 'latency-bands.enabled': true },
  'slow log of all': { 'slowlog.log-slower-than': 0 },
  'hot keys': {},
  all: {
    'latency-bands.enabled': true,
    'latency.tracking': true,
    'slowlog.log-slower-than': 0,
    'latency.monitor-threshold-ms': 1,
  },
};

/** A command as main has it, read already: nothing else is to go through the processor's caches. */
interface Encoded {
  readonly id: number;
  readonly bytes: CommandBytes;
}

const parsed = new ParsedCommand();
const parser = new CommandParser(parsed, { bulkBytesMax: Infinity });

function encoded(words: Words): Encoded {
  const bytes = fromLatin1(resp(...words));
  parser.next(bytes, 0, bytes.length);
  const { source, at, length, count } = parsed;
  const id = commandTable.byName(words[0]!)!.id;
  return { id, bytes: { source, at, length, count, spans: parsed.spans.slice(0, 2 * count) } };
}

/** A shard, and main's ends of its rings. */
class Bench {
  readonly #machine: ShardMachine;
  readonly #link: ShardLink;
  readonly #replies: RingReader;
  readonly #words: Int32Array;
  readonly #head = { ...emptyHead(), kind: FrameKind.command, connection: 1 };

  constructor(settings: Partial<ShardSettingValues>) {
    const layout = layoutOf({
      shards: 1,
      requestRingBytes: RING_BYTES,
      replyRingBytes: RING_BYTES,
      logRingBytes: 0,
      readBytes: 64,
      blocks: 1,
      blockBytes: 512,
    });
    const memory = LinkMemory.allocate(layout.bytes);
    const shape = {
      databases: 16,
      commands: commandTable.entries.length,
      errorCodes: ERROR_CODES.length,
    };
    const page = new Page(shape, new SharedArrayBuffer(Page.bytes(shape)));
    const logIds = byLogKind((kind) => new SharedCounter(memory, layout.logIds[kind]));
    const [requests, replies] = [layout.requests[0]!, layout.replies[0]!];
    const port = { send: () => undefined, receive: () => new ArrayBuffer(0) };
    this.#words = memory.words;
    this.#replies = new RingReader(memory, replies);
    this.#link = new ShardLink(0, memory, new RingWriter(memory, requests), this.#replies, port);
    this.#machine = newShard({
      index: 0,
      shardCount: 1,
      memory,
      page,
      clock: systemClock,
      random: Math.random,
      requests: new RingReader(memory, requests),
      replies: new RingWriter(memory, replies),
      outlet: { ring: () => undefined, transfer: () => undefined },
      receive: () => new ArrayBuffer(0),
      seed: new Uint8Array(16),
      settings: { ...shardSettings(new Settings()), ...off, ...settings },
      sleep: () => undefined,
      usedBytesOfAll: () => 0,
      flight: { note: () => undefined },
      profiler: new ThreadProfiler(),
      workspaceAt: layout.workspaces[0]!,
      scriptControlAt: layout.scripts[0]!,
      takeLogIds: (kind, count) => logIds[kind].take(count),
      nextRemovedKeyId: () => 0,
    }).machine;
  }

  startHotKeys(): void {
    const start = { metrics: ['cpu', 'net'], count: 16, sample: 100 };
    const body = encodeMessage([HOT_KEYS.name, { start }]);
    this.#link.sendMessage({ ...this.#head, kind: FrameKind.call }, body);
    this.#step();
  }

  /** Runs commands; nanoseconds of the shard for each. */
  run(commands: readonly Encoded[], batch = BATCH): number {
    let ns = 0;
    for (let at = 0; at < commands.length; at += batch) {
      for (const each of commands.slice(at, at + batch)) this.#write(each);
      ns += this.#step();
    }
    return ns / commands.length;
  }

  #write({ id, bytes }: Encoded): void {
    const head = this.#head;
    head.command = id;
    head.sequence += 1;
    head.enqueuedUs = systemClock.nowUs();
    const size = this.#link.frameSize(bytes.count, bytes.length);
    this.#link.writeCommand(this.#link.reserve(size), size, head, bytes);
  }

  /** Nanoseconds until the shard has done what was written; its replies are dropped. */
  #step(): number {
    this.#link.requests.publish();
    const beginNs = process.hrtime.bigint();
    while (this.#machine.step() === 0);
    const ns = Number(process.hrtime.bigint() - beginNs);
    const replies = this.#replies;
    for (let at = replies.next(); at >= 0; at = replies.next())
      replies.advance(this.#words[at >> 2]!);
    replies.release();
    return ns;
  }
}

const key = (prefix: string): string =>
  `${prefix}:${String(Math.floor(Math.random() * KEYS)).padStart(12, '0')}`;
const types: Readonly<Record<string, () => Words>> = {
  set: () => ['SET', key('key'), VALUE],
  get: () => ['GET', key('key')],
  incr: () => ['INCR', key('counter')],
  lpush: () => ['LPUSH', 'list', VALUE],
  rpop: () => ['RPOP', 'list'],
  sadd: () => ['SADD', 'set', key('element')],
  spop: () => ['SPOP', 'set'],
  hset: () => ['HSET', 'hash', key('field'), VALUE],
  zadd: () => ['ZADD', 'sorted', String(Math.floor(Math.random() * KEYS)), key('element')],
  zpopmin: () => ['ZPOPMIN', 'sorted'],
  xadd: () => ['XADD', 'stream', '*', 'field', VALUE],
};

/** Returns `count` names, each followed by a value. */
const fields = (count: number): Words =>
  Array.from({ length: count }, (_, nth) => [`field:${nth}`, `value of field ${nth}`]).flat();

/** Commands that answer a hundred elements, and those that fill their keys. */
const long: Readonly<Record<string, { readonly words: Words; readonly fill: () => Words }>> = {
  lrange_100: {
    words: ['LRANGE', 'list:read', '0', '99'],
    fill: () => ['RPUSH', 'list:read', VALUE],
  },
  hgetall_20: { words: ['HGETALL', 'hash:read'], fill: () => ['HSET', 'hash:read', ...fields(20)] },
  smembers_100: {
    words: ['SMEMBERS', 'set:read'],
    fill: () => ['SADD', 'set:read', ...fields(50)],
  },
  zrange_100: {
    words: ['ZRANGE', 'sorted:read', '0', '99'],
    fill: () => ['ZADD', 'sorted:read', String(Math.random()), key('element')],
  },
  xrange_100: {
    words: ['XRANGE', 'stream:read', '-', '+', 'COUNT', '100'],
    fill: () => ['XADD', 'stream:read', '*', 'field', VALUE],
  },
};

const row = (name: string, values: readonly number[]): void => {
  console.log(`${name.padEnd(16)} ${values.map((ns) => ns.toFixed(0).padStart(6)).join(' ')} ns`);
};
const many = (one: () => Words, length = COMMANDS): Encoded[] =>
  Array.from({ length }, () => encoded(one()));

const [part, ...names] = process.argv.slice(2);
const isChosen = (name: string): boolean => names.length === 0 || names.includes(name);
if (part !== 'diagnostics') {
  const bench = new Bench({});
  const chosen = Object.entries(types)
    .filter(([name]) => isChosen(name))
    .map(([name, one]) => ({ name, commands: many(one), batch: BATCH, spent: [] as number[] }));
  for (const [name, { words, fill }] of Object.entries(long)) {
    if (!isChosen(name)) continue;
    bench.run(many(fill, ELEMENTS));
    const commands = many(() => words, LONG_COMMANDS);
    chosen.push({ name, commands, batch: LONG_BATCH, spent: [] });
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { commands, batch, spent } of chosen) spent.push(bench.run(commands, batch));
  }
  for (const { name, spent } of chosen) row(name, [median(spent)]);
}
if (part !== 'types') {
  const [sets, gets] = [many(types['set']!), many(types['get']!)];
  const benches = Object.entries(diagnostics)
    .filter(([name]) => isChosen(name))
    .map(([name, settings]) => {
      const bench = new Bench(settings);
      if (name === 'hot keys' || name === 'all') bench.startHotKeys();
      return { name, bench, set: [] as number[], get: [] as number[] };
    });
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { bench, set, get } of benches) {
      set.push(bench.run(sets));
      get.push(bench.run(gets));
    }
  }
  console.log(`${''.padEnd(16)}    set    get`);
  for (const { name, set, get } of benches) row(name, [median(set), median(get)]);
}
