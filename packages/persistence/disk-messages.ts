/** Messages between main, shards and the disk thread, and what the thread begins with. */

import type { MessagePort } from 'node:worker_threads';
import type { Bytes } from '#base';
import type { LinkShape, SharedMemory } from '#link';
import type { Manifest } from './blocks/manifest.ts';

export type DurabilityMode = 'sync' | 'periodic' | 'async';

/** Settings that can change while the server runs. */
export interface DiskSettings {
  readonly mode: DurabilityMode;
  readonly syncIntervalMs: number;
  /** Snapshots that are kept. */
  readonly snapshotsMax: number;
  /** Snapshots are packed. */
  readonly packs: boolean;
}

export interface DiskData extends DiskSettings {
  readonly link: LinkShape;
  readonly memory: WebAssembly.Memory;
  readonly figures: readonly SharedMemory[];
  readonly folder: string;
  readonly port: MessagePort;
  /** Per shard: records too large for the ring. */
  readonly records: readonly MessagePort[];
  /** Per shard: port for pieces of snapshots, and for notices of the shard about its log to main. */
  readonly pieces: readonly MessagePort[];
}

/** Beginning of all logs: the number of their first segment, and of the life of the server. */
export interface LogStart {
  readonly number: number;
  readonly epoch: number;
}

/** Messages from main to the disk thread. */
export type DiskOrder =
  /** All data is read: the logs begin, behind the segments of these numbers, one for each shard. */
  | ({ readonly kind: 'begin'; readonly previous: readonly number[] } & LogStart)
  /** The logs start over, based on the snapshot of that number, which follows. */
  | ({ readonly kind: 'found' } & LogStart)
  | { readonly kind: 'snapshot'; readonly number: number }
  | { readonly kind: 'abandon'; readonly reason: string }
  | { readonly kind: 'purge' }
  | { readonly kind: 'healed' }
  | ({ readonly kind: 'settings' } & DiskSettings)
  /** With `isSaved` the last snapshot has everything: nothing was done after it. */
  | { readonly kind: 'stop'; readonly isSaved: boolean };

/** Messages from the disk thread to main. */
export type DiskNotice =
  /** Every log has its first segment on disk, or has reported a failure. */
  | { readonly kind: 'begun' }
  /** The logs have started over; with a problem, none of them has. */
  | { readonly kind: 'founded'; readonly problem: string | undefined }
  /** No shard logs any more, and all logs are closed. */
  | { readonly kind: 'left' }
  | {
      readonly kind: 'snapshot';
      readonly manifest: Manifest;
      readonly took: SnapshotTook;
      /** True when all logs are written after this snapshot. */
      readonly hasLogs: boolean;
      /** Error because of which older files were not all removed, if there is one. */
      readonly left: string | undefined;
    }
  | { readonly kind: 'snapshot-failed'; readonly number: number; readonly message: string }
  | { readonly kind: 'log-failed'; readonly shard: number; readonly message: string }
  | { readonly kind: 'synced'; readonly shard: number; readonly us: number }
  | { readonly kind: 'purged' }
  | { readonly kind: 'stopped' };

interface SnapshotTook {
  readonly us: number;
}

/** A piece of a shard's snapshot. */
export interface SnapshotPiece {
  readonly number: number;
  readonly states: Bytes;
  /** Number of keys whose states are here, or of which a part is; 0 ends the snapshot of the shard. */
  readonly count: number;
  /** The shard has given the snapshot up. */
  readonly fault?: string;
}

/** The shard logs nothing from now on; its earlier records are in its ring. */
export interface LogLeft {
  readonly kind: 'leaves';
}
