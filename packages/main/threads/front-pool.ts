/** The front threads, from birth to death. One that dies takes the server with it: its clients would hang. */

import { Worker } from 'node:worker_threads';
import { loadDuplicate } from '#base';
import { bellToRing } from '#link';
import { type FrontAnswer, FrontLink, Fronts, type FrontThreadData, type TlsOptions } from '#net';
import { Page, THREAD_SHAPE } from '#stats';
import { frontWorkerUrl } from '#workers';
import { heapLimits } from './heap-limits.ts';
import type { ServerMemory } from './shared-memory.ts';

/** Young generation of a front thread's heap: its objects are short-lived. */
const YOUNG_GENERATION_MB = 16;

interface FrontPoolOptions {
  readonly serverMemory: ServerMemory;
  readonly tls: TlsOptions | undefined;
  /** Front threads have an epoll of their own, as main has. */
  readonly usesEpoll: boolean;
  /** Called once, for the first thread that ends unexpectedly. */
  readonly died: (thread: string, reason: unknown) => void;
}

interface FrontWorker {
  readonly worker: Worker;
  readonly isUp: Promise<void>;
}

export class FrontPool {
  /** Undefined without front threads: main then reads and writes the sockets itself. */
  readonly fronts: Fronts | undefined;
  readonly #options: FrontPoolOptions;
  readonly #workers: readonly FrontWorker[];
  #isStopping = false;
  /** Makes a further descriptor of a file; -1 where that cannot be done. Loaded where sockets are Node's. */
  duplicate: (descriptor: number) => number = () => -1;

  constructor(options: FrontPoolOptions) {
    this.#options = options;
    const { frontMemory } = options.serverMemory;
    if (frontMemory.length > 0) {
      this.fronts = new Fronts({ secure: (tls) => this.#secure(tls) });
    }
    this.#workers = frontMemory.map((page, index) => this.#start(page, index));
  }

  /**
   * Settles when all of them run and are connected; rejects where this machine cannot have them. `beginTurn` has main take a
   * turn soon.
   */
  async up(beginTurn: () => void): Promise<void> {
    if (this.#workers.length === 0) return;
    const { serverMemory, usesEpoll } = this.#options;
    const { memory, layout, frontMemory } = serverMemory;
    // With an epoll, main gives its own descriptors away.
    if (!usesEpoll) this.duplicate = await duplicateOrFail();
    await Promise.all(this.#workers.map(({ isUp }) => isUp));
    const bells = await Promise.all(layout.fronts.map(({ bell }) => bellToRing(memory, bell)));
    const links = layout.fronts.map((places, index) => {
      const page = new Page(THREAD_SHAPE, frontMemory[index]);
      return new FrontLink(memory, places, bells[index]!, {
        begin: beginTurn,
        waited: (us) => {
          page.waitedForMain(us);
        },
      });
    });
    this.fronts?.connect(links);
  }

  /** Ends the threads; connections that they have are closed. */
  async terminate(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#workers.map(({ worker }) => worker.terminate()));
  }

  async #secure(tls: TlsOptions): Promise<void> {
    await Promise.all(
      this.#workers.map(
        ({ worker }) =>
          new Promise<void>((resolve, reject) => {
            worker.once('message', (answer: FrontAnswer) => {
              if (answer.kind === 'failed') reject(new Error(answer.message));
              else resolve();
            });
            worker.postMessage({ tls });
          }),
      ),
    );
  }

  #start(page: FrontThreadData['page'], index: number): FrontWorker {
    const { serverMemory, tls, usesEpoll } = this.#options;
    const { shape, memory, recorders } = serverMemory;
    const name = `front-${String(index)}`;
    const data: FrontThreadData = {
      index,
      link: shape,
      memory: memory.memory,
      page,
      recorder: recorders[1 + shape.shards + index]!,
      tls,
      usesEpoll,
    };
    const worker = new Worker(frontWorkerUrl, {
      workerData: data,
      name: `svc-${name}`,
      resourceLimits: heapLimits(YOUNG_GENERATION_MB),
    });
    const died = (reason: unknown): void => {
      if (this.#isStopping) return;
      this.#isStopping = true;
      this.#options.died(name, reason);
    };
    worker.on('error', died);
    worker.on('exit', (code) => {
      died(new Error(`the thread ended with code ${String(code)}`));
    });
    const isUp = new Promise<void>((resolve) => {
      worker.once('message', () => {
        resolve();
      });
    });
    return { worker, isUp };
  }
}

async function duplicateOrFail(): Promise<FrontPool['duplicate']> {
  try {
    return await loadDuplicate();
  } catch (cause) {
    const { message } = cause as Error;
    const text = `server.front-threads needs Linux and the package koffi: ${message}; set it to 0`;
    throw new Error(text, { cause });
  }
}
