/** The shards' threads, from birth to death. A shard that dies takes the server with it. */

import { randomBytes } from 'node:crypto';
import {
  MessageChannel,
  receiveMessageOnPort,
  Worker,
  type MessagePort,
} from 'node:worker_threads';
import { unreachable } from '#base';
import type { ShardSettingValues } from '#commands';
import type { BodyPort } from '#router';
import type { RecoveryAnswer, RecoveryOrder, ShardThreadData, ShardTier } from '#shard';
import { shardWorkerUrl } from '#workers';
import { heapLimits } from './heap-limits.ts';
import type { DiskPorts } from './disk-link.ts';
import type { ServerMemory } from './shared-memory.ts';

const SEED_BYTES = 16;
/** Young generation of a shard's heap: garbage is short-lived text, and a small nursery is swept in no time. */
const YOUNG_GENERATION_MB = 16;

interface ShardPoolOptions {
  serverMemory: ServerMemory;
  settings: ShardSettingValues;
  folder: string;
  /** True where data is to be read before the shards serve. */
  recovers: boolean;
  /** The shard's end of its way to the warm tier; undefined without one. */
  tierOf(shard: number): ShardTier | undefined;
  /** Called once, for the first shard that ends unexpectedly. */
  died(shard: number, reason: unknown): void;
}

export class ShardPool {
  readonly ports: readonly BodyPort[];
  /** The disk thread's ports to the shards, which may start logging at any time. */
  readonly diskPorts: readonly DiskPorts[];
  readonly #workers: Worker[] = [];
  readonly #ends: Promise<void>[] = [];
  readonly #ups: Promise<void>[] = [];
  readonly #asked = new Map<number, (answer: RecoveryAnswer) => void>();
  #isStopping = false;
  #hasDied = false;

  constructor(options: ShardPoolOptions) {
    const ports: BodyPort[] = [];
    const diskPorts: DiskPorts[] = [];
    for (let index = 0; index < options.serverMemory.shape.shards; index += 1) {
      const { port1, port2 } = new MessageChannel();
      const [records, pieces] = [new MessageChannel(), new MessageChannel()];
      ports.push(bodyPort(port1));
      diskPorts.push({ records: records.port2, pieces: pieces.port2 });
      this.#start(index, port2, { records: records.port1, pieces: pieces.port1 }, options);
    }
    this.ports = ports;
    this.diskPorts = diskPorts;
  }

  /** Asks a shard that does not serve yet. */
  ask(shard: number, order: RecoveryOrder): Promise<RecoveryAnswer> {
    return new Promise((resolve) => {
      this.#asked.set(shard, resolve);
      this.#workers[shard]!.postMessage(order);
    });
  }

  #answered(shard: number, answer: RecoveryAnswer): void {
    this.#asked.get(shard)?.(answer);
    this.#asked.delete(shard);
  }

  /** Settles when every thread runs. */
  async up(): Promise<void> {
    await Promise.all(this.#ups);
  }

  /** Says that the shards' ends are wanted from now on. */
  expectEnd(): void {
    this.#isStopping = true;
  }

  /** Waits until every thread has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#ends);
  }

  /** Ends the threads wherever they are. */
  async terminate(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #start(index: number, port: MessagePort, toDisk: DiskPorts, options: ShardPoolOptions): void {
    const { shape, memory, pageShape, shardMemory, recorders, observerData } = options.serverMemory;
    const { folder, recovers } = options;
    const figures = options.serverMemory.logMemory[index]!;
    const data: ShardThreadData = {
      index,
      link: shape,
      memory: memory.memory,
      pageShape,
      pages: [...shardMemory, observerData.mainPage],
      recorder: recorders[1 + index]!,
      answers: options.serverMemory.answerMemory[index]!,
      port,
      seed: randomBytes(SEED_BYTES),
      settings: options.settings,
      durability: { folder, figures, ...toDisk },
      recovers,
      tier: options.tierOf(index),
    };
    const tierPorts = data.tier === undefined ? [] : [data.tier.port];
    const worker = new Worker(shardWorkerUrl, {
      workerData: data,
      transferList: [port, toDisk.records, toDisk.pieces, ...tierPorts],
      name: `svc-shard-${String(index)}`,
      resourceLimits: heapLimits(YOUNG_GENERATION_MB),
    });
    const died = (reason: unknown): void => {
      if (this.#isStopping || this.#hasDied) return;
      this.#hasDied = true;
      options.died(index, reason);
    };
    this.#ups.push(
      new Promise((resolve) => {
        worker.on('message', (answer: RecoveryAnswer) => {
          if (answer.kind === 'up') resolve();
          else this.#answered(index, answer);
        });
      }),
    );
    worker.on('error', died);
    this.#workers.push(worker);
    this.#ends.push(
      new Promise((resolve) => {
        worker.on('exit', (code) => {
          died(new Error(`the thread ended with code ${String(code)}`));
          resolve();
        });
      }),
    );
  }
}

function bodyPort(port: MessagePort): BodyPort {
  port.unref();
  return {
    send(body) {
      port.postMessage(body, [body]);
    },
    receive() {
      const received = receiveMessageOnPort(port);
      return received === undefined
        ? unreachable('a transferred body arrives before its frame')
        : (received.message as ArrayBuffer);
    },
  };
}
