/** Layout of the link memory. Computed alike in every thread from the same few numbers. */

import { type ByLogKind, byLogKind } from '#base';
import { COUNTER_BYTES } from './counter.ts';
import { DOORBELL_BYTES } from './doorbell.ts';
import { FRONT_SLOTS_BYTES } from './front/front-slots.ts';
import { LOG_OWNER_BYTES } from './log/log-ownership.ts';
import { LOG_PROGRESS_BYTES } from './log/log-progress.ts';
import { SCRIPT_CONTROL_BYTES } from './script-control.ts';
import { SCRIPT_EXCHANGE_BYTES } from './script-exchange.ts';
import { RING_HEADER_BYTES, type RingPlace } from './rings/ring.ts';

export interface LinkShape {
  shards: number;
  /** Threads that move the bytes of connections; none without it. */
  fronts?: number;
  /** Threads that serve the warm tier; none without it. */
  tierThreads?: number;
  /** Bytes of each ring; a power of two. */
  requestRingBytes: number;
  replyRingBytes: number;
  /** Bytes of each ring between a shard and its log, not resident while nothing is logged; 0 where nothing ever is. */
  logRingBytes: number;
  /** Bytes of the sockets' read buffer. */
  readBytes: number;
  /** Reply blocks, and bytes of each. */
  blocks: number;
  blockBytes: number;
}

export interface LinkLayout {
  doorbell: number;
  requests: readonly RingPlace[];
  replies: readonly RingPlace[];
  /**
   * Rings of the shards' log data, with the words for the progress on disk and the wake-up of the disk thread.
   */
  logs: readonly RingPlace[];
  logProgress: readonly number[];
  logOwners: readonly number[];
  /** Place of each log's next block, which the log's owner makes. */
  logBlocks: readonly number[];
  logBell: number;
  read: number;
  blocks: number;
  /** Counters of the ids of each kind of log of commands. */
  logIds: ByLogKind<number>;
  /** The counter of removed keys. */
  removedKeyIds: number;
  /** Memory of each shard that no other thread looks at. */
  workspaces: readonly number[];
  /** Words about the script that each shard runs. */
  scripts: readonly number[];
  /** Places that main shares with each front thread. */
  fronts: readonly FrontPlaces[];
  /** Ways of the shards to the threads that serve their warm tiers, and the bells of those; none without them. */
  tiers: readonly TierPlaces[];
  tierBells: readonly number[];
  /** Place by which the script that runs alone has other shards run commands. */
  scriptExchange: number;
  /** From main to the ops thread: traced requests. */
  traces: RingPlace;
  bytes: number;
}

/** Places in the link memory that a shard shares with the thread that serves its warm tier. */
export interface TierPlaces {
  /** Extents to be written, which stay there until they are on disk. */
  readonly orders: RingPlace;
  readonly reads: RingPlace;
  readonly answers: RingPlace;
}

/** Places in the link memory that main shares with a front thread. */
export interface FrontPlaces {
  readonly toMain: RingPlace;
  readonly toFront: RingPlace;
  readonly slots: number;
  /** The bell by which main wakes the thread. */
  readonly bell: number;
}

const REQUEST_RING_BYTES = 1024 * 1024;
const REPLY_RING_BYTES = 1024 * 1024;
/** Bytes of each ring between main and a front thread. */
const FRONT_RING_BYTES = 1024 * 1024;
/** Bytes of the rings of a warm tier: what is on its way to the disk, what is wanted, and what comes back. */
const TIER_ORDER_RING_BYTES = 2 * 1024 * 1024;
const TIER_READ_RING_BYTES = 64 * 1024;
const TIER_ANSWER_RING_BYTES = 1024 * 1024;
/** Bytes of a log's ring: what a shard writes in some milliseconds; beyond it records wait in private memory. */
const LOG_RING_BYTES = 2 * 1024 * 1024;
/** Most bytes of a block of a log, but for a record that is longer. */
export const LOG_BLOCK_BYTES = 64 * 1024;
const READ_BYTES = 64 * 1024;
const BLOCK_BYTES = 16 * 1024;
/** Sixteen mebibytes of replies that wait for their socket; beyond it they wait in private memory. */
const BLOCKS = 1024;
/** Some thousand traced requests between two looks of the ops thread; not resident while none is traced. */
const TRACE_RING_BYTES = 2 * 1024 * 1024;

/** Inverse of the part of a request ring that stays readable after its release: the slow log refers to arguments there. */
const KEPT_PART = 16;

/** Bytes of a value that a shard copies at a time, for work that JavaScript does slowly. */
export const WORKSPACE_BYTES = 16 * 1024;
/** Margin before the workspace, for results, and after it, for bytes read past the end. */
const WORKSPACE_MARGIN_BYTES = 64;

export function defaultShape(shards: number, fronts = 0, tierThreads = 0): LinkShape {
  return {
    shards,
    fronts,
    tierThreads,
    requestRingBytes: REQUEST_RING_BYTES,
    replyRingBytes: REPLY_RING_BYTES,
    logRingBytes: LOG_RING_BYTES,
    readBytes: READ_BYTES,
    blocks: BLOCKS,
    blockBytes: BLOCK_BYTES,
  };
}

function frontPlaces(
  take: (byteCount: number) => number,
  ring: (byteCount: number) => RingPlace,
): FrontPlaces {
  return {
    toMain: ring(FRONT_RING_BYTES),
    toFront: ring(FRONT_RING_BYTES),
    slots: take(FRONT_SLOTS_BYTES),
    bell: take(DOORBELL_BYTES),
  };
}

function tierPlaces(ring: (byteCount: number) => RingPlace): TierPlaces {
  return {
    orders: ring(TIER_ORDER_RING_BYTES),
    reads: ring(TIER_READ_RING_BYTES),
    answers: ring(TIER_ANSWER_RING_BYTES),
  };
}

/** Rings of the log of each shard, with the words beside them. */
function logPlaces(
  shape: LinkShape,
  take: (byteCount: number) => number,
  ring: (byteCount: number) => RingPlace,
): Pick<LinkLayout, 'logs' | 'logProgress' | 'logOwners' | 'logBlocks'> {
  const logs: RingPlace[] = [];
  const [logProgress, logOwners, logBlocks]: [number[], number[], number[]] = [[], [], []];
  for (let shard = 0; shard < shape.shards && shape.logRingBytes > 0; shard += 1) {
    logs.push(ring(shape.logRingBytes));
    logProgress.push(take(LOG_PROGRESS_BYTES));
    logOwners.push(take(LOG_OWNER_BYTES));
    logBlocks.push(take(LOG_BLOCK_BYTES));
  }
  return { logs, logProgress, logOwners, logBlocks };
}

export function layoutOf(shape: LinkShape): LinkLayout {
  let at = 0;
  const take = (byteCount: number): number => {
    const start = at;
    at += (byteCount + 63) & ~63;
    return start;
  };
  const ring = (byteCount: number, keptBytes = 0): RingPlace => ({
    header: take(RING_HEADER_BYTES),
    data: take(byteCount),
    bytes: byteCount,
    keptBytes,
  });
  const doorbell = take(DOORBELL_BYTES);
  const requests: RingPlace[] = [];
  const replies: RingPlace[] = [];
  for (let shard = 0; shard < shape.shards; shard += 1) {
    requests.push(ring(shape.requestRingBytes, shape.requestRingBytes / KEPT_PART));
    replies.push(ring(shape.replyRingBytes));
  }
  const logBell = take(DOORBELL_BYTES);
  const logs = logPlaces(shape, take, ring);
  const read = take(shape.readBytes);
  const blocks = take(shape.blocks * shape.blockBytes);
  const logIds = byLogKind(() => take(COUNTER_BYTES));
  const removedKeyIds = take(COUNTER_BYTES);
  const workspaces = requests.map(() => take(WORKSPACE_BYTES + WORKSPACE_MARGIN_BYTES));
  const scripts = requests.map(() => take(SCRIPT_CONTROL_BYTES));
  const { tierThreads = 0 } = shape;
  const tiers = tierThreads === 0 ? [] : requests.map(() => tierPlaces(ring));
  const tierBells = Array.from({ length: tierThreads }, () => take(DOORBELL_BYTES));
  const fronts = Array.from({ length: shape.fronts ?? 0 }, () => frontPlaces(take, ring));
  return {
    doorbell,
    requests,
    replies,
    ...logs,
    logBell,
    read,
    blocks,
    logIds,
    removedKeyIds,
    workspaces,
    scripts,
    fronts,
    tiers,
    tierBells,
    scriptExchange: take(SCRIPT_EXCHANGE_BYTES),
    traces: ring(TRACE_RING_BYTES),
    bytes: at,
  };
}
