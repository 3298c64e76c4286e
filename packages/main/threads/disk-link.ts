/** Main's end of the disk thread. */

import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import type { Settings } from '#config';
import type {
  DiskData,
  DiskNotice,
  DiskOrder,
  DiskSettings,
  DurabilityMode,
  LogStart,
} from '#persistence';
import { diskWorkerUrl } from '#workers';
import { heapLimits } from './heap-limits.ts';

const ENDED = 'the disk thread has ended: restart the server';
/** Young generation of its heap: records and blocks are in shared memory. */
const YOUNG_GENERATION_MB = 8;

/** Ports by which one shard and the disk thread reach each other, at one of the two ends. */
export interface DiskPorts {
  readonly records: MessagePort;
  readonly pieces: MessagePort;
}

/** Options that the disk thread is started with, except its ports. */
type DiskOptions = Omit<DiskData, 'port' | 'records' | 'pieces'>;

/** Listener of the disk thread's notices. */
interface DiskListener {
  notice(notice: DiskNotice): void;
  died(reason: unknown): void;
}

export class DiskLink {
  readonly #port: MessagePort;
  readonly #begun: Promise<void>;
  readonly #stopped: Promise<void>;
  readonly #worker: Worker;
  #hasBegun: () => void = () => undefined;
  #hasStopped: () => void = () => undefined;
  #isStopping = false;
  #hasEnded = false;
  /** Called when the logs have started over, and when all are closed, while there is a waiter. */
  #founded: (problem: string | undefined) => void = () => undefined;
  #left: () => void = () => undefined;
  /** Waiting purges, the first one first. */
  readonly #purges: (() => void)[] = [];

  /** With the disk thread's end of each shard's ports. */
  constructor(options: DiskOptions, ports: readonly DiskPorts[]) {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#stopped = new Promise((resolve) => {
      this.#hasStopped = resolve;
    });
    this.#begun = new Promise((resolve) => {
      this.#hasBegun = resolve;
    });
    this.#worker = this.#start({
      ...options,
      port: port2,
      records: ports.map(({ records }) => records),
      pieces: ports.map(({ pieces }) => pieces),
    });
  }

  /** Sets the listener of notices; none is lost if it is set in the turn that created the link. */
  follow(listener: DiskListener): void {
    this.#port.on('message', (message: DiskNotice) => {
      if (message.kind === 'stopped') this.#hasStopped();
      else if (message.kind === 'begun') this.#hasBegun();
      else if (message.kind === 'founded') this.#founded(message.problem);
      else if (message.kind === 'left') this.#left();
      else if (message.kind === 'purged') this.#purges.shift()?.();
      else listener.notice(message);
    });
    this.#port.unref();
    this.#worker.on('error', (error) => {
      if (!this.#isStopping) listener.died(error);
      this.#hasBegun();
    });
    this.#worker.on('exit', () => {
      this.#hasEnded = true;
      this.#founded(ENDED);
      this.#left();
    });
  }

  /** Starts the thread early: by the time that all data is read it waits for what to begin with. */
  #start(data: DiskData): Worker {
    const worker = new Worker(diskWorkerUrl, {
      name: 'svc-disk',
      resourceLimits: heapLimits(YOUNG_GENERATION_MB),
      workerData: data,
      transferList: [data.port, ...data.records, ...data.pieces],
      // Shards write to the files that it has opened: they must not be closed under them where it dies.
      trackUnmanagedFds: false,
    });
    worker.on('exit', this.#hasStopped);
    worker.unref();
    return worker;
  }

  /** Begins the logs behind the segments of these numbers, one for each shard; settles when they can be written. */
  async begin(previous: readonly number[], { number, epoch }: LogStart): Promise<void> {
    this.send({ kind: 'begin', previous, number, epoch });
    await this.#begun;
  }

  /** Starts the logs over; rejects with the reason if that failed. */
  async found({ number, epoch }: LogStart): Promise<void> {
    if (this.#hasEnded) throw new Error(ENDED);
    const founded = new Promise<string | undefined>((resolve) => {
      this.#founded = resolve;
    });
    this.send({ kind: 'found', number, epoch });
    const problem = await founded;
    if (problem !== undefined) throw new Error(problem);
  }

  /** Settles when all logs are closed, since no shard logs any more. */
  async left(): Promise<void> {
    if (this.#hasEnded) return;
    await new Promise<void>((resolve) => {
      this.#left = resolve;
    });
  }

  /** Settles when the thread has given back the memory that it does not use, or has ended. */
  async purge(): Promise<void> {
    const purged = new Promise<void>((resolve) => {
      this.#purges.push(resolve);
    });
    this.send({ kind: 'purge' });
    await Promise.race([purged, this.#stopped]);
  }

  send(order: DiskOrder): void {
    this.#port.postMessage(order);
  }

  /** Has everything on disk, then ends the thread; `isSaved` says that the last snapshot has everything. */
  async stop(isSaved: boolean): Promise<void> {
    this.#isStopping = true;
    this.#port.ref();
    this.send({ kind: 'stop', isSaved });
    await this.#stopped;
    await this.#worker.terminate();
    this.#port.close();
  }
}

/** Returns the settings that the disk thread goes by, at its start and whenever they change. */
export function diskSettings(settings: Settings): DiskSettings {
  return {
    mode: settings.string('persistence.durability-mode') as DurabilityMode,
    syncIntervalMs: settings.number('persistence.sync-interval-ms'),
    snapshotsMax: settings.number('snapshot.max-snapshots'),
    packs: settings.boolean('snapshot.compression'),
  };
}
