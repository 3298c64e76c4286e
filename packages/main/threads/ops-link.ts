/**
 * Main's end of the ops thread: sends log records and receives requests. Main waits for it only at the start and the
 * end.
 */

import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { ReplicationState } from '#api-types';
import { type LogRecord, recordWithoutUserData, thresholdIndex } from '#base';
import { settingNames, type Settings, VERSION } from '#config';
import type { MainAnswers, OpsData, OpsMessage, OpsNotice } from '#http';
import { type CallMessage, isCall, type ModuleMetric, PortCalls } from '#link';
import type { ClusterUpdate } from '#stats';
import { contextOptions, type TlsOptions } from '#net';
import type { ObserverData } from '#observer';
import { bundleTaskUrl } from '#workers';
import {
  httpFixedSettings,
  httpLiveSettings,
  loggingOptions,
  logLines,
} from '../settings/ops-settings.ts';
import { OpsWorker } from './ops-worker.ts';

/** Records kept while the thread is not there yet. */
const EARLY_RECORDS_MAX = 1_000;
/** Longest wait until changed settings are shown. */
const SHOWN_MS_MAX = 1_000;
/** Longest wait for an answer where the caller does not say: bundles take a while. */
const ANSWER_MS_MAX = 30_000;
/** Longest wait for the last lines to be written. */
const STOP_MS_MAX = 10_000;

export class OpsLink {
  readonly #settings: Settings;
  readonly #instanceId: string;
  #port: MessagePort | undefined;
  #worker: OpsWorker | undefined;
  #calls: PortCalls | undefined;
  #listening: Promise<void> = Promise.resolve();
  #stopped: (() => void) | undefined;
  #isDead = false;
  #early: LogRecord[] = [];
  /** Publishes settings that have changed. */
  #publishing: NodeJS.Immediate | undefined;
  #isListening = false;
  /** The least level that is written, as an index into LOG_LEVELS. */
  level: number;

  /**
   * `instanceId` distinguishes this process from others, and from itself before a restart; the thread may be running
   * already.
   */
  constructor(settings: Settings, instanceId: string, worker?: OpsWorker) {
    this.#worker = worker;
    this.#settings = settings;
    this.#instanceId = instanceId;
    this.level = levelOf(settings);
    for (const name of ['logging.level', 'logging.hide-user-data'] as const) {
      settings.onChange(name, () => {
        this.level = levelOf(settings);
        this.#send({ kind: 'log-lines', ...logLines(settings) });
      });
    }
    for (const name of settingNames) {
      settings.onChange(name, () => {
        this.#publishSettings();
      });
    }
  }

  /**
   * Has the thread begin; what was logged before is written then. The earlier it knows what there is to do, the earlier
   * it listens: other threads that start take processors from it. Until `start` it keeps no process alive.
   */
  begin(observer: ObserverData, tls: TlsOptions | undefined): void {
    const { port1, port2 } = new MessageChannel();
    const data: OpsData = {
      port: port2,
      logging: loggingOptions(this.#settings),
      version: VERSION,
      observer,
      http: httpFixedSettings(this.#settings, this.#instanceId, tls),
      live: httpLiveSettings(this.#settings),
      bundleTask: bundleTaskUrl.href,
    };
    this.#worker ??= new OpsWorker();
    const worker = this.#worker;
    const calls = new PortCalls(port1);
    this.#calls = calls;
    this.#port = port1;
    // Without its ops thread the server continues; log lines are written to standard error.
    this.#listening = new Promise<void>((resolve, reject) => {
      port1.on('message', (message: CallMessage | OpsNotice) => {
        if (isCall(message)) calls.take(message);
        else if (message.kind === 'listening') resolve();
        else if (message.kind === 'cannot-listen') reject(new Error(message.message));
        else this.#stopped?.();
      });
      worker.run(data, (error) => {
        this.#port = undefined;
        this.#isDead = true;
        process.stderr.write(`svc: ops thread died: ${error.stack ?? String(error)}\n`);
        for (const record of this.#early.splice(0)) this.#writeToStandardError(record);
        resolve();
      });
    });
    // Reported by `start`.
    this.#listening.catch(() => undefined);
    port1.unref();
    if (this.#isDead) return;
    this.#send({ kind: 'log', records: this.#early });
    this.#early = [];
  }

  /**
   * Settles when HTTP is listened for, and rejects when that cannot be. The thread's calls are answered from here on, and it has
   * the metrics of main's modules.
   */
  async start(answers: MainAnswers, metrics: readonly ModuleMetric[]): Promise<void> {
    const worker = this.#worker;
    const port = this.#port;
    for (const [name, answer] of Object.entries(answers)) {
      this.#calls?.on(name, answer as (question: unknown) => unknown);
    }
    this.#send({ kind: 'metrics', metrics });
    // Log lines alone need no wait.
    if (!this.#settings.boolean('http.enabled')) return;
    worker?.ref();
    port?.ref();
    try {
      await this.#listening;
      this.#isListening = true;
    } finally {
      worker?.unref();
      port?.unref();
    }
  }

  post(record: LogRecord): void {
    if (this.#isDead) this.#writeToStandardError(record);
    else if (this.#port !== undefined) this.#send({ kind: 'log', records: [record] });
    else if (this.#early.length < EARLY_RECORDS_MAX) this.#early.push(record);
  }

  /** Closes and reopens the log file, after an external program has rotated it. */
  reopenLog(): void {
    this.#send({ kind: 'reopen-log' });
  }

  /** Has HTTPS use another certificate from the next connection on. */
  secure(tls: TlsOptions | undefined): void {
    if (tls !== undefined) this.#send({ kind: 'secure', options: contextOptions(tls) });
  }

  /** Publishes a user for whom counts have started: its name, as text, belongs to the next row. */
  publishUser(name: string): void {
    this.#send({ kind: 'user', name });
  }

  /** Publishes the replicas and the primary, as they are now. */
  publishReplication(state: ReplicationState): void {
    this.#send({ kind: 'replication', state });
  }

  /** Publishes the cluster, as it is now. */
  publishCluster(update: ClusterUpdate): void {
    this.#send({ kind: 'cluster', update });
  }

  /** Sends a request to the ops thread; rejects if it does not reply within `timeoutMs`. */
  async ask(name: string, question: unknown = null, timeoutMs = ANSWER_MS_MAX): Promise<unknown> {
    const calls = this.#port === undefined ? undefined : this.#calls;
    if (calls === undefined) throw new Error('the ops thread is not running');
    return calls.ask(name, question, timeoutMs);
  }

  /** Has all lines written, then ends the thread. */
  async stop(): Promise<void> {
    const port = this.#port;
    const worker = this.#worker;
    if (port === undefined || worker === undefined) return;
    const stopped = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, STOP_MS_MAX);
      this.#stopped = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    port.ref();
    this.#send({ kind: 'stop' });
    this.#port = undefined;
    await stopped;
    await worker.terminate();
  }

  /** Has the thread give back the memory that it does not use, and what malloc keeps of all threads. */
  async purge(): Promise<void> {
    // A server whose ops thread has died serves on.
    await this.ask('purge').catch(() => undefined);
  }

  /** Publishes changed settings once for all that one command has changed. */
  #publishSettings(): void {
    this.#publishing ??= setImmediate(() => void this.settingsShown());
  }

  /** Settles when HTTP shows the settings as they are now; late where that takes too long. */
  async settingsShown(): Promise<void> {
    if (this.#publishing === undefined) return;
    clearImmediate(this.#publishing);
    this.#publishing = undefined;
    const shown = this.ask('live', httpLiveSettings(this.#settings), SHOWN_MS_MAX);
    // Without HTTP, or before it listens, no client sees it.
    if (this.#isListening) await shown.catch(() => undefined);
    else shown.catch(() => undefined);
  }

  /** Writes a line for which there is no thread any more. */
  #writeToStandardError(record: LogRecord): void {
    const { hidesUserData } = logLines(this.#settings);
    const written = hidesUserData ? recordWithoutUserData(record) : record;
    const { level, thread, event, message } = written;
    process.stderr.write(`svc: ${level} ${thread} ${event} ${message}\n`);
  }

  #send(message: OpsMessage): void {
    this.#port?.postMessage(message);
  }
}

function levelOf(settings: Settings): number {
  return thresholdIndex(logLines(settings).level);
}
