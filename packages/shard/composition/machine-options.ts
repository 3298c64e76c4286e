/** Options of a shard's machine: everything it may touch of the world. */

import type { Bytes, Clock } from '#base';
import type { ShardSettingValues } from '#commands';
import type { FlightRecorder, Page, TakeLogIds, ThreadProfiler } from '#stats';
import type { LinkMemory, RingReader, RingWriter, SharedReport } from '#link';
import type { Store, WarmOutlet } from '#store';
import type { TierLink } from '#tier';
import type { Journal } from '../log/journal.ts';
import type { Outlet } from '../frames/reply-sender.ts';
import type { ShardExchange } from '../scripts/shard-requests.ts';
import type { SnapshotOutlet } from '../snapshot/snapshot-pieces.ts';

export interface MachineOptions {
  index: number;
  shardCount: number;
  memory: LinkMemory;
  requests: RingReader;
  replies: RingWriter;
  outlet: Outlet;
  /** Takes the body of a transferred frame: it is there when the frame is. */
  receive(): ArrayBuffer;
  clock: Clock;
  random: () => number;
  /** 16 random bytes. */
  seed: Bytes;
  page: Page;
  flight: FlightRecorder;
  /** Memory for published answers; undefined without a reader. */
  answers?: SharedReport;
  profiler: ThreadProfiler;
  settings: ShardSettingValues;
  /** Place in the link memory of the words about the script that runs. */
  scriptControlAt: number;
  /** Undefined where a script reaches other shards by way of main only. */
  shardExchange?: ShardExchange;
  /** Blocks the thread; for DEBUG SLEEP. */
  sleep: (seconds: number) => void;
  /**
   * Reads what the shard holds from its snapshot and log on disk, by these settings. Throws an error with what is
   * wrong with them. Undefined where nothing ever is kept on disk.
   */
  readLog?: (settings: ShardSettingValues) => Store;
  /** Returns unused memory of the thread to the system. */
  purge?: () => void;
  /** Bytes that all shards use together, from their pages. */
  usedBytesOfAll: () => number;
  /** Journal in which the shard logs its changes; undefined if persistence can never be switched on. */
  journal?: Journal;
  /** Takes the pieces of snapshots. */
  snapshots?: SnapshotOutlet;
  /** Way to the warm tier; undefined without one. */
  tier?: TierLink | undefined;
  /** True while another shard may spill values instead of this one; if absent, none may. */
  othersMaySpill?: () => boolean;
  /** A tier in the thread itself, for offline use. */
  localTier?: WarmOutlet | undefined;
  /** Place in the link memory where the shard's workspace is. */
  workspaceAt: number;
  /** Reserves ids for entries of a log of commands, unique in the process. */
  takeLogIds: TakeLogIds;
  /** Returns an id for a removed key, unique in the process. */
  nextRemovedKeyId: () => number;
}
