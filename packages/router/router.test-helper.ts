/** For tests: a router whose shards are the test. It sees what is sent to each, and answers when and as it likes. */

import { User } from '#acl';
import { type Bytes, CommandError, ERROR_CODES } from '#base';
import {
  type Arguments,
  type Command,
  commandTable,
  type MainContext,
  type TransactionsPort,
} from '#commands';
import {
  frameBytes,
  FrameKind,
  HOST_WORDS,
  HostWord,
  KIND_MASK,
  kindName,
  layoutOf,
  type LinkLayout,
  LinkMemory,
  type LinkShape,
  Reply,
  REPLY_HEADER_BYTES,
  Request,
  REQUEST_HEADER_BYTES,
  RequestFlag,
  RingReader,
  RingWriter,
  ScriptControl,
  TraceRingWriter,
} from '#link';
import { CommandParser, OwnedReply, ParsedCommand } from '#resp';
import { commandLogs, LatencyEvents, MainBands, Page } from '#stats';
import { encodeCommand, FakeClock } from '#testkit';
import { Client } from './clients/client.ts';
import type { ClientSocket } from './clients/client-socket.ts';
import { Router } from './router.ts';
import { RunningTrace } from './traces/running-trace.ts';
import { ShardLink } from './shards/shard-link.ts';

const RING_BYTES = 16 * 1024;
const NO_LOG = { isOn: () => false, debug: () => undefined, trace: () => undefined };
/** Kinds of frames that have two words more before their spans. */
const HOSTED: ReadonlySet<number> = new Set([FrameKind.host, FrameKind.share, FrameKind.offer]);
const NO_WAITING = { nowMs: 0, unixUs: 0, mayBlock: true, defer: () => () => undefined };

/** Frame that main has sent. */
export interface SentFrame {
  readonly kind: string;
  /** Its arguments, the command's name first; of a `lend`, the keys. */
  readonly args: readonly string[];
  readonly slot: number;
  readonly sequence: number;
  /** The word that holds verdicts and reasons, too. */
  readonly word5: number;
  /** The body of a message. */
  readonly body: string;
  /** Number of the transaction of a `host`, a `share`, an `offer` or an `exec`. */
  readonly transaction: number;
  readonly lenders: number;
  /** True for a script for which the other shards are stopped. */
  readonly isExclusive: boolean;
}

/** A shard, played by the test. */
class PlayedShard {
  readonly #memory: LinkMemory;
  readonly #requests: RingReader;
  readonly #replies: RingWriter;

  constructor(memory: LinkMemory, requests: RingReader, replies: RingWriter) {
    this.#memory = memory;
    this.#requests = requests;
    this.#replies = replies;
  }

  /** Takes what main has sent and published, but for who the clients are. */
  take(): SentFrame[] {
    const { words } = this.#memory;
    const frames: SentFrame[] = [];
    for (let at = this.#requests.next(); at >= 0; at = this.#requests.next()) {
      const frame = this.#read(at >> 2);
      if (frame.kind !== 'introduce') frames.push(frame);
      this.#requests.advance(words[at >> 2]!);
    }
    this.#requests.release();
    return frames;
  }

  /** Takes the only frame that there is. */
  takeOne(): SentFrame {
    const [frame, ...more] = this.take();
    if (frame === undefined || more.length > 0) throw new Error('not one frame was sent');
    return frame;
  }

  #read(word: number): SentFrame {
    const { words, bytes } = this.#memory;
    const kind = words[word + Request.kind]! & KIND_MASK;
    const spans = word + Request.spans + (HOSTED.has(kind) ? HOST_WORDS : 0);
    const count = kind === FrameKind.exec ? 0 : words[word + Request.argumentCount]!;
    const bodyAt = (spans + 2 * count) << 2;
    const args = Array.from({ length: count }, (_, nth) => {
      const from = bodyAt + words[spans + 2 * nth]!;
      return Buffer.from(bytes.slice(from, from + words[spans + 2 * nth + 1]!)).toString('latin1');
    });
    const bodyEnd = bodyAt + words[word + Request.bodyBytes]!;
    return {
      kind: kindName(kind),
      args,
      body: Buffer.from(bytes.slice(bodyAt, bodyEnd)).toString('latin1'),
      slot: words[word + Request.connection]!,
      sequence: words[word + Request.sequence]! >>> 0,
      word5: words[word + Request.verdict]!,
      transaction: words[word + HostWord.transaction]!,
      lenders: words[word + HostWord.lenders]!,
      isExclusive: (words[word + Request.kind]! & RequestFlag.exclusive) !== 0,
    };
  }

  /** Sends the reply to a command, or to several consecutive ones in one frame. */
  reply({ slot, sequence }: SentFrame, text: string, count = 1): void {
    this.send(FrameKind.command, { slot, sequence, count }, Buffer.from(text, 'latin1'));
  }

  /** Sends this shard's part of a command, as its handler would have returned it. */
  part(frame: SentFrame, value: unknown, flags = 0): void {
    const { slot, sequence } = frame;
    this.send(FrameKind.part, { slot, sequence, flags }, encodedPart(frame, value));
  }

  /** Says something else of a client's command. */
  signal(kind: number, { slot, sequence }: SentFrame, flags = 0, doubles: number[] = []): void {
    const body = new Uint8Array(Float64Array.from(doubles).buffer);
    this.send(kind, { slot, sequence, flags }, body);
  }

  /** Sends any frame: kind with its bits, head and body. */
  send(
    kind: number,
    head: { slot: number; sequence: number; count?: number; flags?: number },
    body: Bytes,
  ): void {
    const { words, bytes } = this.#memory;
    const size = frameBytes(REPLY_HEADER_BYTES + body.length);
    const at = this.#replies.reserve(size);
    const word = at >> 2;
    words.fill(0, word, word + Reply.body);
    words[word + Reply.bytes] = size;
    words[word + Reply.kind] = kind;
    words[word + Reply.connection] = head.slot;
    words[word + Reply.sequence] = head.sequence;
    words[word + Reply.count] = head.count ?? 0;
    words[word + Reply.bodyBytes] = body.length;
    words[word + Reply.flags] = head.flags ?? 0;
    bytes.set(body, at + REPLY_HEADER_BYTES);
    this.#replies.commit(size);
    this.#replies.publish();
  }
}

/** A shard's part of a command's answer, on its way to main. */
export function encodedPart({ args }: SentFrame, value: unknown): Bytes {
  const { command } = commandTable.byName(args[0]!)!;
  if (command.route !== 'byKey' && command.route !== 'everyShard') throw new Error('has no parts');
  const writer = new OwnedReply(2);
  if (value instanceof CommandError) writer.error(value);
  else command.merge.part.encode(value as never, writer);
  return writer.take();
}

/** A connection that keeps what it gets. */
class PlayedSocket implements ClientSocket {
  readonly remoteAddress = '127.0.0.1:1';
  readonly localAddress = '127.0.0.1:2';
  readonly bytesRead = 0;
  readonly queryBytes = 0;
  readonly parsedBytes = 0;
  readonly queryMemoryBytes = 0;
  readonly isUnix = false;
  readonly descriptor = -1;
  readonly tls = undefined;
  readonly isStalled = false;
  unauthenticated = false;
  isClosed = false;
  /** Number of times that its held commands were asked for again. */
  resumes = 0;
  readonly output;
  #received = '';

  constructor(memory: LinkMemory) {
    const take = (source: Bytes, at: number, length: number): void => {
      this.#received += Buffer.from(source.slice(at, at + length)).toString('latin1');
    };
    this.output = {
      pendingBytes: 0,
      unsentBytes: 0,
      bytesWritten: 0,
      append: (at: number, length: number) => take(memory.bytes, at, length),
      appendBytes: take,
      give: (bytes: Bytes) => take(bytes, 0, bytes.length),
    };
  }

  /** Takes what came since the last time. */
  received(): string {
    const text = this.#received;
    this.#received = '';
    return text;
  }

  resume(): void {
    this.resumes += 1;
  }

  touch(): void {
    // Replies are kept at once: there is nothing to flush.
  }

  closeAfterReplies(): void {
    this.isClosed = true;
  }

  hangUp(): void {
    this.destroy();
  }

  destroy(): void {
    this.isClosed = true;
  }
}

/** A client of the router, and its connection. */
export class PlayedClient {
  readonly client: Client;
  readonly socket: PlayedSocket;
  /** Replies that were put aside since their turn had not come. */
  parkings = 0;
  readonly #router: Router;

  constructor(router: Router, memory: LinkMemory) {
    this.socket = new PlayedSocket(memory);
    this.#router = router;
    // Without blocks, replies before their turn wait in memory of their own.
    const take = (): number => {
      this.parkings += 1;
      return -1;
    };
    const blocks = { memory, blockBytes: 0, take, give: () => undefined };
    this.client = router.addClient(
      (slot) => new Client(slot + 1, slot, this.socket, router.nowMs, blocks, User.unrestricted()),
    );
    this.client.session.authenticated = true;
  }

  /** Sends a command, a line is divided at its blanks; answers whether the router has taken it. */
  send(words: string | readonly string[]): ReturnType<Router['dispatch']> {
    const bytes = encodeCommand(typeof words === 'string' ? words.split(' ') : words);
    const command = new ParsedCommand();
    new CommandParser(command, { bulkBytesMax: Infinity }).next(bytes, 0, bytes.length);
    return this.#router.dispatch(this.client, command);
  }

  /** Takes what came since the last time. */
  received(): string {
    return this.socket.received();
  }

  /** Hangs up. */
  leave(): void {
    this.socket.isClosed = true;
    this.#router.removeClient(this.client);
  }
}

/** Callbacks that do nothing. */
const NO_CALLS = {
  spokeHttp: () => undefined,
  keyEvents: () => undefined,
  replication: {
    takeFeed: () => undefined,
    synced: () => undefined,
    wrote: () => undefined,
    drained: () => undefined,
  },
  beginTurn: () => undefined,
  publishedAnswers: () => undefined,
  isShardStuck: () => true,
};

/** Everybody may do everything. */
const NO_ACCESS = {
  failureRefusal: () => undefined,
  execRefusal: () => undefined,
  denied: () => undefined,
};

/** A router with a number of shards, played by the test. */
export class RouterFixture {
  readonly router: Router;
  readonly shards: readonly PlayedShard[];
  readonly page = newPage();
  readonly clock = new FakeClock();
  isOutOfMemory = false;
  /** Reason why EXEC is refused; undefined while it is not. */
  refusedExec: CommandError | undefined;
  /** Microseconds that each of main's commands takes. */
  mainUs = 0;
  /** Microseconds since when each shard's script runs; 0 while none does. */
  readonly scriptsSinceUs: number[];
  /** Lines that scripts have logged, with their levels. */
  readonly logged: (readonly [level: number, message: string])[] = [];
  readonly #memory: LinkMemory;

  constructor(shards: number, ringBytes = RING_BYTES, isDurable = false) {
    const shape: LinkShape = {
      shards,
      requestRingBytes: ringBytes,
      replyRingBytes: RING_BYTES,
      logRingBytes: 0,
      readBytes: 64,
      blocks: 1,
      blockBytes: 512,
    };
    const layout = layoutOf(shape);
    const memory = LinkMemory.allocate(layout.bytes);
    this.#memory = memory;
    this.scriptsSinceUs = new Array<number>(shards).fill(0);
    const port = { send: () => undefined, receive: () => new ArrayBuffer(0) };
    const links = layout.requests.map(
      (place, index) =>
        new ShardLink(
          index,
          memory,
          new RingWriter(memory, place),
          new RingReader(memory, layout.replies[index]!),
          port,
        ),
    );
    this.shards = layout.requests.map(
      (place, index) =>
        new PlayedShard(
          memory,
          new RingReader(memory, place),
          new RingWriter(memory, layout.replies[index]!),
        ),
    );
    this.router = new Router({
      memory,
      links,
      page: this.page,
      clock: this.clock,
      notes: {
        logs: commandLogs(-1, () => 0),
        latency: new LatencyEvents(),
        bands: new MainBands(this.page, shards),
      },
      log: NO_LOG,
      running: new RunningTrace(),
      tracing: { ring: new TraceRingWriter(memory, layout.traces), random: () => 0.5 },
      scripts: this.#playedScripts(layout),
      gate: (_client, { route }) => (route === 'exec' ? this.refusedExec : undefined),
      ...NO_ACCESS,
      ...NO_CALLS,
      isOutOfMemory: () => this.isOutOfMemory,
      queryBytesMax: () => Infinity,
      runOnMain: (client, { command }, args, reply) => {
        this.#runOnMain(client, command, args, reply);
      },
    });
    this.router.isDurable = isDurable;
    this.router.readClock();
  }

  #runOnMain(client: Client, command: Command, args: Arguments, reply: OwnedReply): void {
    if (command.route !== 'onMain') throw new CommandError('ERR not for main');
    const { transactions: all } = this.router;
    const transactions: TransactionsPort = {
      isOpen: client.transaction !== undefined,
      begin: () => {
        all.begin(client);
      },
      discard: () => {
        all.discard(client);
      },
      unwatch: () => {
        all.unwatch(client);
      },
    };
    this.clock.advanceUs(this.mainUs);
    command.run({ client, reply, transactions, ...NO_WAITING } as MainContext, args);
  }

  #playedScripts({ scripts }: LinkLayout) {
    return {
      controls: scripts.map((at) => new ScriptControl(this.#memory, at)),
      sinceUs: (shard: number) => this.scriptsSinceUs[shard]!,
      commandOf: () => [],
      nameOf: () => null,
      lineOf: () => 0,
      thresholdMs: () => 5,
      log: (level: number, message: string) => {
        this.logged.push([level, message]);
      },
    };
  }

  newClient(): PlayedClient {
    return new PlayedClient(this.router, this.#memory);
  }

  /** One turn of main: the shards receive the frames, and the clients the replies. */
  turn(): void {
    this.router.publish();
    this.router.drain();
    this.router.publish();
  }

  /** Takes the frames that each shard is sent, after a turn. */
  sent(): SentFrame[][] {
    this.turn();
    return this.shards.map((shard) => shard.take());
  }
}

function newPage(): Page {
  const shape = {
    databases: 16,
    commands: commandTable.entries.length,
    errorCodes: ERROR_CODES.length,
  };
  return new Page(shape, new ArrayBuffer(Page.bytes(shape)));
}

/** Kinds and arguments of frames, to be compared. */
export function shown(frames: readonly SentFrame[]): string[] {
  return frames.map(({ kind, args }) => [kind, ...args].join(' '));
}

/** Frame of a command that a shard's script calls. */
export function calledFrame(line: string): Bytes {
  const args = line.split(' ').map((word) => Buffer.from(word, 'latin1'));
  const body = Buffer.concat(args);
  const bodyAt = REQUEST_HEADER_BYTES + 8 * args.length;
  const bytes = new Uint8Array(frameBytes(bodyAt + body.length));
  const words = new Int32Array(bytes.buffer);
  words[Request.bytes] = bytes.length;
  words[Request.kind] = FrameKind.command;
  words[Request.command] = commandTable.byName(args[0]!.toString())!.id;
  words[Request.argumentCount] = args.length;
  words[Request.bodyBytes] = body.length;
  let at = 0;
  for (const [nth, { length }] of args.entries()) {
    words.set([at, length], Request.spans + 2 * nth);
    at += length;
  }
  bytes.set(body, bodyAt);
  return bytes;
}
