/** Builds a shard's machine in its own thread and drives it: the only code that blocks the thread. */

import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { systemClock, unreachable, type Bytes } from '#base';
import { AT, Page, ThreadSamples, type PageShape } from '#diag';
import type { SnapshotPiece } from '#persistence';
import {
  Doorbell,
  layoutOf,
  LinkMemory,
  LogProgress,
  pause,
  RingReader,
  RingWriter,
  SharedCounter,
  type LinkLayout,
  type LinkShape,
  type SharedMemory,
  type SettingValue,
} from '#link';
import { Journal } from './journal.ts';
import type { MachineParts } from './machine-parts.ts';
import { ShardMachine } from './machine.ts';
import { recoverThread } from './recovery-thread.ts';

/** What the main thread gives a shard's thread; cloned, shared or moved by `workerData`. */
export interface ShardThreadData {
  index: number;
  link: LinkShape;
  memory: WebAssembly.Memory;
  pageShape: PageShape;
  /** The pages of all shards, this one's at `index`. */
  pages: readonly SharedMemory[];
  /** Bodies too large for the rings, both ways. */
  port: MessagePort;
  seed: Bytes;
  settings: Readonly<Record<string, SettingValue>>;
  /** Undefined where nothing is kept on disk. */
  durability: ShardDurability | undefined;
}

/** What ties a shard to the disk thread. */
export interface ShardDurability {
  readonly epoch: number;
  /** Records too large for the ring. */
  readonly records: MessagePort;
  /** Pieces of snapshots. */
  readonly pieces: MessagePort;
}

/** Runs until main sends `stop`. */
export async function runShardThread(data: ShardThreadData): Promise<void> {
  const { index, port } = data;
  const memory = new LinkMemory(data.memory);
  const layout = layoutOf(data.link);
  const requestPlace = layout.requests[index] ?? unreachable('the shard has a request ring');
  const replyPlace = layout.replies[index] ?? unreachable('the shard has a reply ring');
  const requests = new RingReader(memory, requestPlace);
  const doorbell = new Doorbell(memory, layout.doorbell);
  const deathIds = new SharedCounter(memory, layout.deathIds);
  const slowIds = new SharedCounter(memory, layout.slowIds);
  const pages = data.pages.map((page) => new Page(data.pageShape, page));
  const durable = durablePartsOf(data, memory, layout);
  const machine = new ShardMachine({
    index,
    ...durable,
    shardCount: data.link.shards,
    memory,
    requests,
    replies: new RingWriter(memory, replyPlace),
    outlet: {
      ring: () => {
        doorbell.ring();
      },
      transfer: (body) => {
        port.postMessage(body, [body]);
      },
    },
    receive: () => {
      const received = receiveMessageOnPort(port);
      return received === undefined
        ? unreachable('a transferred body arrives before its frame')
        : (received.message as ArrayBuffer);
    },
    clock: systemClock,
    random: Math.random,
    seed: data.seed,
    page: pages[index] ?? unreachable('the shard has a page'),
    settings: data.settings,
    sleep: pause,
    nextSlowId: () => slowIds.next(),
    nextDeathId: () => deathIds.next(),
    usedBytesOfAll() {
      let total = 0;
      for (const page of pages) total += page.values[AT.usedBytes]!;
      return total;
    },
  });
  const page = pages[index]!;
  const { values } = page;
  if (durable.journal !== undefined) await recoverThread(machine, durable.journal, page);
  const samples = new ThreadSamples(page);
  while (!machine.isStopped) {
    const sleepMs = machine.step();
    samples.take(values[AT.heartbeatUs]!);
    if (sleepMs <= 0) continue;
    const sinceUs = systemClock.nowUs();
    values[AT.idleSinceUs] = sinceUs;
    requests.sleep(sleepMs);
    values[AT.idleUs] = values[AT.idleUs]! + (systemClock.nowUs() - sinceUs);
    values[AT.idleSinceUs] = 0;
  }
  port.close();
  durable.journal?.flush();
  data.durability?.records.close();
  data.durability?.pieces.close();
}

/** The shard's ways to the disk; none where nothing is kept. */
function durablePartsOf(
  { index, durability }: ShardThreadData,
  memory: LinkMemory,
  layout: LinkLayout,
): Pick<MachineParts, 'journal' | 'snapshots'> {
  if (durability === undefined) return {};
  const { epoch, records, pieces } = durability;
  const bell = new Doorbell(memory, layout.logBell);
  const place = layout.logs[index] ?? unreachable('the shard has a log ring');
  const progressAt = layout.logProgress[index] ?? unreachable('the shard has a place for progress');
  const progress = new LogProgress(memory, progressAt);
  const journal = new Journal({
    ...{ memory, progress, epoch, clock: systemClock },
    ring: new RingWriter(memory, place),
    wake: () => {
      bell.ring();
    },
    transfer: (record) => {
      records.postMessage(record);
    },
  });
  const snapshots = {
    send: (number: number, states: Bytes, keys: number) => {
      const piece: SnapshotPiece = { number, states, keys };
      pieces.postMessage(piece, [states.buffer as ArrayBuffer]);
    },
    taken: () => progress.piecesTaken,
  };
  return { journal, snapshots };
}
