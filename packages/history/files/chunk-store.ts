/**
 * Closed chunks of all tiers, oldest first by the number of their first sample. They are in files of the folder, or in memory
 * as long as they are not written: without a folder, before the server is ready, and while the disk fails.
 */

import {
  chunkHead,
  CHUNK_HEAD_BYTES,
  type ChunkHead,
  packChunk,
  readChunk,
} from '../chunks/chunk.ts';
import type { OpenChunk, Samples } from '../chunks/samples.ts';
import { chunksMax, type TierShape } from '../samples/tier.ts';
import type { HistoryFolder } from './history-folder.ts';

const ENDING = '.chunk';
const NUMBER_DIGITS = 12;
/** Chunks of a tier that may wait to be packed. */
const WAITING_MAX = 4;

/** A closed chunk: in a file, packed in memory, or not packed yet. */
interface StoredChunk {
  readonly head: ChunkHead;
  readonly size: number;
  bytes: Buffer | undefined;
  readonly live: OpenChunk | undefined;
}

interface ChunkStoreOptions {
  readonly tiers: readonly TierShape[];
  /** Folder that chunks are written to now; undefined where they stay in memory. */
  readonly folder: () => HistoryFolder | undefined;
  /** Most bytes of chunks in memory and on disk. */
  readonly bytesMax: () => number;
}

export class ChunkStore {
  readonly #options: ChunkStoreOptions;
  readonly #chunks: StoredChunk[][];
  /** Number of the next sample after all that were found, by tier. */
  readonly #base: number[];
  /** Chunks that are packed or written, one after the other. */
  #work: Promise<void> = Promise.resolve();

  constructor(options: ChunkStoreOptions) {
    this.#options = options;
    this.#chunks = options.tiers.map(() => []);
    this.#base = options.tiers.map(() => 0);
  }

  /** Bytes of all chunks. */
  get bytes(): number {
    return this.#chunks.flat().reduce((sum, { size }) => sum + size, 0);
  }

  /** Finds the chunks of earlier processes; damaged and foreign files are skipped. */
  async load(folder: HistoryFolder): Promise<void> {
    for (const name of await folder.names()) {
      const tier = this.#options.tiers.findIndex((each) => name.startsWith(`${each.name}-`));
      if (tier < 0 || !name.endsWith(ENDING)) continue;
      try {
        const { head, size } = await folder.head(name, CHUNK_HEAD_BYTES);
        this.#found(tier, { head: chunkHead(head), size, bytes: undefined, live: undefined });
      } catch (error) {
        folder.skip(name, (error as Error).message);
      }
    }
    for (const list of this.#chunks) list.sort((a, b) => a.head.first - b.head.first);
    await this.#prune();
  }

  /** Keeps a chunk that is full. */
  add(tier: number, chunk: OpenChunk): void {
    const first = this.#base[tier]! + chunk.first;
    const times = chunk.timesMs.subarray(0, chunk.count);
    const head = {
      fromMs: Math.min(...times),
      toMs: Math.max(...times),
      first,
      count: chunk.count,
      seconds: this.#options.tiers[tier]!.seconds,
    };
    const live = { head, size: 0, bytes: undefined, live: chunk };
    this.#chunks[tier]!.push(live);
    this.#dropWaiting(tier);
    this.#after(async () => {
      const { bytes } = await packChunk(chunk, head.seconds, first);
      const list = this.#chunks[tier]!;
      const at = list.indexOf(live);
      if (at >= 0) list[at] = { head, size: bytes.length, bytes, live: undefined };
      await this.#flush();
      await this.#prune();
    });
  }

  /** Writes an open chunk as it is now, so that a killed process loses little of it. */
  save(tier: number, chunk: OpenChunk): void {
    if (chunk.count === 0) return;
    this.#after(async () => {
      const folder = this.#options.folder();
      if (folder === undefined || folder.isResting || chunk.isFull) return;
      const first = this.#base[tier]! + chunk.first;
      const { bytes } = await packChunk(chunk, this.#options.tiers[tier]!.seconds, first);
      if (this.bytes + bytes.length <= this.#options.bytesMax()) {
        await folder.write(this.#nameOf(tier, first), bytes);
      }
    });
  }

  /** Settles when everything given to it is kept. */
  async settle(): Promise<void> {
    await this.#work;
  }

  /** Reads the samples of a tier that may lie within a time, oldest first. */
  async *read(
    tier: number,
    range: { readonly fromMs: number; readonly toMs: number },
    isWanted: (owner: string, name: string) => boolean,
  ): AsyncGenerator<Samples> {
    const slackMs = 1_000 * this.#options.tiers[tier]!.seconds;
    for (const chunk of [...this.#chunks[tier]!]) {
      const { fromMs, toMs } = chunk.head;
      if (toMs < range.fromMs || fromMs - slackMs > range.toMs) continue;
      const samples = chunk.live ?? (await this.#samplesOf(tier, chunk, isWanted));
      if (samples !== undefined) yield samples;
    }
  }

  #after(work: () => Promise<void>): void {
    this.#work = this.#work.then(work);
  }

  /** Bounds the memory of chunks that wait for a disk that does not respond. */
  #dropWaiting(tier: number): void {
    const list = this.#chunks[tier]!;
    const waiting = list.filter(({ live }) => live !== undefined);
    if (waiting.length > WAITING_MAX) list.splice(list.indexOf(waiting[0]!), 1);
  }

  async #samplesOf(
    tier: number,
    chunk: StoredChunk,
    isWanted: (owner: string, name: string) => boolean,
  ): Promise<Samples | undefined> {
    const folder = this.#options.folder();
    const name = this.#nameOf(tier, chunk.head.first);
    try {
      const bytes = chunk.bytes ?? (await folder?.read(name));
      return bytes === undefined ? undefined : await readChunk(bytes, isWanted);
    } catch (error) {
      const list = this.#chunks[tier]!;
      const at = list.indexOf(chunk);
      // It may have been removed meanwhile because of its age.
      if (at >= 0) {
        list.splice(at, 1);
        folder?.skip(name, (error as Error).message);
      }
      return undefined;
    }
  }

  #found(tier: number, chunk: StoredChunk): void {
    this.#chunks[tier]!.push(chunk);
    this.#base[tier] = Math.max(this.#base[tier]!, chunk.head.first + chunk.head.count);
  }

  /** Writes the chunks that are only in memory. */
  async #flush(): Promise<void> {
    const folder = this.#options.folder();
    if (folder === undefined) return;
    for (const [tier, list] of this.#chunks.entries()) {
      for (const chunk of [...list]) {
        if (chunk.bytes === undefined || folder.isResting) continue;
        const isWritten = await folder.write(this.#nameOf(tier, chunk.head.first), chunk.bytes);
        if (isWritten) chunk.bytes = undefined;
      }
    }
  }

  /** Drops the oldest chunks: of each tier what exceeds its samples, then of the largest tier what exceeds the bytes. */
  async #prune(): Promise<void> {
    const bytesMax = this.#options.bytesMax();
    for (const [tier, list] of this.#chunks.entries()) {
      const shape = this.#options.tiers[tier]!;
      let samples = list.reduce((sum, { head }) => sum + head.count, 0);
      while (
        list.length > chunksMax(shape) ||
        (list.length > 0 && samples - list[0]!.head.count >= shape.samplesMax)
      ) {
        samples -= list[0]!.head.count;
        await this.#drop(tier);
      }
    }
    while (this.bytes > bytesMax) {
      const sizes = this.#chunks.map((list) => list.reduce((sum, { size }) => sum + size, 0));
      await this.#drop(sizes.indexOf(Math.max(...sizes)));
    }
  }

  async #drop(tier: number): Promise<void> {
    const dropped = this.#chunks[tier]!.shift();
    if (dropped === undefined) return;
    if (dropped.bytes === undefined && dropped.live === undefined) {
      await this.#options.folder()?.remove(this.#nameOf(tier, dropped.head.first));
    }
  }

  #nameOf(tier: number, first: number): string {
    const number = String(first).padStart(NUMBER_DIGITS, '0');
    return `${this.#options.tiers[tier]!.name}-${number}${ENDING}`;
  }
}
