/** Main's end of the threads that keep the warm tier. */

import fs from 'node:fs';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import { type Logger, systemClock, unreachable } from '#base';
import type { Settings } from '#config';
import { Doorbell, SharedFlag } from '#link';
import type { FolderLock } from '#persistence';
import type { ShardTier } from '#shard';
import {
  localTierFolder,
  TierFault,
  TierFigures,
  type TierThreadAnswer,
  type TierThreadData,
} from '#tier';
import { tierWorkerUrl } from '#workers';
import { heapLimits } from '../threads/heap-limits.ts';
import type { ServerMemory } from '../threads/shared-memory.ts';
import { takeTierFolder } from './tier-folder.ts';
import { TierWatch } from './tier-watch.ts';

/** Young generation of such a thread's heap: the values that it moves are in shared memory. */
const YOUNG_GENERATION_MB = 8;
/** A thread that has not ended by then is ended. */
const STOP_MS_MAX = 2_000;

interface TierPoolOptions {
  readonly serverMemory: ServerMemory;
  readonly settings: Settings;
  readonly log: Logger;
}

interface Way {
  readonly shard: ShardTier;
  readonly port: MessagePort;
}

export class TierPool {
  readonly #options: TierPoolOptions;
  readonly #ways: readonly Way[];
  readonly #workers: Worker[] = [];
  readonly #ends: Promise<void>[] = [];
  readonly #ending = SharedFlag.allocate();
  readonly #figures: readonly TierFigures[];
  readonly #watch: TierWatch;
  #lock: FolderLock | undefined;
  #isStopping = false;

  constructor(options: TierPoolOptions) {
    this.#options = options;
    options.settings.onChange('memory.maxmemory-policy', (policy) => {
      if (policy.startsWith('tiered-') && this.#threads === 0) {
        throw new Error('there is no warm tier: tiered.enabled was not set at the start');
      }
    });
    const { tierMemory } = options.serverMemory;
    if (this.#threads > 0) forbidPretenuring();
    this.#figures = tierMemory.map((memory) => new TierFigures(memory));
    this.#watch = new TierWatch(this.#figures, options.log);
    this.#ways = tierMemory.map((figures, index) => {
      const { port1, port2 } = new MessageChannel();
      return { shard: { thread: index % this.#threads, figures, port: port1 }, port: port2 };
    });
  }

  get #folder(): string {
    return this.#options.settings.string('tiered.directory');
  }

  get #threads(): number {
    return this.#options.serverMemory.shape.tierThreads ?? 0;
  }

  /** The shard's end; undefined without a tier. */
  tierOf(shard: number): ShardTier | undefined {
    return this.#ways[shard]?.shard;
  }

  /** Empties the tier and starts its threads; rejects where the folder cannot be had. */
  async up(): Promise<void> {
    if (this.#threads === 0) return;
    this.#lock = await takeTierFolder(this.#folder);
    const starts = Array.from({ length: this.#threads }, (_, index) => this.#start(index));
    for (const problem of await Promise.all(starts)) {
      if (problem !== undefined) throw new Error(`tiered.directory: ${problem}`);
    }
    this.#watch.begin();
    const { settings, log } = this.#options;
    if (settings.boolean('persistence.enabled')) return;
    const message = 'Persistence is off: values in the warm tier are lost when the server stops';
    log.warn('tier-only-copy', message);
  }

  /** Settles with what keeps a thread from beginning. */
  #start(index: number): Promise<string | undefined> {
    const { serverMemory, settings } = this.#options;
    const own = this.#ways
      .map(({ shard, port }, nth) => ({
        index: nth,
        thread: shard.thread,
        figures: shard.figures,
        port,
      }))
      .filter(({ thread }) => thread === index);
    const data: TierThreadData = {
      index,
      link: serverMemory.shape,
      memory: serverMemory.memory.memory,
      folder: this.#folder,
      compresses: settings.string('tiered.compression') === 'lz4',
      shards: own,
      ending: this.#ending,
    };
    const worker = new Worker(tierWorkerUrl, {
      name: `svc-tier-${String(index)}`,
      workerData: data,
      transferList: own.map(({ port }) => port),
      resourceLimits: heapLimits(YOUNG_GENERATION_MB),
    });
    this.#workers.push(worker);
    const shards = own.map((one) => one.index);
    return new Promise((resolve) => {
      worker.once('message', ({ problem }: TierThreadAnswer) => {
        resolve(problem);
      });
      worker.on('error', (error) => {
        this.#died(shards, messageOf(error));
        resolve(messageOf(error));
      });
      this.#ends.push(
        new Promise((ended) => {
          worker.on('exit', () => {
            this.#died(shards, 'its thread has ended');
            ended();
          });
        }),
      );
    });
  }

  /** Values of these shards cannot be read any more; all else can. */
  #died(shards: readonly number[], reason: string): void {
    if (this.#isStopping) return;
    for (const shard of shards) {
      const figures = this.#figures[shard] ?? unreachable('figures of each shard');
      if (figures.get('fault') === TierFault.dead) continue;
      figures.set('fault', TierFault.dead);
      figures.set('faultSinceMs', systemClock.wallMs());
    }
    const message = `Warm tier of shards ${shards.join(', ')} lost until the next start: ${reason}`;
    this.#options.log.error('tier-thread-died', message);
  }

  /** Ends the threads, and gives the disk back. */
  async stop(): Promise<void> {
    if (this.#threads === 0 || this.#isStopping) return;
    this.#isStopping = true;
    this.#watch.end();
    new SharedFlag(this.#ending).raise();
    const { serverMemory } = this.#options;
    for (const at of serverMemory.layout.tierBells) {
      new Doorbell(serverMemory.memory, at).ring();
    }
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_MS_MAX);
    });
    await Promise.race([Promise.all(this.#ends), late]);
    clearTimeout(timer);
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
    if (this.#lock === undefined) return;
    for (const shard of this.#ways.keys()) {
      fs.rmSync(path.join(this.#folder, `shard-${String(shard)}`), {
        recursive: true,
        force: true,
      });
    }
    // A task that was killed has left it.
    fs.rmSync(localTierFolder(this.#folder), { recursive: true, force: true });
    this.#lock.release();
  }
}

/**
 * Has V8 make all objects in the nursery, in every thread. What a command makes is garbage when it is answered; but V8
 * keeps count of kinds that outlive a collection, as those of commands that wait for the disk do, and from then on makes
 * them in the old generation. There they are taken for alive, with all that they refer to, so that still more outlive
 * collections: it never ends by itself. Four tenths of all garbage got there, and collections took 9 ms (2 without).
 */
function forbidPretenuring(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
