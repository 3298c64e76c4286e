/** Main function of the ops thread: receives log records, exchanges requests with main, and serves HTTP until the stop. */

import type { SecureContextOptions } from 'node:tls';
import type { MessagePort } from 'node:worker_threads';
import {
  Logger,
  type LogRecord,
  type LogThreshold,
  readMemoryMap,
  systemClock,
  thresholdIndex,
} from '#base';
import type { ReplicationState } from '#api-types';
import { type ClusterUpdate, flightRecorder, mainStandstill, type Page } from '#stats';
import { type CallMessage, isCall, type ModuleMetric, PortCalls, TraceRingReader } from '#link';
import { Observer, type ObserverData } from '#observer';
import { LogWriter, type LogWriterOptions, TraceStore, type VerdictFigures } from '#telemetry';
import { newWatches } from './new-watches.ts';
import type { VerdictWatch } from './verdict-watch.ts';
import { OpsHttp } from './ops-http.ts';
import { OpsVitals } from './ops-vitals.ts';
import { MainClient } from './main-client.ts';
import { LatencyWindowsPublisher } from './latency-windows.ts';
import type { Watches } from './watches.ts';
import type { HttpFixedSettings, HttpLiveSettings } from '../views/settings.ts';

/** Data that the thread is started with. */
export interface OpsData {
  readonly port: MessagePort;
  readonly logging: LogWriterOptions;
  readonly version: string;
  readonly observer: ObserverData;
  readonly http: HttpFixedSettings;
  readonly live: HttpLiveSettings;
  readonly bundleTask: string;
}

/** Messages from main, beside questions. */
export type OpsMessage =
  | CallMessage
  | { readonly kind: 'log'; readonly records: readonly LogRecord[] }
  | { readonly kind: 'log-lines'; readonly level: LogThreshold; readonly hidesUserData: boolean }
  | { readonly kind: 'user'; readonly name: string }
  | { readonly kind: 'replication'; readonly state: ReplicationState }
  | { readonly kind: 'cluster'; readonly update: ClusterUpdate }
  /** Metrics of main's modules, once main is put together. */
  | { readonly kind: 'metrics'; readonly metrics: readonly ModuleMetric[] }
  | { readonly kind: 'secure'; readonly options: SecureContextOptions }
  | { readonly kind: 'reopen-log' }
  | { readonly kind: 'stop' };

/** Messages to main, beside questions. */
export type OpsNotice =
  | { readonly kind: 'listening' }
  | { readonly kind: 'cannot-listen'; readonly message: string }
  | { readonly kind: 'stopped' };

/** Figures before the limits are watched. */
const NO_FIGURES: VerdictFigures = {
  threadTimes: new Map(),
  stalledUs: new Map(),
  room: undefined,
};

export class OpsThread {
  readonly #data: OpsData;
  readonly #writer: LogWriter;
  readonly #calls: PortCalls;
  readonly #http: OpsHttp;
  readonly #page: Page;
  readonly #vitals: OpsVitals;
  readonly #windows: LatencyWindowsPublisher;
  readonly #watches: Watches;
  readonly #observer: Observer;
  readonly #mainClient: MainClient;
  readonly #logger: Logger;
  /** Loaded after the rest: it needs the table of commands. */
  #verdictWatch: VerdictWatch | undefined;
  #isStopping = false;
  readonly #traces: TraceStore;
  readonly #linkBytes: number;
  #live: HttpLiveSettings;
  #level: number;

  constructor(data: OpsData) {
    this.#data = data;
    this.#writer = new LogWriter(data.logging);
    const observer = new Observer(data.observer);
    this.#page = observer.ops;
    this.#linkBytes = observer.memory.bytes.length;
    const [, recorder] = observer.recorders.at(-1)!;
    this.#vitals = new OpsVitals(observer, flightRecorder(recorder));
    this.#windows = new LatencyWindowsPublisher(observer, data.observer.windows);
    this.#calls = new PortCalls(data.port);
    this.#level = thresholdIndex(data.logging.level);
    const logger = new Logger(
      'ops',
      () => systemClock.wallMs(),
      () => this.#level,
      (record) => {
        this.#writer.write([record]);
        this.#http.noteRecord(record);
      },
    );
    const mainClient = new MainClient({
      calls: this.#calls,
      standstill: () => mainStandstill(observer.main, observer.commandNames, systemClock.nowUs()),
      wallMs: () => systemClock.wallMs(),
    });
    this.#observer = observer;
    this.#mainClient = mainClient;
    this.#logger = logger;
    this.#live = data.live;
    this.#watches = newWatches({ observer, mainClient, logger, settings: () => this.#live });
    this.#traces = new TraceStore({
      ring: new TraceRingReader(observer.memory, observer.layout.traces),
      clock: systemClock,
      commandNames: observer.commandNames,
      endpoint: data.http.traceEndpoint,
      identity: data.http.identity,
      settings: data.live.traces,
      log: (level, event, message, fields) => {
        logger[level](event, message, fields);
      },
    });
    this.#http = new OpsHttp({
      worked: () => {
        this.#vitals.worked();
      },
      traces: this.#traces,
      observer,
      version: data.version,
      fixed: data.http,
      live: data.live,
      mainClient,
      bundleTask: data.bundleTask,
      recentLog: (after) => this.#writer.recentAfter(after),
      logLinesDropped: () => this.#writer.droppedLines,
      verdictFigures: () => this.#verdictWatch?.figures ?? NO_FIGURES,
      log: (level, event, message, fields) => {
        logger[level](event, message, fields);
      },
    });
  }

  async #watchLimits(): Promise<void> {
    const { VerdictWatch } = await import('./verdict-watch.ts');
    if (this.#isStopping) return;
    this.#verdictWatch = new VerdictWatch({
      observer: this.#observer,
      memory: this.#data.observer.verdict,
      health: () => this.#http.healthOptions,
      mainClient: this.#mainClient,
      log: (level, event, message) => {
        this.#logger[level](event, message);
      },
    });
    this.#verdictWatch.start();
  }

  run(): void {
    this.#vitals.start();
    this.#watches.start();
    this.#calls.on('reset-statistics', async () => {
      this.#page.resetStatistics();
      await this.#http.forgetMetrics();
      return null;
    });
    this.#calls.on('purge', async () => {
      await this.#vitals.purge();
      return null;
    });
    this.#calls.on('live', async (live) => {
      this.#live = live as HttpLiveSettings;
      this.#traces.apply(this.#live.traces);
      await this.#http.apply(this.#live);
      return null;
    });
    this.#calls.on('bundle-generate', async () => (await this.#http.bundles()).generate());
    this.#calls.on('memory-map', () => readMemoryMap(this.#linkBytes) ?? null);
    this.#calls.on('trace-figures', () => this.#traces.figures);
    this.#calls.on('traces', (count) => this.#traces.recent(count as number));
    this.#calls.on('bundle-list', async () => (await this.#http.bundles()).list());
    this.#data.port.on('message', (message: OpsMessage) => {
      this.#take(message);
    });
    void this.#listen();
  }

  async #listen(): Promise<void> {
    try {
      if (this.#data.http.isEnabled) await this.#http.open();
      this.#report({ kind: 'listening' });
    } catch (error) {
      this.#report({ kind: 'cannot-listen', message: (error as Error).message });
      return;
    }
    await this.#http.load();
    await this.#watchLimits();
  }

  #take(message: OpsMessage): void {
    if (isCall(message)) {
      this.#calls.take(message);
      return;
    }
    switch (message.kind) {
      case 'log':
        this.#writer.write(message.records);
        for (const record of message.records) this.#http.noteRecord(record);
        break;
      case 'log-lines':
        this.#level = thresholdIndex(message.level);
        this.#writer.setLevel(message.level);
        this.#writer.setHidesUserData(message.hidesUserData);
        break;
      case 'user':
        this.#http.addUser(message.name);
        break;
      case 'replication':
        this.#http.takeReplication(message.state);
        break;
      case 'cluster':
        this.#http.takeCluster(message.update);
        break;
      case 'metrics':
        this.#http.addMetrics(message.metrics);
        break;
      case 'secure':
        this.#http.secure(message.options);
        break;
      case 'reopen-log':
        this.#writer.reopenFile(systemClock.wallMs());
        break;
      case 'stop':
        void this.#stop();
        break;
    }
  }

  async #stop(): Promise<void> {
    this.#isStopping = true;
    await this.#http.close();
    this.#vitals.stop();
    this.#watches.stop();
    this.#verdictWatch?.stop();
    this.#windows.stop();
    await this.#traces.close();
    await this.#writer.close();
    this.#report({ kind: 'stopped' });
    this.#data.port.close();
  }

  #report(notice: OpsNotice): void {
    this.#data.port.postMessage(notice);
  }
}
