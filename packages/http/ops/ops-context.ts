/** Context of the HTTP side: given by the ops thread, used by every group of routes. */

import { type LogFields, type LogRecord, PacedTimer, systemClock } from '#base';
import type { ReplicationState } from '#api-types';
import { type ClusterUpdate, ThreadRates } from '#stats';
import type { HealthOptions, Observer } from '#observer';
import type { RecentLine, TraceStore, VerdictFigures } from '#telemetry';
import type { MainClient } from './main-client.ts';
import type { HttpFixedSettings, HttpLiveSettings } from '../views/settings.ts';

/** Between two readings from which rates are made, as main has them. */
const SAMPLE_MS = 100;
/** Records of the log that are kept until the time line is loaded. */
const EARLY_RECORDS_MAX = 1_000;

export interface OpsHttpOptions {
  /** Called with each request: the thread has work. */
  worked(): void;
  readonly observer: Observer;
  readonly version: string;
  readonly fixed: HttpFixedSettings;
  readonly live: HttpLiveSettings;
  readonly mainClient: MainClient;
  /** Path of the task that packs bundles. */
  readonly bundleTask: string;
  readonly traces: TraceStore;
  /** Returns the latest lines of the log with a number above that, oldest first. */
  recentLog(after: number): readonly RecentLine[];
  logLinesDropped(): number;
  verdictFigures(): VerdictFigures;
  log(
    level: 'trace' | 'info' | 'warn' | 'error',
    event: string,
    message: string,
    fields?: LogFields,
  ): void;
}

export class OpsContext {
  readonly observer: Observer;
  readonly version: string;
  readonly fixed: HttpFixedSettings;
  readonly mainClient: MainClient;
  readonly traces: TraceStore;
  readonly clock = systemClock;
  live: HttpLiveSettings;
  readonly recentLog: OpsHttpOptions['recentLog'];
  readonly logLinesDropped: OpsHttpOptions['logLinesDropped'];
  readonly verdictFigures: OpsHttpOptions['verdictFigures'];
  readonly log: OpsHttpOptions['log'];
  /** Names of the users with rows of their own on the pages, in the order of the rows. */
  readonly userNames: string[] = [];
  /** Latest state of replicas and primary from main; undefined before there was either. */
  replication: ReplicationState | undefined;
  /** Latest state of the cluster from main; undefined without a cluster. */
  cluster: ClusterUpdate | undefined;
  /** Takes records of the log for the time line; until that is loaded, they are kept. */
  noteRecord: (record: LogRecord) => void = (record) => {
    if (this.earlyRecords.length < EARLY_RECORDS_MAX) this.earlyRecords.push(record);
  };
  readonly earlyRecords: LogRecord[] = [];
  readonly mainRates: ThreadRates;
  readonly shardRates: readonly ThreadRates[];
  readonly #sampler: PacedTimer;
  /** Commands of all threads, as of the last sample. */
  #commands = 0;

  constructor(options: OpsHttpOptions) {
    this.observer = options.observer;
    this.version = options.version;
    this.fixed = options.fixed;
    this.live = options.live;
    this.mainClient = options.mainClient;
    this.traces = options.traces;
    this.recentLog = (after) => options.recentLog(after);
    this.logLinesDropped = () => options.logLinesDropped();
    this.verdictFigures = () => options.verdictFigures();
    this.log = (level, event, message, fields) => {
      options.log(level, event, message, fields);
    };
    this.mainRates = new ThreadRates(this.observer.main);
    this.shardRates = this.observer.shards.map((page) => new ThreadRates(page));
    this.#sampler = new PacedTimer(SAMPLE_MS, () => {
      this.#sample();
    });
    this.#sampler.start();
  }

  close(): void {
    this.#sampler.stop();
  }

  /** Sources from which health is judged, without the time. */
  get healthOptions(): Omit<HealthOptions, 'nowUs' | 'wallMs'> {
    const { observer, version, mainRates, shardRates, live } = this;
    const settings = live.status;
    return { observer, version, mainRates, shardRates, settings, clientId: () => null };
  }

  #sample(): void {
    const { main, shards } = this.observer;
    let commands = main.get('commands');
    for (const shard of shards) commands += shard.get('commands');
    if (commands !== this.#commands) this.#sampler.worked();
    this.#commands = commands;
    const nowUs = this.clock.nowUs();
    this.mainRates.sample(nowUs);
    for (const rates of this.shardRates) rates.sample(nowUs);
  }
}
