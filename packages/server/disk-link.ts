/** Main's end of the disk thread. */

import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import type { DiskData, DiskNotice, DiskOrder } from '#persistence';
import { diskWorkerUrl } from '#workers';

/** What one shard needs to reach the disk thread. */
export interface ShardPorts {
  readonly records: MessagePort;
  readonly pieces: MessagePort;
}

/** What the thread is started with, but for its ports and what recovery finds. */
export type DiskOptions = Omit<DiskData, 'port' | 'records' | 'pieces' | 'previous'>;

export interface DiskLinkParts {
  readonly options: DiskOptions;
  readonly notice: (notice: DiskNotice) => void;
  readonly died: (reason: unknown) => void;
}

export class DiskLink {
  /** The shards' ends, to be handed to their threads. */
  readonly shardPorts: readonly ShardPorts[];
  readonly #port: MessagePort;
  readonly #data: Omit<DiskData, 'previous'>;
  readonly #stopped: Promise<void>;
  readonly #died: (reason: unknown) => void;
  #worker: Worker | undefined;
  #hasStopped: () => void = () => undefined;
  #isStopping = false;

  constructor({ options, notice, died }: DiskLinkParts) {
    const shards = Array.from({ length: options.link.shards }, () => {
      return { records: new MessageChannel(), pieces: new MessageChannel() };
    });
    this.shardPorts = shards.map(({ records, pieces }) => {
      return { records: records.port1, pieces: pieces.port1 };
    });
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#died = died;
    this.#data = {
      ...options,
      port: port2,
      records: shards.map(({ records }) => records.port2),
      pieces: shards.map(({ pieces }) => pieces.port2),
    };
    this.#stopped = new Promise((resolve) => {
      this.#hasStopped = resolve;
    });
    port1.on('message', (message: DiskNotice) => {
      if (message.kind === 'stopped') this.#hasStopped();
      else notice(message);
    });
    port1.unref();
  }

  /** Starts the thread, which begins the logs behind the segments of these numbers, one for each shard. */
  begin(previous: readonly number[]): void {
    const data: DiskData = { ...this.#data, previous };
    const worker = new Worker(diskWorkerUrl, {
      name: 'svc-disk',
      workerData: data,
      transferList: [data.port, ...data.records, ...data.pieces],
    });
    worker.on('error', (error) => {
      if (!this.#isStopping) this.#died(error);
    });
    worker.on('exit', this.#hasStopped);
    worker.unref();
    this.#worker = worker;
  }

  send(order: DiskOrder): void {
    this.#port.postMessage(order);
  }

  /** Has everything on disk, then ends the thread; `isSaved` says that the last snapshot has everything. */
  async stop(isSaved: boolean): Promise<void> {
    this.#isStopping = true;
    if (this.#worker !== undefined) {
      this.#port.ref();
      this.send({ kind: 'stop', isSaved });
      await this.#stopped;
      await this.#worker.terminate();
    }
    this.#port.close();
  }
}
