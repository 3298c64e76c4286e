/**
 * A snapshot on its way to the disk. Shards send pieces of states of keys; each is packed in a pool thread and
 * written as a block: u32 bytes unpacked (0 = not packed), u32 keys or part of a long state (store/long-state.ts), the
 * states. When all shards have sent
 * their last, the manifest is written and the folder gets its name.
 */
import path from 'node:path';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import type { Bytes, Clock } from '#base';
import { keysInPiece } from '#store';
import { checksum, firstFormat } from './blocks/block.ts';
import { outcomeOf, type Disk } from './disk.ts';
import { encodeFileHead, FILE_HEAD_BYTES, FORMATS } from './blocks/file-head.ts';
import {
  isPartial,
  MANIFEST,
  partialFolder,
  snapshotFile,
  snapshotFolder,
  snapshotsFolder,
} from './layout.ts';
import type { Manifest } from './blocks/manifest.ts';

const pack = promisify(deflateRaw);
const PACK_LEVEL = 1;
export const PIECE_HEAD_BYTES = 8;
/** Brought to disk this much at a time: all at once would hold up the syncs of the logs. */
const SYNC_BYTES = 8 * 1024 * 1024;

interface SnapshotOptions {
  readonly number: number;
  readonly shards: number;
  readonly epoch: number;
  readonly folder: string;
  readonly packs: boolean;
  readonly disk: Disk;
  readonly clock: Clock;
  /** A piece is written, or dropped because the snapshot has failed. */
  readonly took: (shard: number) => void;
  /** The snapshot is there, or why it is not. */
  readonly ended: (result: Manifest | Error) => void;
}

interface ShardPart {
  /** Undefined once it is closed: its number may be another file's then. */
  fd: number | undefined;
  keys: number;
  bytes: number;
  syncedBytes: number;
  unpacked: number;
  blocks: number;
  isWhole: boolean;
}

export class SnapshotWriter {
  readonly #options: SnapshotOptions;
  readonly #folder: string;
  readonly #files: ShardPart[] = [];
  readonly #beganMs: number;
  /** Pieces are packed and written one after the other, so that no more than one processor is taken from the shards. */
  #queue = Promise.resolve();
  #hasEnded = false;
  /** True once the folder has its name. */
  #isNamed = false;

  constructor(options: SnapshotOptions) {
    this.#options = options;
    const { folder, number, shards, epoch, disk, clock } = options;
    this.#beganMs = clock.wallMs();
    this.#folder = partialFolder(folder, number);
    this.#removeUnfinished();
    try {
      disk.makeFolder(this.#folder);
      for (let shard = 0; shard < shards; shard += 1) {
        const fd = disk.create(snapshotFile(this.#folder, shard));
        const counts = { keys: 0, bytes: FILE_HEAD_BYTES, syncedBytes: 0, unpacked: 0, blocks: 0 };
        this.#files.push({ fd, ...counts, isWhole: false });
        const ofLog = { previous: 0, lostBefore: 0, brokenMs: 0 };
        const head = { shard, shards, number, epoch, createdMs: this.#beganMs, ...ofLog };
        disk.append(fd, [encodeFileHead('snapshot', head)]);
      }
    } catch (error) {
      this.#drop();
      throw error;
    }
  }

  /** Removes what earlier snapshots left on a disk that took no change any more when they failed. */
  #removeUnfinished(): void {
    const { disk, folder } = this.#options;
    const snapshots = snapshotsFolder(folder);
    for (const name of disk.list(snapshots)) {
      if (!isPartial(name)) continue;
      // One that cannot be removed does not stand in the way of another number.
      outcomeOf(() => {
        disk.remove(path.join(snapshots, name));
      });
    }
  }

  /** Takes a piece of a shard's keys, with its count as the store gives it; one with a count of 0 is the last. */
  take(shard: number, states: Bytes, count: number): void {
    this.#queue = this.#queue.then(async () => {
      try {
        if (!this.#hasEnded) await this.#put(shard, states, count);
      } catch (error) {
        this.fail(error instanceof Error ? error : new Error(String(error)));
      }
      this.#options.took(shard);
    });
  }

  /** Gives up; nothing stays of it. */
  fail(error: Error): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#drop();
    this.#options.ended(error);
  }

  /** Closes the files, and removes them if the disk takes that. */
  #drop(): void {
    const { disk, folder, number } = this.#options;
    for (const file of this.#files) {
      try {
        this.#close(file);
      } catch {
        // It is removed anyway.
      }
    }
    try {
      disk.remove(this.#isNamed ? snapshotFolder(folder, number) : this.#folder);
    } catch {
      // The next snapshot removes it.
    }
  }

  #close(file: ShardPart): void {
    const { fd } = file;
    file.fd = undefined;
    if (fd !== undefined) this.#options.disk.close(fd);
  }

  async #put(shard: number, states: Bytes, count: number): Promise<void> {
    const { disk, packs } = this.#options;
    const file = this.#files[shard]!;
    if (count === 0) {
      await this.#sync(file);
      if (this.#hasEnded) return;
      file.isWhole = true;
      if (this.#files.every(({ isWhole }) => isWhole)) this.#finish();
      return;
    }
    const body = packs ? await pack(states, { level: PACK_LEVEL }) : states;
    // It may have failed meanwhile.
    if (file.fd === undefined) return;
    const head = Buffer.alloc(PIECE_HEAD_BYTES);
    head.writeUInt32LE(packs ? states.length : 0, 0);
    head.writeUInt32LE(count, 4);
    const pieces = [head, body];
    const bytes = PIECE_HEAD_BYTES + body.length;
    file.blocks += 1;
    const block = { bytes, crc: checksum(pieces), number: file.blocks, synced: 0 };
    disk.append(file.fd, [firstFormat.encode(block), ...pieces]);
    file.keys += keysInPiece(count);
    file.bytes += firstFormat.headBytes + bytes;
    file.unpacked += states.length;
    if (file.bytes - file.syncedBytes >= SYNC_BYTES) await this.#sync(file);
  }

  /** While this thread writes the logs on. */
  #sync(file: ShardPart): Promise<void> {
    file.syncedBytes = file.bytes;
    const { fd } = file;
    if (fd === undefined) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#options.disk.sync(fd, (error) => {
        if (error === null) resolve();
        else reject(error);
      });
    });
  }

  #finish(): void {
    const { disk, number, shards, epoch, folder, clock, ended } = this.#options;
    for (const file of this.#files) this.#close(file);
    const manifest: Manifest = {
      format: FORMATS.snapshot,
      number,
      epoch,
      shards,
      created_ms: Math.floor(this.#beganMs),
      duration_ms: Math.floor(clock.wallMs() - this.#beganMs),
      files: this.#files.map(({ keys, bytes, unpacked }, shard) => {
        return { shard, keys, bytes, unpacked_bytes: unpacked };
      }),
    };
    const fd = disk.create(path.join(this.#folder, MANIFEST));
    disk.append(fd, [Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)]);
    disk.syncNow(fd);
    disk.close(fd);
    disk.syncFolder(this.#folder);
    disk.rename(this.#folder, snapshotFolder(folder, number));
    this.#isNamed = true;
    disk.syncFolder(snapshotsFolder(folder));
    this.#hasEnded = true;
    ended(manifest);
  }
}
