/** Main's end of the disk thread. */

import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import type { DiskData, DiskNotice, DiskOrder } from '#persistence';
import { diskWorkerUrl } from '#workers';

/** What one shard needs to reach the disk thread. */
export interface ShardPorts {
  readonly records: MessagePort;
  readonly pieces: MessagePort;
}

/** What the thread is started with, but for its ports. */
export type DiskOptions = Omit<DiskData, 'port' | 'records' | 'pieces'>;

export interface DiskLinkParts {
  readonly options: DiskOptions;
  readonly notice: (notice: DiskNotice) => void;
  readonly died: (reason: unknown) => void;
}

export class DiskLink {
  /** The shards' ends, to be handed to their threads. */
  readonly shardPorts: readonly ShardPorts[];
  readonly #port: MessagePort;
  readonly #worker: Worker;
  readonly #stopped: Promise<void>;
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
    const data: DiskData = {
      ...options,
      port: port2,
      records: shards.map(({ records }) => records.port2),
      pieces: shards.map(({ pieces }) => pieces.port2),
    };
    this.#worker = new Worker(diskWorkerUrl, {
      name: 'svc-disk',
      workerData: data,
      transferList: [port2, ...data.records, ...data.pieces],
    });
    this.#worker.on('error', (error) => {
      if (!this.#isStopping) died(error);
    });
    this.#stopped = new Promise((resolve) => {
      port1.on('message', (message: DiskNotice) => {
        if (message.kind === 'stopped') resolve();
        else notice(message);
      });
      this.#worker.on('exit', () => {
        resolve();
      });
    });
    this.#worker.unref();
    port1.unref();
  }

  send(order: DiskOrder): void {
    this.#port.postMessage(order);
  }

  /** Has everything on disk, then ends the thread. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#port.ref();
    this.send({ kind: 'stop' });
    await this.#stopped;
    this.#port.close();
    await this.#worker.terminate();
  }
}
