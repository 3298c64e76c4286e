/** Puts the server together: threads, rings, router, listeners. */

import { availableParallelism } from 'node:os';
import { ERROR_CODES, Logger, systemClock, type Clock } from '#base';
import { commandTable } from '#commands';
import { configName, settingNames, type Settings } from '#config';
import { Page, type PageShape } from '#diag';
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
import { Router, ShardLink } from '#router';
import { Clients } from './clients.ts';
import { MainRunner } from './main-runner.ts';
import { OpsLink } from './ops-link.ts';
import { ShardPool } from './shard-pool.ts';
import { Turn } from './turn.ts';

/** Between two looks at timeouts, limits and the like. */
const TICK_MS = 100;

export class Server {
  readonly settings: Settings;
  readonly clients: Clients;
  readonly router: Router;
  readonly log: Logger;
  readonly shardCount: number;
  readonly #ops: OpsLink;
  readonly #clock: Clock = systemClock;
  readonly #pool: ShardPool;
  readonly #turn: Turn;
  readonly #doorbell: Doorbell;
  readonly #listener: Listener;
  readonly #mainPage: Page;
  readonly #shardPages: readonly Page[];
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
    const runner = new MainRunner();
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
    runner.attach(this.router);
    this.clients = new Clients(this.router, settings, this.#mainPage);
    this.#doorbell = new Doorbell(memory, layout.doorbell);
    this.#turn = new Turn(this.router, this.#doorbell);
    const blocks = new BlockPool(memory, layout.blocks, shape.blocks, shape.blockBytes);
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
    await this.#listener.open();
    this.#turn.listen();
    this.#ticker = setInterval(() => {
      this.#tick();
    }, TICK_MS);
    this.#ops.start();
    this.log.info('started', 'svc is ready', { shards: this.shardCount, pid: process.pid });
  }

  #tick(): void {
    this.router.readClock();
    this.clients.tick(this.router.nowMs);
    this.#mainPage.set('heartbeatUs', this.#clock.nowUs());
  }

  #isOutOfMemory(): boolean {
    const limit = this.settings.number('memory.maxmemory');
    if (limit === 0) return false;
    let used = 0;
    for (const page of this.#shardPages) used += page.get('usedBytes');
    return used > limit && this.settings.get('memory.maxmemory-policy') === 'noeviction';
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

  #shardDied(shard: number, reason: unknown): void {
    process.stderr.write(`svc: shard ${String(shard)} has died: ${String(reason)}\n`);
    process.exitCode = 1;
    void this.stop();
  }

  /** Accepts no more, finishes what is in flight, ends the threads. */
  async stop(): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#listener.close();
    clearInterval(this.#ticker);
    for (const client of this.clients.all) client.end();
    this.#doorbell.stop();
    await this.#pool.terminate();
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
