/** Main's end of the ops thread: log records go there, and nothing is ever waited for but its end. */

import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import { LOG_LEVELS, type LogLevel, type LogRecord } from '#base';
import type { Settings } from '#config';
import { opsWorkerUrl } from '#workers';

/** Records kept while the thread is not there yet. */
const EARLY_RECORDS_MAX = 1_000;
/** Longest wait for the last lines to be written. */
const STOP_MS_MAX = 2_000;

export class OpsLink {
  readonly #settings: Settings;
  #port: MessagePort | undefined;
  #worker: Worker | undefined;
  #early: LogRecord[] = [];
  /** The least level that is written, as an index into LOG_LEVELS. */
  level: number;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.level = levelOf(settings);
    settings.onChange('logging.level', () => {
      this.level = levelOf(settings);
      this.#port?.postMessage({ kind: 'settings', settings: settings.snapshot() });
    });
  }

  /** Starts the thread; what was logged before is written then. */
  start(): void {
    const { port1, port2 } = new MessageChannel();
    this.#worker = new Worker(opsWorkerUrl, {
      name: 'svc-ops',
      workerData: { settings: this.#settings.snapshot(), port: port2 },
      transferList: [port2],
    });
    // Without its ops thread the server serves on; what it would have logged goes to standard error.
    this.#worker.on('error', (error) => {
      this.#port = undefined;
      process.stderr.write(`svc: the ops thread has died: ${String(error)}\n`);
    });
    this.#worker.unref();
    port1.unref();
    this.#port = port1;
    port1.postMessage({ kind: 'log', records: this.#early });
    this.#early = [];
  }

  post(record: LogRecord): void {
    if (this.#port !== undefined) this.#port.postMessage({ kind: 'log', records: [record] });
    else if (this.#early.length < EARLY_RECORDS_MAX) this.#early.push(record);
  }

  /** Has all lines written, then ends the thread. */
  async stop(): Promise<void> {
    const port = this.#port;
    const worker = this.#worker;
    if (port === undefined || worker === undefined) return;
    this.#port = undefined;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, STOP_MS_MAX);
      port.once('message', () => {
        clearTimeout(timer);
        resolve();
      });
      port.ref();
      port.postMessage({ kind: 'stop' });
    });
    await worker.terminate();
  }
}

function levelOf(settings: Settings): number {
  return LOG_LEVELS.indexOf(settings.string('logging.level') as LogLevel);
}
