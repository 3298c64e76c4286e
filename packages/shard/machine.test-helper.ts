/**
 * For tests: shards whose main is the test. It sends each of them frames, sees what they say, and passes on to others what it
 * likes, when it likes. With a journal their logs are kept in memory.
 */

import { type Bytes, ERROR_CODES, systemClock } from '#base';
import {
  type CommandEntry,
  commandTable,
  shardSettingNames,
  type ShardSettingValues,
} from '#commands';
import {
  DATABASE_SHIFT,
  frameBytes,
  FrameKind,
  KIND_MASK,
  kindName,
  layoutOf,
  type LinkLayout,
  LinkMemory,
  LogProgress,
  Reply,
  REPLY_HEADER_BYTES,
  Request,
  REQUEST_HEADER_BYTES,
  RequestFlag,
  RingReader,
  RingWriter,
  ScriptExchange,
} from '#link';
import { Page, ThreadProfiler } from '#stats';
import { FakeClock } from '#testkit';
import { Journal } from './log/journal.ts';
import { newShard } from './composition/new-shard.ts';
import type { ShardMachine } from './machine/machine.ts';

const RING_BYTES = 64 * 1024;
/** The epoch of all logs: the life of the server in which they are written. */
export const EPOCH = 1;
const HOSTED: ReadonlySet<number> = new Set([FrameKind.host, FrameKind.share, FrameKind.offer]);

/** Settings as they are at the start, as far as these tests need them. */
function settings(): ShardSettingValues {
  const limits = shardSettingNames.filter((name) => /-max-(?!len|arg)/.test(name));
  return {
    ...(Object.fromEntries(shardSettingNames.map((name) => [name, 0])) as object),
    ...(Object.fromEntries(limits.map((name) => [name, 128])) as object),
    'memory.active-defrag': false,
    'memory.active-expire-effort': 1,
    'replication.ignore-maxmemory': true,
    'replication.read-only': true,
    'server.databases': 16,
    'cluster.enabled': false,
    'cluster.slot-stats-enabled': false,
    'server.hz': 10,
    'hotkeys.window-enabled': false,
    'key-prefixes.prefixes': [],
    'keyfate.overwritten': false,
    'latency-bands.bands': [],
    'latency-bands.enabled': false,
    'latency.tracking': true,
    'memory.maxmemory-policy': 'noeviction',
    'server.notify-keyspace-events': '',
    'persistence.durability-mode': 'async',
    'persistence.wal-failure-policy': 'reject',
    'server.proto-max-bulk-len': 512 * 1024 ** 2,
    'server.reported-redis-version': '7.4.0',
    'slowlog.log-slower-than': -1,
    'commandlog.request-larger-than': -1,
    'commandlog.reply-larger-than': -1,
    'tiered.when-full': 'evict',
  } as unknown as ShardSettingValues;
}

/** Frame to be sent; what is left out is 0. */
interface Head {
  readonly kind: number;
  readonly slot?: number;
  readonly sequence?: number;
  readonly database?: number;
  readonly flags?: number;
  /** The word of verdicts, watchers and reasons. */
  readonly word5?: number;
  readonly transaction?: number;
  readonly lenders?: number;
}

/** Frame that a shard has sent. */
export interface ShardFrame {
  readonly kind: string;
  readonly slot: number;
  readonly sequence: number;
  readonly count: number;
  readonly flags: number;
  readonly body: Bytes;
  readonly text: string;
}

/** A key to be lent, and what the host may do with it: bits of LendFlag. */
type AskedKey = readonly [key: string, flags: number];

/** A ring of requests whose reader does not sleep: meanwhile the test plays main. */
class PlayedRequests extends RingReader {
  whileAsleep: () => void = () => undefined;

  override sleep(): void {
    this.whileAsleep();
  }
}

/** Things that all shards of a server have in common. */
interface SharedByShards {
  readonly memory: LinkMemory;
  readonly layout: LinkLayout;
  readonly clock: FakeClock;
  /** Wakes a shard for a script of another; undefined where scripts reach others by way of main only. */
  wake: ((shard: number) => void) | undefined;
}

/** A shard, and main's ends of its rings. */
class PlayedShard {
  readonly machine: ShardMachine;
  readonly page: Page;
  readonly #memory: LinkMemory;
  readonly #requests: RingWriter;
  readonly #reader: PlayedRequests;
  readonly #replies: RingReader;
  readonly #log: LogReader | undefined;
  #sequence = 0;

  constructor({ memory, layout, clock, wake }: SharedByShards, index: number) {
    this.#memory = memory;
    this.#requests = new RingWriter(memory, layout.requests[index]!);
    this.#reader = new PlayedRequests(memory, layout.requests[index]!);
    this.#replies = new RingReader(memory, layout.replies[index]!);
    this.page = newPage();
    this.#log = layout.logs.length > 0 ? new LogReader(memory, layout, index) : undefined;
    let ids = 0;
    const count = (): number => (ids += 1);
    this.machine = newShard({
      index,
      shardCount: layout.requests.length,
      memory,
      replies: new RingWriter(memory, layout.replies[index]!),
      page: this.page,
      clock,
      requests: this.#reader,
      outlet: { ring: () => undefined, transfer: () => undefined },
      receive: () => new ArrayBuffer(0),
      random: () => 0.5,
      seed: Buffer.alloc(16, index),
      settings: settings(),
      usedBytesOfAll: () => 0,
      workspaceAt: layout.workspaces[index]!,
      scriptControlAt: layout.scripts[index]!,
      flight: { note: () => undefined },
      profiler: new ThreadProfiler(),
      sleep: () => undefined,
      ...(wake && {
        shardExchange: { exchange: new ScriptExchange(memory, layout.scriptExchange), wake },
      }),
      takeLogIds: count,
      nextRemovedKeyId: count,
      ...(this.#log && { journal: this.#log.journal }),
    }).machine;
  }

  /** Plays main while the shard sleeps in the middle of a command. */
  set whileAsleep(act: () => void) {
    this.#reader.whileAsleep = act;
  }

  /** Sends a command of a client; the frame's kind may be another. Answers its sequence. */
  send(line: string | readonly string[], head: Partial<Head> = {}): number {
    const texts = typeof line === 'string' ? line.split(' ') : line;
    const words = texts.map((word) => Buffer.from(word, 'latin1'));
    const sequence = head.sequence ?? this.#sequence;
    if (head.sequence === undefined) this.#sequence += 1;
    const whole = { kind: FrameKind.command, slot: 1, ...head, sequence };
    const spans = spansOf(words, 0);
    const extra = HOSTED.has(whole.kind) ? [head.transaction ?? 0, head.lenders ?? 0] : [];
    this.#put(
      whole,
      entryOf(texts.join(' ')).id,
      words.length,
      [...extra, ...spans],
      Buffer.concat(words),
    );
    return sequence;
  }

  /** Sends the commands of a transaction. */
  exec(lines: readonly string[], head: Partial<Head> = {}): number {
    const sequence = head.sequence ?? this.#sequence;
    if (head.sequence === undefined) this.#sequence += 1;
    const slot = head.slot ?? 1;
    const inner = Buffer.concat(lines.map((line) => queued(line, slot)));
    const extra = [head.transaction ?? 0, head.lenders ?? 0];
    const whole = { slot, ...head, kind: FrameKind.exec, sequence };
    this.#put(whole, entryOf('EXEC').id, lines.length, extra, inner);
    return sequence;
  }

  /** Asks for keys, for a host. */
  lend(host: number, transaction: number, keys: readonly AskedKey[], watcher = 0): void {
    const parts = keys.map(([key, flags]) =>
      Buffer.from(`\0\0\0${String.fromCharCode(flags)}${key}`),
    );
    const head = { kind: FrameKind.lend, slot: host, sequence: transaction, word5: watcher };
    this.#put(head, 0, keys.length, spansOf(parts, 4), Buffer.concat(parts));
  }

  /** Sends a message without arguments. */
  report(head: Head, body: Bytes = new Uint8Array(0)): void {
    this.#put(head, 0, 0, [], body);
  }

  #put(
    head: Head,
    command: number,
    count: number,
    more: readonly number[],
    body: Uint8Array,
  ): void {
    const { words, bytes } = this.#memory;
    const bodyAt = REQUEST_HEADER_BYTES + 4 * more.length;
    const size = frameBytes(bodyAt + body.length);
    const at = this.#requests.reserve(size);
    const word = at >> 2;
    words[word + Request.bytes] = size;
    words[word + Request.kind] =
      head.kind | (head.flags ?? 0) | ((head.database ?? 0) << DATABASE_SHIFT);
    words[word + Request.command] = command;
    words[word + Request.connection] = head.slot ?? 0;
    words[word + Request.sequence] = head.sequence ?? 0;
    words[word + Request.enqueuedUs] = head.word5 ?? 0;
    words[word + Request.argumentCount] = count;
    words[word + Request.bodyBytes] = body.length;
    words.set(more, word + Request.spans);
    bytes.set(body, at + bodyAt);
    this.#requests.commit(size);
    this.#requests.publish();
  }

  /** Runs all frames that were sent to the shard; returns its frames. */
  run(): ShardFrame[] {
    for (let nth = 0; nth < 3; nth += 1) this.machine.step();
    return this.heard();
  }

  /** Takes what the shard has said. */
  heard(): ShardFrame[] {
    const { words, bytes } = this.#memory;
    const frames: ShardFrame[] = [];
    for (let at = this.#replies.next(); at >= 0; at = this.#replies.next()) {
      const word = at >> 2;
      const from = at + REPLY_HEADER_BYTES;
      const body = bytes.slice(from, from + words[word + Reply.bodyBytes]!);
      frames.push({
        kind: kindName(words[word + Reply.kind]! & KIND_MASK),
        slot: words[word + Reply.connection]!,
        sequence: words[word + Reply.sequence]!,
        count: words[word + Reply.count]!,
        flags: words[word + Reply.flags]!,
        body,
        text: Buffer.from(body).toString('latin1'),
      });
      this.#replies.advance(words[word]!);
    }
    this.#replies.release();
    return frames;
  }

  /** Sends a command and lets the shard run; returns the text of all replies. */
  call(line: string | readonly string[], head: Partial<Head> = {}): string {
    this.send(line, head);
    return textsOf(this.run());
  }

  get keyCount(): number {
    return this.machine.store.keyCount;
  }

  /** Takes the records that were logged since the last time, one after the other. */
  takeLog(): Buffer[] {
    return this.#log?.take() ?? [];
  }
}

/** The reader of a shard's log, and the journal that writes it. */
class LogReader {
  readonly journal: Journal;
  readonly #memory: LinkMemory;
  readonly #ring: RingReader;

  constructor(memory: LinkMemory, layout: LinkLayout, index: number) {
    this.#memory = memory;
    this.#ring = new RingReader(memory, layout.logs[index]!);
    this.journal = new Journal({
      memory,
      ring: new RingWriter(memory, layout.logs[index]!),
      progress: new LogProgress(memory, layout.logProgress[index]!),
      clock: systemClock,
      epoch: () => EPOCH,
      wake: () => undefined,
      writeHere: () => true,
      transfer: () => undefined,
    });
    this.journal.begin();
  }

  take(): Buffer[] {
    const { words, bytes } = this.#memory;
    const records: Buffer[] = [];
    for (let at = this.#ring.next(); at >= 0; at = this.#ring.next()) {
      const size = words[at >> 2]!;
      records.push(Buffer.from(bytes.slice(at, at + size)));
      this.#ring.advance(size);
    }
    this.#ring.release();
    return records;
  }
}

/** Shards of one server, with one clock. */
export class ShardsFixture {
  readonly clock = new FakeClock();
  readonly shards: readonly PlayedShard[];

  /** `isExchanging`: scripts reach other shards also without main. */
  constructor(shards: number, isDurable = false, isExchanging = false) {
    const layout = layoutOf({
      shards,
      requestRingBytes: RING_BYTES,
      replyRingBytes: RING_BYTES,
      logRingBytes: isDurable ? RING_BYTES : 0,
      readBytes: 64,
      blocks: 1,
      blockBytes: 512,
    });
    const memory = LinkMemory.allocate(layout.bytes);
    const { clock } = this;
    const wake = isExchanging ? (): void => undefined : undefined;
    this.shards = layout.requests.map(
      (_, index) => new PlayedShard({ memory, layout, clock, wake }, index),
    );
  }

  /** Passes on what is for other shards, as main does; returns the rest. */
  pass(frames: readonly ShardFrame[]): ShardFrame[] {
    return frames.filter((frame) => {
      if (frame.kind !== 'copies' && frame.kind !== 'returned') return true;
      this.shards[frame.slot]!.report({ kind: FrameKind[frame.kind] }, frame.body);
      return false;
    });
  }

  /** Runs all shards and exchanges their frames until there are none left. */
  settle(): ShardFrame[] {
    const others: ShardFrame[] = [];
    for (let isQuiet = false; !isQuiet;) {
      isQuiet = true;
      for (const shard of this.shards) {
        const frames = shard.run();
        if (frames.length > 0) isQuiet = false;
        others.push(...this.pass(frames));
      }
    }
    return others;
  }
}

/** The bodies of replies, one after the other. */
export function textsOf(frames: readonly ShardFrame[]): string {
  return frames
    .filter(({ kind }) => kind === 'command')
    .map(({ text }) => text)
    .join('');
}

/** A client that watches keys, in the word of `lend` frames. */
export function watcherWord(slot: number): number {
  return slot + 1;
}

export const WATCHING = RequestFlag.watches;

function spansOf(parts: readonly Uint8Array[], prefixBytes: number): number[] {
  let at = 0;
  return parts.flatMap(({ length }) => {
    const span = [at + prefixBytes, length - prefixBytes];
    at += length;
    return span;
  });
}

/** A command of a transaction, as a frame in the frame of EXEC. */
function queued(line: string, slot: number): Buffer {
  const args = line.split(' ').map((word) => Buffer.from(word, 'latin1'));
  const body = Buffer.concat(args);
  const bodyAt = REQUEST_HEADER_BYTES + 8 * args.length;
  const frame = Buffer.alloc(frameBytes(bodyAt + body.length));
  const words = new Int32Array(frame.buffer, frame.byteOffset, frame.length >>> 2);
  words[Request.bytes] = frame.length;
  words[Request.kind] = FrameKind.command;
  words[Request.command] = entryOf(line).id;
  words[Request.connection] = slot;
  words[Request.argumentCount] = args.length;
  words[Request.bodyBytes] = body.length;
  words.set(spansOf(args, 0), Request.spans);
  frame.set(body, bodyAt);
  return frame;
}

function entryOf(line: string): CommandEntry {
  const [name = '', sub = ''] = line.split(' ');
  const entry = commandTable.byName(name.toUpperCase());
  return commandTable.byName(`${name}|${sub}`.toUpperCase()) ?? entry!;
}

function newPage(): Page {
  const shape = {
    databases: 16,
    commands: commandTable.entries.length,
    errorCodes: ERROR_CODES.length,
  };
  return new Page(shape, new ArrayBuffer(Page.bytes(shape)));
}
