/** Parts of a shard's log: its ring, the place where blocks are made, its `LogOwner`, and the disk. */

import type { Bytes, Clock } from '#base';
import type { LogFigures } from '#stats';
import type { LinkMemory, LogOwner, LogProgress, RingReader } from '#link';
import type { Disk } from '../disk.ts';

export interface ShardLogOptions {
  readonly shard: number;
  readonly shards: number;
  readonly folder: string;
  readonly disk: Disk;
  readonly clock: Clock;
  /** True when this thread opens the files: Node would close them with the thread, so no other closes them. */
  readonly opensFiles: boolean;
  readonly memory: LinkMemory;
  /** Offset in `memory` at which blocks are made. */
  readonly blockAt: number;
  readonly ring: RingReader;
  readonly progress: LogProgress;
  readonly owner: LogOwner;
  readonly figures: LogFigures;
  /** The parts of a record that came by message: they are there when its place in the ring is. */
  readonly receive: () => readonly Bytes[];
  /** The log cannot be written any more. */
  readonly failed: (shard: number, message: string) => void;
  /** A sync took that long. */
  readonly synced: (shard: number, us: number) => void;
  /** Called by `writeHere` when there is data to sync. */
  readonly unsynced: () => void;
}
