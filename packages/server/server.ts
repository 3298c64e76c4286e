/** Puts the server together: threads, rings, router, listeners. */

import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ERROR_CODES, errors, Logger, systemClock, type Clock } from '#base';
import { commandTable } from '#commands';
import { configName, settingNames, type Settings } from '#config';
import { Page, Rate, type PageShape } from '#diag';
import {
  defaultShape,
  Doorbell,
  layoutOf,
  LinkMemory,
  RingReader,
  RingWriter,
  type SettingValue,
} from '#link';
import { BlockPool, Listener, type ConnectionSupplies } from '#net';
import { ParsedCommand } from '#resp';
import { executingIn, Router, ShardLink } from '#router';
import { Clients } from './clients.ts';
import { crashReport, writeCrashReport } from './crash-report.ts';
import { MainRunner } from './main-runner.ts';
import { Measures } from './measures.ts';
import { OpsLink } from './ops-link.ts';
import { ShardPool } from './shard-pool.ts';
import { Turn } from './turn.ts';
import { VERSION } from './version.ts';

/** Between two looks at whether all clients have their replies. */
const DRAIN_POLL_MS = 5;
/** Shards that have not ended by then are ended. */
const SHARD_STOP_MS_MAX = 1_000;

export class Server {
  readonly settings: Settings;
  readonly clients: Clients;
  readonly router: Router;
  readonly log: Logger;
  readonly shardCount: number;
  readonly #ops: OpsLink;
  readonly #clock: Clock = systemClock;
  readonly #memory: LinkMemory;
  readonly #pool: ShardPool;
  readonly #turn: Turn;
  readonly #doorbell: Doorbell;
  readonly #listener: Listener;
  readonly #mainPage: Page;
  readonly #shardPages: readonly Page[];
  readonly #rates = { commands: new Rate(), bytesRead: new Rate(), bytesWritten: new Rate() };
  readonly #runId = randomBytes(20).toString('hex');
  #peakBytes = 0;
  #ticker: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(settings: Settings) {
    this.settings = settings;
    this.#ops = new OpsLink(settings);
    this.log = new Logger(
      'main',
      () => this.#clock.wallMs(),
      () => this.#ops.level,
      (record) => {
        this.#ops.post(record);
      },
    );
    this.shardCount = shardCountOf(settings);
    const shape = defaultShape(this.shardCount);
    const layout = layoutOf(shape);
    const memory = LinkMemory.allocate(layout.bytes);
    this.#memory = memory;
    const pageShape: PageShape = {
      databases: settings.number('server.databases'),
      commands: commandTable.entries.length,
      errorCodes: ERROR_CODES.length,
    };
    const pageBytes = Page.bytes(pageShape);
    const pageMemory = (): SharedArrayBuffer => new SharedArrayBuffer(pageBytes);
    const shardMemory = Array.from({ length: this.shardCount }, pageMemory);
    this.#shardPages = shardMemory.map((page) => new Page(pageShape, page));
    this.#mainPage = new Page(pageShape, pageMemory());
    this.#mainPage.set('startedUs', this.#clock.nowUs());
    this.#mainPage.tracksLatency = settings.boolean('latency.tracking');
    settings.onChange('latency.tracking', (value) => {
      this.#mainPage.tracksLatency = value;
    });
    this.#pool = new ShardPool({
      link: shape,
      memory,
      pageShape,
      pages: shardMemory,
      settings: shardSettings(settings),
      died: (shard, reason) => {
        this.#shardDied(shard, reason);
      },
    });
    const links = layout.requests.map((requests, index) => {
      const replies = layout.replies[index]!;
      return new ShardLink(
        index,
        memory,
        new RingWriter(memory, requests),
        new RingReader(memory, replies),
        this.#pool.ports[index]!,
      );
    });
    const runner = new MainRunner(this);
    this.router = new Router({
      memory,
      links,
      page: this.#mainPage,
      clock: this.#clock,
      runOnMain: (client, entry, args, reply) => {
        runner.run(client, entry, args, reply);
      },
      gate: (client, entry) => this.clients.gate(client, entry),
      isOutOfMemory: () => this.#isOutOfMemory(),
    });
    this.#doorbell = new Doorbell(memory, layout.doorbell);
    this.#turn = new Turn(this.router, this.#doorbell);
    const blocks = new BlockPool(memory, layout.blocks, shape.blocks, shape.blockBytes);
    this.clients = new Clients(this.router, settings, this.#mainPage, blocks);
    const limits = {
      bulkBytesMax: settings.number('server.proto-max-bulk-len'),
      queryBytesMax: settings.number('server.query-buffer-limit'),
    };
    settings.onChange('server.proto-max-bulk-len', (value) => {
      limits.bulkBytesMax = value;
    });
    settings.onChange('server.query-buffer-limit', (value) => {
      limits.queryBytesMax = value;
    });
    const supplies: ConnectionSupplies = {
      pool: blocks,
      read: Buffer.from(memory.memory.buffer, layout.read, shape.readBytes),
      readAt: layout.read,
      command: new ParsedCommand(),
      limits,
      begin: () => {
        this.#turn.begin();
      },
      dirty: (connection) => {
        this.#turn.dirty(connection);
      },
      counters: {
        read: (bytes) => {
          this.#mainPage.add('bytesRead', bytes);
        },
        wrote: (bytes) => {
          this.#mainPage.add('bytesWritten', bytes);
        },
        queryLimitExceeded: () => {
          this.#mainPage.add('queryLimitDisconnections', 1);
        },
      },
    };
    this.#listener = new Listener({
      binds: settings.list('server.bind'),
      port: settings.number('server.port'),
      unixSocket: settings.string('server.unix-socket'),
      unixSocketMode: 0,
      backlog: settings.number('server.tcp-backlog'),
      supplies,
      accept: (connection) => {
        this.clients.accept(connection);
      },
    });
    this.#followSettings();
  }

  /** Begins to serve; rejects when an address cannot be had. */
  async start(): Promise<void> {
    try {
      await this.#listener.open();
    } catch (error) {
      this.#isStopping = true;
      await this.#pool.terminate();
      throw error;
    }
    this.#turn.listen();
    this.#startTicking();
    this.settings.onChange('server.hz', () => {
      this.#startTicking();
    });
    this.#ops.start();
    this.log.info('started', 'svc is ready', { shards: this.shardCount, pid: process.pid });
  }

  /** Looks at time-outs, limits and rates `hz` times a second. */
  #startTicking(): void {
    clearInterval(this.#ticker);
    this.#ticker = setInterval(() => {
      this.#tick();
    }, 1_000 / this.settings.number('server.hz'));
  }

  #tick(): void {
    this.router.readClock();
    this.clients.tick(this.router.nowMs);
    const nowUs = this.#clock.nowUs();
    const page = this.#mainPage;
    page.set('heartbeatUs', nowUs);
    this.#rates.commands.sample(page.get('commands'), nowUs);
    this.#rates.bytesRead.sample(page.get('bytesRead'), nowUs);
    this.#rates.bytesWritten.sample(page.get('bytesWritten'), nowUs);
    this.#peakBytes = Math.max(this.#peakBytes, this.#usedBytes());
  }

  #usedBytes(): number {
    return this.#shardPages.reduce((sum, page) => sum + page.get('usedBytes'), 0);
  }

  /** Reads everything that is counted. */
  measure(): Measures {
    return new Measures({
      settings: this.settings,
      main: this.#mainPage,
      shards: this.#shardPages,
      clients: this.clients.all,
      rates: this.#rates,
      runId: this.#runId,
      nowMs: this.#clock.wallMs(),
      nowUs: this.#clock.nowUs(),
      uptimeSeconds: Math.floor(process.uptime()),
      rssBytes: process.memoryUsage.rss(),
      peakBytes: this.#peakBytes,
      linkBytes: this.#memory.bytes.length,
      executable: fileURLToPath(new URL('./main.js', import.meta.url)),
    });
  }

  /** CONFIG RESETSTAT. */
  resetStatistics(): void {
    this.#mainPage.resetStatistics();
    this.#peakBytes = this.#usedBytes();
    this.router.broadcast({ kind: 'reset-statistics' });
  }

  /** SHUTDOWN; `now` waits for nobody. */
  shutdown(now: boolean): void {
    if (now) {
      this.#listener.close();
      void this.#end(0);
    } else {
      void this.stop();
    }
  }

  /** There is nothing that can be called off: once begun, a shutdown goes through. */
  abortShutdown(): boolean {
    return false;
  }

  #isOutOfMemory(): boolean {
    const limit = this.settings.number('memory.maxmemory');
    if (limit === 0 || this.#usedBytes() <= limit) return false;
    const policy = this.settings.string('memory.maxmemory-policy');
    return policy === 'noeviction' || (policy.startsWith('volatile-') && !this.#hasVolatileKeys());
  }

  #hasVolatileKeys(): boolean {
    const databases = this.settings.number('server.databases');
    for (const page of this.#shardPages) {
      for (let index = 0; index < databases; index += 1) if (page.expires(index) > 0) return true;
    }
    return false;
  }

  /** Hands every change of a setting on to the shards, in order with the commands. */
  #followSettings(): void {
    for (const name of settingNames) {
      this.settings.onChange(name, () => {
        const value = this.settings.get(name) as SettingValue;
        this.router.broadcast({ kind: 'settings', values: { [configName(name)]: value } });
        this.#turn.begin();
      });
    }
  }

  /** A shard that fails takes the server with it: half of the keys would be no server. */
  #shardDied(shard: number, reason: unknown): void {
    const page = this.#shardPages[shard]!;
    const executing = executingIn(page, this.#memory, this.#clock.nowUs());
    const client = this.router.clientInSlot(executing?.connection ?? -1);
    const report = crashReport(shard, reason, executing, client?.address ?? '?', VERSION);
    const while_ = executing === null ? '' : ` while running ${executing.command}`;
    const message = `shard ${String(shard)} has died${while_}: ${report.reason}`;
    this.log.error('shard-died', message, { shard, command: executing?.command ?? null });
    process.exitCode = 1;
    try {
      const folder = this.settings.string('persistence.data-dir');
      const file = writeCrashReport(folder, report, this.#clock.wallMs());
      this.log.error('crash-report', `the crash report is ${file}`, { file });
    } catch (error) {
      process.stderr.write(`svc: ${message}\n${report.stack ?? ''}\n${String(error)}\n`);
    }
    this.#listener.close();
    for (const waiting of this.clients.all) this.router.abandon(waiting, errors.shardDown(shard));
    this.#turn.begin();
    setImmediate(() => void this.#end(0));
  }

  /** Accepts no more, finishes what is in flight for as long as the settings allow, ends the threads. */
  async stop(): Promise<void> {
    if (this.#isStopping) return;
    this.log.info('stopping', 'svc finishes what is in flight and stops');
    this.#listener.close();
    const timeoutMs = this.settings.number('server.shutdown-timeout-secs') * 1_000;
    for (const client of this.clients.all) client.end();
    this.#turn.begin();
    await this.#end(timeoutMs);
  }

  /** Ends everything; waits for clients to get their replies, but no longer than `timeoutMs`. */
  async #end(timeoutMs: number): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    const untilMs = this.#clock.wallMs() + timeoutMs;
    while (this.clients.count > 0 && this.#clock.wallMs() < untilMs) await sleep(DRAIN_POLL_MS);
    for (const client of this.clients.all) client.socket.destroy();
    clearInterval(this.#ticker);
    this.#pool.expectEnd();
    this.router.broadcast({ kind: 'stop' });
    this.router.publish();
    await Promise.race([this.#pool.ended(), sleep(SHARD_STOP_MS_MAX)]);
    await this.#pool.terminate();
    this.#doorbell.stop();
    this.log.info('stopped', 'svc has stopped');
    await this.#ops.stop();
  }
}

function shardCountOf(settings: Settings): number {
  const wanted = settings.number('server.shards');
  return wanted > 0 ? wanted : Math.max(1, availableParallelism() - 1);
}

/** What shards are told: every setting under the name that CONFIG knows it by. */
function shardSettings(settings: Settings): Record<string, SettingValue> {
  return Object.fromEntries(
    settingNames.map((name) => [configName(name), settings.get(name) as SettingValue]),
  );
}
