/** What ties a shard's thread to the disk thread. */

import type { MessagePort } from 'node:worker_threads';
import { systemClock, unreachable } from '#base';
import {
  Doorbell,
  LogProgress,
  RingWriter,
  type LinkLayout,
  type LinkMemory,
  type SettingValue,
} from '#link';
import type { Store } from '#store';
import { Journal } from './journal.ts';
import type { MachineParts } from './machine-parts.ts';
import { readShard } from './offline.ts';
import { SnapshotPieces } from './snapshot-pieces.ts';

/** What main gives the thread for it. */
export interface ShardDurability {
  readonly epoch: number;
  readonly folder: string;
  /** Records too large for the ring. */
  readonly records: MessagePort;
  /** Pieces of snapshots. */
  readonly pieces: MessagePort;
}

/** The shard's ways to the disk; none where nothing is kept. */
export function durablePartsOf(
  index: number,
  durability: ShardDurability | undefined,
  memory: LinkMemory,
  layout: LinkLayout,
): Pick<MachineParts, 'journal' | 'snapshots' | 'readLog'> {
  if (durability === undefined) return {};
  const { epoch, folder, records, pieces } = durability;
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
    transfer: (parts) => {
      records.postMessage(
        parts,
        parts.map(({ buffer }) => buffer as ArrayBuffer),
      );
    },
  });
  const readLog = (settings: Readonly<Record<string, SettingValue>>): Store => {
    if (!journal.drain()) throw new Error('the log cannot be written');
    return readShard(folder, { index, shards: layout.logs.length, settings });
  };
  return { journal, readLog, snapshots: new SnapshotPieces(pieces, progress) };
}
