/**
 * A router and its shards in one thread, moved on step by step by a seeded scheduler: every thread may
 * be slow at any place. Rings are tiny, so that they are full and wrap all the time.
 */
import { User } from '#acl';
import { assert, type Bytes, CommandError, ERROR_CODES } from '#base';
import {
  type Arguments,
  type Command,
  commandTable,
  type MainContext,
  type TransactionsPort,
} from '#commands';
import { Settings } from '#config';
import { commandLogs, LatencyEvents, MainBands, Page, ThreadProfiler } from '#stats';
import {
  layoutOf,
  LinkMemory,
  type LinkLayout,
  type LinkShape,
  RingReader,
  RingWriter,
  ScriptControl,
  TraceRingReader,
  TraceRingWriter,
} from '#link';
import { BlockPool } from '#net';
import { CommandParser, type OwnedReply, ParsedCommand } from '#resp';
import {
  type BodyPort,
  Client,
  type ClientSocket,
  type MainNotes,
  Router,
  RunningTrace,
  ShardLink,
  type TracingSettings,
} from '#router';
import { newShard, type ShardMachine } from '#shard';
import {
  encodeCommand,
  FakeClock,
  type Random,
  randomCommands,
  SessionModel,
  StringModel,
  type Words,
} from '#testkit';
import { shardSettings } from '#main';

const RING_BYTES = 8 * 1024;
const BLOCK_BYTES = 512;
const BLOCKS = 16;
/** Larger than a frame of such a ring may be. */
const LARGE_BYTES = 3_000;

/** Two ends of a way for what does not fit a ring. */
class Ports {
  readonly #toShard: ArrayBuffer[] = [];
  readonly #toMain: ArrayBuffer[] = [];
  readonly main: BodyPort = {
    send: (body) => void this.#toShard.push(body),
    receive: () => this.#toMain.shift()!,
  };
  readonly transfer = (body: ArrayBuffer): void => void this.#toMain.push(body);
  readonly receive = (): ArrayBuffer => this.#toShard.shift()!;
}

/** A client that sends its queued input, and keeps its received output. */
class SimulatedClient implements ClientSocket {
  readonly remoteAddress = '127.0.0.1:1';
  readonly localAddress = '127.0.0.1:2';
  readonly bytesRead = 0;
  readonly queryBytes = 0;
  readonly parsedBytes = 0;
  readonly queryMemoryBytes = 0;
  readonly isUnix = false;
  readonly descriptor = -1;
  readonly tls = undefined;
  unauthenticated = false;
  isClosed = false;
  isStalled = false;
  received = '';
  expected = '';
  readonly output;
  readonly waiting: Words[] = [];
  readonly #send: (words: Words) => boolean;

  constructor(memory: LinkMemory, send: (from: SimulatedClient, words: Words) => boolean) {
    this.#send = (words) => send(this, words);
    const take = (source: Bytes, at: number, length: number): void => {
      this.received += Buffer.from(source.slice(at, at + length)).toString('latin1');
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

  /** Sends up to `count` commands, as far as the router takes them. */
  pump(count: number): void {
    for (let nth = 0; nth < count && !this.isStalled; nth += 1) {
      const [words] = this.waiting;
      if (words === undefined) return;
      if (this.#send(words)) this.waiting.shift();
      else this.isStalled = true;
    }
  }

  resume(): void {
    this.isStalled = false;
    this.pump(Infinity);
  }

  touch(): void {
    // Replies are kept at once: there is nothing to flush.
  }

  closeAfterReplies(): void {
    this.destroy();
  }

  hangUp(): void {
    this.destroy();
  }

  destroy(): void {
    this.isClosed = true;
  }
}

/** Other arguments of main's commands: none of those used here waits. */
const NO_WAITING = { nowMs: 0, unixUs: 0, mayBlock: true, defer: () => () => undefined };

/** A transaction ends after two messages; one more turn brings what it held back. */
const SETTLING_ROUNDS = 100;

interface SimulationShape {
  readonly shards: number;
  readonly clients: number;
  readonly commands: number;
  readonly keys: readonly string[];
}

const NO_LOG = { isOn: () => false, debug: () => undefined, trace: () => undefined };
/** Enough to break up the replies that share a frame, and to leave some that do. */
const TRACING: TracingSettings = {
  isEnabled: true,
  samplingRate: 0.25,
  reportsAll: false,
  keepSlowUs: 5_000,
  keepsFailed: true,
  spans: { scatterGather: true, shard: true, persistence: false },
};

/** Judges that refuse no command. */
const NO_REFUSALS = {
  gate: () => undefined,
  failureRefusal: () => undefined,
  execRefusal: () => undefined,
  isOutOfMemory: () => false,
  publishedAnswers: () => undefined,
  isShardStuck: () => true,
  queryBytesMax: () => Infinity,
};

/** Takers of the router's reports; each report is dropped. */
const NO_TAKERS = {
  denied: () => undefined,
  spokeHttp: () => undefined,
  keyEvents: () => undefined,
  beginTurn: () => undefined,
  replication: {
    takeFeed: () => undefined,
    synced: () => undefined,
    wrote: () => undefined,
    drained: () => undefined,
  },
};

function linkOf({ shards }: SimulationShape): LinkShape {
  return {
    shards,
    requestRingBytes: RING_BYTES,
    replyRingBytes: RING_BYTES,
    logRingBytes: 0,
    readBytes: 64,
    blocks: BLOCKS,
    blockBytes: BLOCK_BYTES,
  };
}

export class Simulation {
  readonly clients: readonly SimulatedClient[];
  readonly model = new StringModel();
  readonly router: Router;
  readonly machines: readonly ShardMachine[];
  readonly pages: readonly Page[];
  readonly mainPage: Page;
  readonly #random: Random;
  readonly #traces: TraceRingReader;
  /** Number of requests that main has traced. */
  tracesReported = 0;
  #logIds = 0;
  #removedKeyIds = 0;
  readonly #clock = new FakeClock();
  readonly #routed = new Map<SimulatedClient, Client>();
  readonly #sessions = new Map<SimulatedClient, SessionModel>();
  readonly #command = new ParsedCommand();
  readonly #parser = new CommandParser(this.#command, { bulkBytesMax: Infinity });

  constructor(shape: SimulationShape, random: Random) {
    this.#random = random;
    const layout = layoutOf(linkOf(shape));
    const memory = LinkMemory.allocate(layout.bytes);
    this.pages = Array.from({ length: shape.shards }, newPage);
    const ports = this.pages.map(() => new Ports());
    const links = this.pages.map(
      (_, index) =>
        new ShardLink(
          index,
          memory,
          new RingWriter(memory, layout.requests[index]!),
          new RingReader(memory, layout.replies[index]!),
          ports[index]!.main,
        ),
    );
    this.mainPage = newPage();
    this.router = this.#newRouter(memory, layout, links);
    this.router.tracing.apply(TRACING);
    this.#traces = new TraceRingReader(memory, layout.traces);
    this.router.readClock();
    this.machines = ports.map((port, index) => this.#newMachine(memory, layout, index, port));
    const blocks = new BlockPool(memory, layout.blocks, BLOCKS, BLOCK_BYTES);
    this.clients = Array.from({ length: shape.clients }, () =>
      this.#newClient(memory, blocks, shape),
    );
  }

  #newRouter(memory: LinkMemory, layout: LinkLayout, links: readonly ShardLink[]): Router {
    return new Router({
      memory,
      links,
      page: this.mainPage,
      clock: this.#clock,
      notes: this.#notes(this.mainPage, links.length),
      log: NO_LOG,
      scripts: {
        controls: layout.scripts.map((at) => new ScriptControl(memory, at)),
        sinceUs: () => 0,
        commandOf: () => [],
        nameOf: () => null,
        lineOf: () => 0,
        thresholdMs: () => 0,
        log: () => undefined,
      },
      running: new RunningTrace(),
      tracing: {
        ring: new TraceRingWriter(memory, layout.traces),
        random: () => this.#random.fraction(),
      },
      ...NO_REFUSALS,
      ...NO_TAKERS,
      runOnMain: (client, { command }, args, reply) => {
        this.#runOnMain(client, command, args, reply);
      },
    });
  }

  #newMachine(memory: LinkMemory, layout: LinkLayout, index: number, port: Ports): ShardMachine {
    const replies = new RingWriter(memory, layout.replies[index]!);
    // A shard that waits for room resumes only when main has read replies: so main runs a turn.
    replies.waitForRoom = () => {
      this.#turn();
    };
    return newShard({
      index,
      shardCount: this.pages.length,
      memory,
      replies,
      page: this.pages[index]!,
      clock: this.#clock,
      requests: new RingReader(memory, layout.requests[index]!),
      outlet: { ring: () => undefined, transfer: port.transfer },
      receive: port.receive,
      random: () => this.#random.fraction(),
      seed: this.#random.bytes(16),
      settings: shardSettings(new Settings()),
      usedBytesOfAll: () => 0,
      workspaceAt: layout.workspaces[index]!,
      scriptControlAt: layout.scripts[index]!,
      flight: { note: () => undefined },
      profiler: new ThreadProfiler(),
      sleep: () => undefined,
      takeLogIds: (_kind, count) => this.#takeLogIds(count),
      nextRemovedKeyId: () => (this.#removedKeyIds += 1),
    }).machine;
  }

  #runOnMain(client: Client, command: Command, args: Arguments, reply: OwnedReply): void {
    if (command.route !== 'onMain') throw new CommandError('ERR not for main');
    const transactions = this.#transactionsOf(client);
    command.run({ client, reply, transactions, ...NO_WAITING } as MainContext, args);
  }

  #notes(page: Page, shards: number): MainNotes {
    const logs = commandLogs(-1, (_kind, count) => this.#takeLogIds(count));
    return { logs, latency: new LatencyEvents(), bands: new MainBands(page, shards) };
  }

  #takeLogIds(count: number): number {
    this.#logIds += count;
    return this.#logIds - count;
  }

  #transactionsOf(client: Client): TransactionsPort {
    const { transactions } = this.router;
    return {
      isOpen: client.transaction !== undefined,
      begin: () => {
        transactions.begin(client);
      },
      discard: () => {
        transactions.discard(client);
      },
      unwatch: () => {
        transactions.unwatch(client);
      },
    };
  }

  #newClient(memory: LinkMemory, blocks: BlockPool, shape: SimulationShape): SimulatedClient {
    const client = new SimulatedClient(memory, (from, words) => this.#dispatch(from, words));
    const routed = this.router.addClient(
      (slot) => new Client(slot + 1, slot, client, this.router.nowMs, blocks, User.unrestricted()),
    );
    routed.session.authenticated = true;
    this.#routed.set(client, routed);
    this.#sessions.set(client, new SessionModel(this.model));
    while (client.waiting.length < shape.commands) {
      client.waiting.push(...this.#randomCommands(shape.keys));
    }
    return client;
  }

  #randomCommands(keys: readonly string[]): Words[] {
    const random = this.#random;
    if (!random.chance(0.02)) return randomCommands(random, keys);
    return [['SET', random.pick(keys), 'L'.repeat(random.integer(1_000, LARGE_BYTES))]];
  }

  /** The order in which main takes commands is the order of everything. */
  #dispatch(from: SimulatedClient, words: Words): boolean {
    const taken = this.router.dispatch(this.#routed.get(from)!, this.#parsed(words)) === 'taken';
    if (taken) from.expected += this.#sessions.get(from)!.apply(words);
    return taken;
  }

  #parsed(words: Words): ParsedCommand {
    const bytes = encodeCommand(words);
    this.#parser.next(bytes, 0, bytes.length);
    return this.#command;
  }

  #turn(): void {
    this.router.publish();
    this.router.drain();
    this.router.tracing.flush();
    this.tracesReported += this.#traces.take(Infinity, ({ startUs, endUs, shards }) => {
      const isOrdered = shards.every((one) => one.startUs <= one.endUs && one.endUs <= endUs);
      assert(startUs <= endUs && isOrdered, 'a request ends after what shards did for it');
    });
  }

  /** Lets one of all threads do something. */
  step(): void {
    const random = this.#random;
    this.#clock.advanceUs(random.integer(1, 300));
    const choice = random.integer(0, this.machines.length + 2);
    const machine = this.machines[choice];
    if (machine !== undefined) machine.step();
    else if (random.chance(0.5)) this.#turn();
    else random.pick(this.clients).pump(random.integer(1, 40));
  }

  /** Lets all threads finish: keys on their way back to their shard arrive after the client's reply. */
  settle(): void {
    for (let round = 0; round < SETTLING_ROUNDS; round += 1) {
      this.#turn();
      for (const machine of this.machines) machine.step();
    }
    this.#turn();
  }

  get isDone(): boolean {
    return this.clients.every(
      (client) =>
        client.waiting.length === 0 && this.#routed.get(client)!.replies.outstanding === 0,
    );
  }
}

function newPage(): Page {
  const shape = {
    databases: 16,
    commands: commandTable.entries.length,
    errorCodes: ERROR_CODES.length,
  };
  return new Page(shape, new SharedArrayBuffer(Page.bytes(shape)));
}
