/** Reads everything that main's side of the server counts, and keeps the rates. */

import { type Clock, holdYoungGeneration, type Logger, residentBytes, residentParts } from '#base';
import type { ClientPort } from '#commands';
import { type Settings, VERSION } from '#config';
import {
  areErrorsTooMany,
  type LatencyBaseline,
  Rate,
  reportWork,
  threadMemoryReturn,
  ThreadRates,
  ThreadSamples,
} from '#stats';
import { ringDepth } from '#link';
import type { ThreadLoop } from '#net';
import { CLIENT_BYTES, type Router } from '#router';
import { statusDocument } from '#observer';
import { type Replication, ReplicationRates } from '#replication';
import { type ServerMemory, statusSettings } from '#main';
import { ServerMetrics, type Rates } from './server-metrics.ts';

export interface MetricsReaderOptions {
  readonly settings: Settings;
  readonly serverMemory: ServerMemory;
  readonly clock: Clock;
  readonly runId: string;
  /** The file that was started. */
  readonly executable: string;
  readonly connected: { readonly all: readonly ClientPort[] };
  readonly router: Router;
  readonly loop: ThreadLoop;
  readonly replication: Replication;
  readonly log: Pick<Logger, 'warn'>;
  /** Adds up what clients take. */
  sweepClients(): void;
}

export class MetricsReader {
  readonly #options: MetricsReaderOptions;
  readonly #rates: Rates;
  readonly #replicationRates: ReplicationRates;
  readonly #samples: ThreadSamples;
  /** Collections of the nursery, as of the last second. */
  #collections = 0;
  #areErrorsTooMany = false;
  /** Return of main's unused memory; what clients take is in use. */
  readonly memory = threadMemoryReturn();

  constructor(options: MetricsReaderOptions) {
    this.#options = options;
    const { mainPage, shardPages } = options.serverMemory;
    this.#replicationRates = new ReplicationRates(mainPage);
    this.#samples = new ThreadSamples(mainPage);
    this.#rates = {
      main: new ThreadRates(mainPage),
      shards: shardPages.map((page) => new ThreadRates(page)),
      bytesRead: new Rate(),
      bytesWritten: new Rate(),
    };
    this.measureStartup();
  }

  /** A value of the first shard's page: of what all shards have alike. */
  firstShard(name: 'libraries' | 'functions'): number {
    return this.#options.serverMemory.shardPages[0]!.get(name);
  }

  /** Takes the samples that are due `hz` times a second. */
  sample(nowUs: number): void {
    const page = this.#options.serverMemory.mainPage;
    page.set('peakBytes', Math.max(page.get('peakBytes'), this.#options.serverMemory.usedBytes));
    reportWork(page, nowUs, this.#options.loop.idleMs);
    if (this.#samples.take(nowUs)) {
      this.#measureBuffers();
      this.#holdYoungGeneration();
      this.memory.look(this.#bytesOfClients(), false);
      this.#watchErrorCodes();
    }
    this.#rates.main.sample(nowUs);
    for (const rates of this.#rates.shards) rates.sample(nowUs);
    this.#replicationRates.sample(nowUs);
    this.#rates.bytesRead.sample(page.get('bytesRead'), nowUs);
    this.#rates.bytesWritten.sample(page.get('bytesWritten'), nowUs);
  }

  /** Logs once that scripts have created more error codes than are reported. */
  #watchErrorCodes(): void {
    const { serverMemory, log } = this.#options;
    const areTooMany = areErrorsTooMany([serverMemory.mainPage, ...serverMemory.shardPages]);
    if (areTooMany && !this.#areErrorsTooMany) {
      log.warn(
        'error-codes',
        'Too many error codes from scripts: INFO errorstats and metrics omit further ones until CONFIG RESETSTAT',
      );
    }
    this.#areErrorsTooMany = areTooMany;
  }

  /** Records the resident memory of the server without data; called before the recovery. */
  measureStartup(): void {
    const { mainPage, usedBytes } = this.#options.serverMemory;
    mainPage.set('startupBytes', residentBytes() - usedBytes);
  }

  /** Bytes of the link memory. */
  get linkBytes(): number {
    return this.#options.serverMemory.memory.bytes.length;
  }

  /** Returns the status document, without requests to shards. */
  statusJson(): string {
    const { serverMemory, settings, clock, router } = this.#options;
    const document = statusDocument({
      observer: serverMemory.observer,
      settings: statusSettings(settings),
      version: VERSION,
      mainRates: this.#rates.main,
      shardRates: this.#rates.shards,
      nowUs: clock.nowUs(),
      wallMs: clock.wallMs(),
      clientId: (slot) => router.clientInSlot(slot)?.id ?? null,
    });
    return JSON.stringify(document);
  }

  /** Reads everything that is counted. */
  measure(baseline: LatencyBaseline | undefined): ServerMetrics {
    const { serverMemory, settings, clock, runId, executable, connected } = this.#options;
    this.#samples.take(clock.nowUs());
    this.#measureBuffers();
    const replication = this.#options.replication;
    // Figures of each tick, such as the memory of the stream, are shown as they are now.
    replication.primary.figures.show();
    return new ServerMetrics({
      settings,
      runId,
      replication,
      baseline,
      rates: this.#rates,
      clients: connected.all,
      main: serverMemory.mainPage,
      shards: serverMemory.shardPages,
      threads: serverMemory.observer.threads,
      logs: serverMemory.logFigures,
      nowMs: clock.wallMs(),
      nowUs: clock.nowUs(),
      rssBytes: residentBytes(),
      resident: residentParts(),
      linkBytes: this.linkBytes,
      logBufferBytes: this.#logBufferBytes(),
      executable,
      multiplexingApi: this.#options.loop.name,
    });
  }

  /** Bytes that clients are known to take, but for what each takes at rest, which is not to the byte. */
  #bytesOfClients(): number {
    const { serverMemory, connected } = this.#options;
    const { mainPage: page } = serverMemory;
    const buffers = page.get('queryBytes') + page.get('outputBytes');
    return Math.max(buffers, page.get('clientMemoryBytes') - CLIENT_BYTES * connected.all.length);
  }

  #holdYoungGeneration(): void {
    const collections = this.#options.serverMemory.mainPage.get('gcMinor');
    holdYoungGeneration(collections - this.#collections);
    this.#collections = collections;
  }

  #logBufferBytes(): number {
    const { memory, layout } = this.#options.serverMemory;
    return layout.logs.reduce((sum, place) => sum + ringDepth(memory, place).bytes, 0);
  }

  /** Adds up the memory of clients, of their buffers apart; the only look at all of them in each second. */
  #measureBuffers(): void {
    let queryBytes = 0;
    let outputBytes = 0;
    let outputMaxBytes = 0;
    let outputMaxClient = 0;
    for (const { id, traffic, roles } of this.#options.connected.all) {
      const bytes = traffic.outputBytes;
      queryBytes += traffic.queryMemoryBytes;
      outputBytes += bytes;
      if (bytes <= outputMaxBytes || roles.isReplica) continue;
      outputMaxBytes = bytes;
      outputMaxClient = id;
    }
    const { mainPage } = this.#options.serverMemory;
    this.#options.sweepClients();
    mainPage.set('queryBytes', queryBytes);
    mainPage.set('outputBytes', outputBytes);
    mainPage.set('outputMaxBytes', outputMaxBytes);
    mainPage.set('outputMaxClient', outputMaxClient);
  }
}
