/** A warm tier in the thread that uses it: for offline tasks that process all data. */

import fs from 'node:fs';
import path from 'node:path';
import { type Bytes, type CommandError, errors } from '#base';
import { type Store, warm, type WarmOutlet } from '#store';
import { openExtents } from './extent-file.ts';
import type { ExtentDisk } from './tier-service.ts';

/** Number of changes in one write. */
const BATCH_CHANGES = 64;

/** The place of such tiers, and whether their values are compressed. */
export interface LocalTierPlace {
  /** The folder of the server's tier. */
  readonly directory: string;
  readonly compresses: boolean;
}

/** Folder of these tiers in the directory of the server's, which removes it when it ends. */
export function localTierFolder(directory: string): string {
  return path.join(directory, 'offline');
}

export class LocalTier implements WarmOutlet {
  readonly isFailing = false;
  readonly #folder: string;
  readonly #disk: ExtentDisk;
  /** Changes that are not on disk: undefined for an extent that goes. */
  readonly #pending = new Map<number, Bytes | undefined>();

  /** Opens an empty one for a shard. Throws where the folder cannot be made or written. */
  static async open({ directory, compresses }: LocalTierPlace, shard: number): Promise<LocalTier> {
    const folder = path.join(localTierFolder(directory), `shard-${String(shard)}`);
    return new LocalTier(folder, await openExtents(folder, compresses));
  }

  private constructor(folder: string, disk: ExtentDisk) {
    this.#folder = folder;
    this.#disk = disk;
  }

  /** Throws if the disk is full: there is no way to wait. */
  put(extent: number, bytes: Bytes): boolean {
    this.#change(extent, bytes.slice());
    return true;
  }

  drop(extent: number): void {
    this.#change(extent, undefined);
  }

  waitForRoom(): void {
    // Everything is written immediately.
  }

  read(number: number): Bytes | CommandError {
    const extent = this.#extent(warm.extentOf(number));
    if (extent === undefined) return errors.warmMissing;
    const entry = warm.entryOf(extent, warm.nthOf(number));
    return entry !== undefined && warm.isSound(entry) ? entry.slice() : errors.warmDamaged;
  }

  /** Rewrites the values in use of sparse extents while there are any. */
  compact(store: Store): void {
    warm.compactAll(store, (extent) => this.#extent(extent)?.slice());
  }

  /** Gives the disk back. */
  close(): void {
    this.#pending.clear();
    this.#disk.close();
    fs.rmSync(this.#folder, { recursive: true, force: true });
  }

  /** The bytes of an extent, good until the next call. */
  #extent(extent: number): Bytes | undefined {
    return this.#pending.has(extent) ? this.#pending.get(extent) : this.#disk.read(extent);
  }

  #change(extent: number, bytes: Bytes | undefined): void {
    this.#pending.set(extent, bytes);
    if (this.#pending.size < BATCH_CHANGES) return;
    this.#disk.commit(
      [...this.#pending].map(([number, change]) => ({ extent: number, bytes: change })),
    );
    this.#pending.clear();
  }
}
