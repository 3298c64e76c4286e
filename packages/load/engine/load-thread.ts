/** A thread that makes a load: connects, waits for the start, sends until the end, and reports to the main thread. */

import type { MessagePort } from 'node:worker_threads';
import { type Bytes, systemClock, threadScheduling } from '#base';
import { SharedFlag, type SharedMemory } from '#link';
import { ClientLoop } from '#net';
import type { LoadPlan } from '../options/plan.ts';
import type { ThreadShare } from '../requests/key-numbers.ts';
import { greetedSocket } from './greeting.ts';
import { LoadEngine, shareOf } from './load-engine.ts';
import { Recorder, type SecondResult, type ThreadResult } from './recorder.ts';
import { SlotMap, type NodeSlots } from './slot-map.ts';

/** Memory that all connections of the thread are read into. */
const READ_BYTES = 256 * 1024;
/** Memory for the output of a connection. */
const OUTPUT_BYTES_MIN = 1_024;
const OUTPUT_BYTES_MAX = 64 * 1024;
/** Memory for the output of all connections; further ones have memory of their own. */
const OUTPUTS_BYTES_MAX = 64 * 1024 * 1024;
/** Connections that are opened at the same time: fewer than servers have room for before they accept. */
const OPENINGS = 100;
/** Longest wait, after which the flag of the end is looked at. */
const WAIT_US_MAX = 50_000;

/** Data of a thread. */
export interface LoadThreadData {
  readonly plan: LoadPlan;
  readonly share: ThreadShare;
  /** Nodes of the cluster; empty without one. */
  readonly nodes: readonly NodeSlots[];
  /** Flag that ends the load. */
  readonly stop: SharedMemory;
}

/** Messages of a thread. */
export type LoadThreadMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'second'; readonly result: SecondResult }
  | { readonly kind: 'done'; readonly result: ThreadResult };

/** Message to a thread: the time of the system clock at which it begins. */
export interface LoadStart {
  readonly startUs: number;
}

/** Runs the thread to its end. */
export async function runLoadThread(data: LoadThreadData, port: MessagePort): Promise<void> {
  const send = (message: LoadThreadMessage): void => {
    port.postMessage(message);
  };
  try {
    const thread = new LoadThread(data, send);
    await thread.open();
    const started = new Promise<LoadStart>((resolve) => port.once('message', resolve));
    send({ kind: 'ready' });
    const { startUs } = await started;
    send({ kind: 'done', result: await thread.run(startUs) });
  } catch (error) {
    send({ kind: 'failed', message: (error as Error).message });
  }
  port.close();
}

class LoadThread {
  readonly #data: LoadThreadData;
  readonly #slots: SlotMap;
  readonly #engine: LoadEngine;
  readonly #recorder: Recorder;
  readonly #clientCount: number;
  readonly #outputBytes: number;
  readonly #outputs: Bytes;
  #outputsUsed = 0;
  #loop: ClientLoop | undefined;
  /** Connections that are being opened. */
  readonly #opening = new Set<Promise<void>>();
  #failure: Error | undefined;
  #isRunning = false;

  constructor(data: LoadThreadData, send: (message: LoadThreadMessage) => void) {
    const { plan, share, nodes } = data;
    this.#data = data;
    this.#slots = new SlotMap(plan.target.place, nodes);
    this.#recorder = new Recorder(
      plan.commands.map(({ name }) => name),
      (result) => {
        send({ kind: 'second', result });
      },
    );
    this.#engine = new LoadEngine({
      plan,
      share,
      clock: systemClock,
      recorder: this.#recorder,
      slots: this.#slots,
      newBuffer: () => this.#newBuffer(),
      connect: (client, node) => {
        const opening = this.#connect(client, node).finally(() => this.#opening.delete(opening));
        this.#opening.add(opening);
      },
    });
    this.#clientCount = shareOf(plan.connections, share);
    const wanted = this.#engine.requestBytesMax * plan.pipeline;
    this.#outputBytes = Math.min(OUTPUT_BYTES_MAX, Math.max(OUTPUT_BYTES_MIN, wanted));
    const all = this.#clientCount * this.#slots.nodes.length * this.#outputBytes;
    this.#outputs = new Uint8Array(Math.min(OUTPUTS_BYTES_MAX, all));
  }

  /** Opens all connections; rejects with the first failure. */
  async open(): Promise<void> {
    const isSecure = this.#data.plan.target.place.tls !== undefined;
    const read = new Uint8Array(READ_BYTES);
    this.#loop = await ClientLoop.open(isSecure, read, this.#outputs);
    for (let nth = 0; nth < this.#clientCount; nth += 1) {
      this.#engine.addClient();
      while (this.#opening.size >= OPENINGS) await Promise.race(this.#opening);
    }
    await Promise.all(this.#opening);
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Sends from a time on, until the end. */
  async run(startUs: number): Promise<ThreadResult> {
    const engine = this.#engine;
    const loop = this.#loop!;
    const stop = new SharedFlag(this.#data.stop);
    const fromUs = startUs + this.#data.plan.warmupSeconds * 1_000_000;
    this.#isRunning = true;
    while (systemClock.nowUs() < startUs) await loop.turn(startUs - systemClock.nowUs());
    let before = threadScheduling();
    let isWarm = fromUs <= startUs;
    let restedUs = startUs;
    engine.start(startUs);
    while (!engine.isDone) {
      if (stop.isRaised) engine.stop();
      engine.turn();
      await loop.turn(Math.min(WAIT_US_MAX, engine.waitUs));
      const nowUs = systemClock.nowUs();
      if (!isWarm && nowUs >= fromUs) {
        isWarm = true;
        before = threadScheduling();
      }
      // Connections that replies have named are opened by libuv.
      if (this.#opening.size > 0 || nowUs - restedUs > WAIT_US_MAX) {
        restedUs = nowUs;
        await loop.rest();
      }
    }
    engine.finish();
    const spins = loop.isLibuv && this.#data.plan.rate > 0;
    return this.#recorder.result({ ...growthOf(before, threadScheduling()), spins });
  }

  async #connect(client: number, node: number): Promise<void> {
    const { target } = this.#data.plan;
    try {
      const socket = await greetedSocket(this.#slots.nodes[node]!, target);
      const transport = this.#loop!.adopt(socket);
      this.#engine.attach(client, node, transport, 'no descriptor is left');
    } catch (error) {
      this.#failure ??= error as Error;
      if (this.#isRunning) {
        this.#engine.attach(client, node, undefined, (error as Error).message);
      }
    }
  }

  #newBuffer(): Bytes {
    const from = this.#outputsUsed;
    const to = from + this.#outputBytes;
    if (to > this.#outputs.length) return new Uint8Array(this.#outputBytes);
    this.#outputsUsed = to;
    return this.#outputs.subarray(from, to);
  }
}

type Scheduling = ReturnType<typeof threadScheduling>;

/** Returns what has been added between two readings; NaN where the system has none. */
function growthOf(before: Scheduling, after: Scheduling): { cpuUs: number; waitUs: number } {
  if (before === undefined || after === undefined) return { cpuUs: NaN, waitUs: NaN };
  return { cpuUs: after.runUs - before.runUs, waitUs: after.waitUs - before.waitUs };
}
