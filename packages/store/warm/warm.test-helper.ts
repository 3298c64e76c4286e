/** For tests of the warm tier: a disk in memory with injected failures. */
import { type Bytes, CommandError } from '#base';
import type { Store } from '../store.ts';
import { compactAll } from '../timed/compaction.ts';
import { entryOf, isSound } from './extent.ts';
import { extentOf, nthOf, type WarmOutlet } from './warm-tier.ts';

export class MemoryDisk implements WarmOutlet {
  readonly extents = new Map<number, Bytes>();
  isFailing = false;
  /** Takes nothing more for now. */
  isBusy = false;
  writtenBytes = 0;

  put(extent: number, bytes: Bytes): boolean {
    if (this.isBusy || this.isFailing) return false;
    this.extents.set(extent, bytes.slice());
    this.writtenBytes += bytes.length;
    return true;
  }

  drop(extent: number): void {
    this.extents.delete(extent);
  }

  waitForRoom(): void {
    this.isBusy = false;
  }

  read(number: number): Bytes | CommandError {
    const extent = this.extents.get(extentOf(number));
    const entry = extent && entryOf(extent, nthOf(number));
    if (entry === undefined) return new CommandError('ERR missing');
    return isSound(entry) ? entry : new CommandError('ERR damaged');
  }

  /** Rewrites sparse extents while there are any. */
  compact(store: Store): void {
    compactAll(store, (extent) => this.extents.get(extent));
  }
}

/** Gives a store a tier. */
export function withTier(
  store: Store,
  policy: 'tiered-lru' | 'tiered-lfu' = 'tiered-lru',
): MemoryDisk {
  const disk = new MemoryDisk();
  store.tier.outlet = disk;
  store.tier.isOn = true;
  store.tier.bytesMin = 16;
  store.tier.isWriting = () => false;
  store.setPolicy(policy);
  return disk;
}
