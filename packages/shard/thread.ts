/**
 * Builds a shard's machine in its own thread and drives it: the only code that blocks the thread. Once a
 * second it lets the event loop turn.
 */

import { parentPort, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import {
  type Bytes,
  loadUsedBuffers,
  type NoteUsedBuffers,
  systemClock,
  unreachable,
  byLogKind,
} from '#base';
import type { ShardSettingValues } from '#commands';
import {
  AT,
  flightRecorder,
  type FlightRecorder,
  GcPauses,
  type MemoryReturn,
  notesPauses,
  Page,
  type PageShape,
  threadMemoryReturn,
  ThreadProfiler,
  ThreadSamples,
  ThreadWork,
  usedMemory,
} from '#stats';
import {
  bellToRing,
  Doorbell,
  EventRing,
  layoutOf,
  type LinkLayout,
  LinkMemory,
  type LinkShape,
  pause,
  RingReader,
  RingWriter,
  ScriptExchange,
  SharedCounter,
  type SharedMemory,
  SharedReport,
  waitAsMain,
  wakeSleeper,
} from '#link';
import { TierFigures, TierLink } from '#tier';
import { durablePartsOf, type ShardDurability } from './durability-options.ts';
import { newShard } from './composition/new-shard.ts';
import type { ShardMachine } from './machine/machine.ts';
import type { MachineOptions } from './composition/machine-options.ts';
import type { ShardExchange } from './scripts/shard-requests.ts';
import { SPIN_ROUNDS } from './scripts/script-module.ts';
import { recoverThread, type RecoveryAnswer } from './recovery-thread.ts';

/** A shorter sleep is a rest between two slices of work. */
const IDLE_MS = 1;

/** Data that the main thread gives a shard's thread; cloned, shared or moved by `workerData`. */
export interface ShardThreadData {
  index: number;
  link: LinkShape;
  memory: WebAssembly.Memory;
  pageShape: PageShape;
  /** The pages of all shards, this one's at `index`, and after them main's. */
  pages: readonly SharedMemory[];
  /** Memory in which this shard's flight recorder keeps events. */
  recorder: SharedMemory;
  /** Memory in which this shard publishes answers for the time in which it cannot reply. */
  answers: SharedMemory;
  /** Bodies too large for the rings, both ways. */
  port: MessagePort;
  seed: Bytes;
  settings: ShardSettingValues;
  durability: ShardDurability;
  /** Undefined without a warm tier. */
  tier?: ShardTier | undefined;
  /** True where data is to be read before the shard serves. */
  recovers: boolean;
}

/** The shard's end of its way to the warm tier. */
export interface ShardTier {
  /** Thread that serves it. */
  readonly thread: number;
  readonly figures: SharedMemory;
  /** Bodies too large for the rings, both ways. */
  readonly port: MessagePort;
}

/** Runs until main sends `stop`. */
export async function runShardThread(data: ShardThreadData): Promise<void> {
  const { index, port } = data;
  const memory = new LinkMemory(data.memory);
  const layout = layoutOf(data.link);
  const requestPlace = layout.requests[index] ?? unreachable('the shard has a request ring');
  const replyPlace = layout.replies[index] ?? unreachable('the shard has a reply ring');
  const requests = new RingReader(memory, requestPlace);
  const doorbell = await bellToRing(memory, layout.doorbell);
  await waitAsMain(memory, layout.doorbell);
  const removedKeyIds = new SharedCounter(memory, layout.removedKeyIds);
  const logIds = byLogKind((kind) => new SharedCounter(memory, layout.logIds[kind]));
  const pages = data.pages.map((page) => new Page(data.pageShape, page));
  const durable = durablePartsOf(index, data.durability, memory, layout);
  const flight = flightRecorder(new EventRing(data.recorder));
  const threadMemory = threadMemoryReturn(() => {
    machine.letGo();
  });
  const { machine } = newShard({
    index,
    ...durable,
    shardCount: data.link.shards,
    memory,
    requests,
    replies: new RingWriter(memory, replyPlace),
    ...waysToMain(port, doorbell),
    clock: systemClock,
    random: Math.random,
    seed: data.seed,
    page: pages[index] ?? unreachable('the shard has a page'),
    settings: data.settings,
    scriptControlAt: layout.scripts[index] ?? unreachable('the shard has words about scripts'),
    shardExchange: shardExchange(memory, layout),
    sleep: pause,
    workspaceAt: layout.workspaces[index] ?? unreachable('the shard has a workspace'),
    takeLogIds: (kind, count) => logIds[kind].take(count),
    nextRemovedKeyId: () => removedKeyIds.next(),
    flight,
    answers: new SharedReport(data.answers),
    profiler: new ThreadProfiler(),
    tier: data.tier && tierLink(index, data.tier, memory, layout),
    purge: () => {
      threadMemory.purge();
    },
    ...looksAtOthers(index, pages),
  });
  const page = pages[index]!;
  parentPort?.postMessage({ kind: 'up' } satisfies RecoveryAnswer);
  if (data.recovers) await recoverThread(machine, durable.journal, page);
  const noteUsedBuffers = await loadUsedBuffers();
  drive({ machine, requests, flight, page, threadMemory, noteUsedBuffers }, () => {
    port.close();
    durable.journal.flush();
    data.durability.records.close();
    data.durability.pieces.close();
    data.tier?.port.close();
  });
}

/** Way of a shard to the thread that serves its warm tier. */
function tierLink(
  index: number,
  { thread, figures, port }: ShardTier,
  memory: LinkMemory,
  layout: LinkLayout,
): TierLink {
  const bell = new Doorbell(memory, layout.tierBells[thread] ?? unreachable('a bell'));
  return new TierLink({
    memory,
    places: layout.tiers[index] ?? unreachable('a shard has a way to its tier'),
    figures: new TierFigures(figures),
    wake: () => {
      bell.ring();
    },
    send: (body) => {
      port.postMessage(body, [body]);
    },
    receive: () => {
      const received = receiveMessageOnPort(port) ?? unreachable('a body arrives before its frame');
      return received.message as ArrayBuffer;
    },
    nowMs: () => systemClock.nowUs() / 1_000,
  });
}

/** Way of scripts to other shards. */
function shardExchange(memory: LinkMemory, layout: LinkLayout): ShardExchange {
  return {
    exchange: new ScriptExchange(memory, layout.scriptExchange),
    wake: (shard) => {
      wakeSleeper(memory, layout.requests[shard]!);
    },
  };
}

/** Bodies that are too large for the rings, both ways, and the bell. */
function waysToMain(
  port: MessagePort,
  doorbell: Doorbell,
): Pick<MachineOptions, 'outlet' | 'receive'> {
  return {
    outlet: {
      ring: () => {
        doorbell.ring();
      },
      transfer: (body) => {
        port.postMessage(body, [body]);
      },
    },
    receive: () => {
      const received = receiveMessageOnPort(port) ?? unreachable('a body arrives before its frame');
      return received.message as ArrayBuffer;
    },
  };
}

/** Reads of a shard on the pages of all shards, the last of which is main's. */
function looksAtOthers(
  index: number,
  pages: readonly Page[],
): Pick<MachineOptions, 'usedBytesOfAll' | 'othersMaySpill'> {
  const shardPages = pages.slice(0, -1);
  const mainPage = pages.at(-1)!;
  return {
    usedBytesOfAll: () => usedMemory(mainPage, shardPages),
    othersMaySpill: () =>
      shardPages.some(({ values }, nth) => nth !== index && values[AT.tierExhausted] === 0),
  };
}

interface Driven {
  readonly machine: ShardMachine;
  readonly requests: RingReader;
  readonly flight: FlightRecorder;
  readonly page: Page;
  readonly threadMemory: MemoryReturn;
  readonly noteUsedBuffers: NoteUsedBuffers;
}

/** Moves the machine on until it is stopped, and sleeps while it has nothing to do. */
function drive(driven: Driven, ended: () => void): void {
  const { machine, requests, flight, page, threadMemory, noteUsedBuffers } = driven;
  const { values } = page;
  const samples = new ThreadSamples(page);
  const work = new ThreadWork(page, page.get('startedUs'));
  const collections = new GcPauses(page, notesPauses(flight));
  const isCalled = (): boolean => machine.hasArrivals;
  collections.start();
  const run = (): void => {
    collections.take();
    while (!machine.isStopped) {
      const sleepMs = machine.step();
      noteUsedBuffers(bytesInBuffers(values));
      if (samples.take(values[AT.heartbeatUs]!)) {
        threadMemory.look(bytesInUse(values), sleepMs >= IDLE_MS);
        // Node reports garbage collections only in a turn of the event loop, which costs about 5 us.
        setImmediate(run);
        return;
      }
      if (sleepMs <= 0) {
        work.work(values[AT.heartbeatUs]!);
        continue;
      }
      if (machine.areArrivalsExpected && requests.spin(SPIN_ROUNDS, isCalled)) continue;
      work.sleep(systemClock.nowUs());
      requests.sleep(sleepMs, isCalled);
      work.wake(systemClock.nowUs());
    }
    collections.stop();
    ended();
  };
  run();
}

/** Memory outside of the heap that the shard's store has taken, as its page says. */
function bytesInUse(values: Float64Array): number {
  return bytesInBuffers(values) + values[AT.objectBytes]!;
}

/** The part of it that lies in ArrayBuffers. */
function bytesInBuffers(values: Float64Array): number {
  return values[AT.segmentBytes]! + values[AT.indexBytes]! + values[AT.blobBytes]!;
}
