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
import type { RecoveryAnswer, RecoveryOrder, ShardThreadData } from '#shard';
import { shardWorkerUrl } from '#workers';
import type { Disk } from '../durability/disk.ts';
import { REDIS_VERSION } from '../version.ts';
import type { ServerMemory } from './shared-memory.ts';

const SEED_BYTES = 16;
/** Young generation of a shard's heap: garbage is short-lived text, and a small nursery is swept in no time. */
const YOUNG_GENERATION_MB = 16;

interface ShardPoolOptions {
  serverMemory: ServerMemory;
  settings: ShardSettingValues;
  /** Undefined where nothing is kept on disk. */
  disk: Disk | undefined;
  /** Called once, for the first shard that ends without being told to. */
  died(shard: number, reason: unknown): void;
}

export class ShardPool {
  readonly ports: readonly BodyPort[];
  readonly #workers: Worker[] = [];
  readonly #ends: Promise<void>[] = [];
  readonly #ups: Promise<void>[] = [];
  readonly #asked = new Map<number, (answer: RecoveryAnswer) => void>();
  #isStopping = false;
  #hasDied = false;

  constructor(options: ShardPoolOptions) {
    const ports: BodyPort[] = [];
    for (let index = 0; index < options.serverMemory.shape.shards; index += 1) {
      const { port1, port2 } = new MessageChannel();
      ports.push(bodyPort(port1));
      this.#start(index, port2, options);
    }
    this.ports = ports;
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

  #start(index: number, port: MessagePort, options: ShardPoolOptions): void {
    const { shape, memory, pageShape, shardMemory, recorders, observerData } = options.serverMemory;
    const { disk } = options;
    const ports = disk?.link.shardPorts[index];
    const durability = disk &&
      ports && {
        epoch: disk.epoch,
        folder: disk.folder.folder,
        figures: options.serverMemory.logMemory[index]!,
        ...ports,
      };
    const data: ShardThreadData = {
      index,
      link: shape,
      memory: memory.memory,
      pageShape,
      pages: [...shardMemory, observerData.mainPage],
      recorder: recorders[1 + index]!,
      port,
      seed: randomBytes(SEED_BYTES),
      settings: options.settings,
      redisVersion: REDIS_VERSION,
      durability,
    };
    const worker = new Worker(shardWorkerUrl, {
      workerData: data,
      transferList: ports === undefined ? [port] : [port, ports.records, ports.pieces],
      name: `svc-shard-${String(index)}`,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
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
