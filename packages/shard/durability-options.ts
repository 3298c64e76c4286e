/** Ties of a shard's thread to the disk thread. */

import type { MessagePort } from 'node:worker_threads';
import { systemClock, unreachable } from '#base';
import type { ShardSettingValues } from '#commands';
import { LogFigures } from '#stats';
import {
  Doorbell,
  type LinkLayout,
  type LinkMemory,
  LogOwner,
  LogProgress,
  LogThread,
  RingReader,
  RingWriter,
  type SharedMemory,
} from '#link';
import { noticesOf, realDisk, ShardLog } from '#persistence';
import type { Store } from '#store';
import { Journal } from './log/journal.ts';
import type { MachineOptions } from './composition/machine-options.ts';
import { readShard } from './offline-machine.ts';
import { SnapshotPieces } from './snapshot/snapshot-pieces.ts';

/** Data that main gives a shard's thread for its durability. */
export interface ShardDurability {
  readonly folder: string;
  /** Records too large for the ring. */
  readonly records: MessagePort;
  /** Port for pieces of snapshots and for reports about the log to main. */
  readonly pieces: MessagePort;
  /** Figures of the shard's log. */
  readonly figures: SharedMemory;
}

/** The shard's ways to the disk. Nothing is written before the journal is on. */
export function durablePartsOf(
  index: number,
  durability: ShardDurability,
  memory: LinkMemory,
  layout: LinkLayout,
): Required<Pick<MachineOptions, 'journal' | 'snapshots' | 'readLog'>> {
  const { folder, records, pieces, figures } = durability;
  const bell = new Doorbell(memory, layout.logBell);
  const place = layout.logs[index] ?? unreachable('the shard has a log ring');
  const progressAt = layout.logProgress[index] ?? unreachable('the shard has a place for progress');
  const ownerAt = layout.logOwners[index] ?? unreachable('the log of the shard has an owner');
  const progress = new LogProgress(memory, progressAt);
  const owner = new LogOwner(memory, ownerAt, LogThread.shard);
  const wake = (): void => {
    bell.ring();
  };
  const ownLog = new ShardLog({
    shard: index,
    shards: layout.logs.length,
    folder,
    disk: realDisk,
    clock: systemClock,
    memory,
    progress,
    opensFiles: false,
    ring: new RingReader(memory, place),
    blockAt: layout.logBlocks[index] ?? unreachable('the shard has a place for blocks'),
    owner,
    figures: new LogFigures(figures),
    receive: () => unreachable('what comes by message is for the disk thread'),
    unsynced: wake,
    ...noticesOf((notice) => {
      pieces.postMessage(notice);
    }),
  });
  const journal = new Journal({
    memory,
    progress,
    epoch: () => owner.get('epoch'),
    clock: systemClock,
    ring: new RingWriter(memory, place),
    wake,
    writeHere: (syncs) => {
      ownLog.writesAhead = syncs;
      return ownLog.writeHere(syncs);
    },
    transfer: (pieces) => {
      const buffers = new Set(pieces.map(({ buffer }) => buffer as ArrayBuffer));
      records.postMessage(pieces, [...buffers]);
    },
  });
  const readLog = (settings: ShardSettingValues): Store => {
    if (owner.get('foundation') > 0) throw new Error('its first snapshot is not on disk yet');
    if (!journal.drain()) throw new Error('the log cannot be written');
    return readShard(folder, { index, shards: layout.logs.length, settings });
  };
  return { journal, readLog, snapshots: new SnapshotPieces(pieces, progress) };
}
