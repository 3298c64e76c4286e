/**
 * Replies that came before their turn: a connection's commands go to several shards, and one shard
 * answers before another.
 *
 * This happens to every pipelining client, so it allocates nothing: the bytes wait in a block of the
 * shared memory, found by the low bits of their sequence. What does not fit goes to a table.
 */

import type { Bytes } from '#base';
import { SequenceTable, type Sequenced } from './sequence-table.ts';

/** Blocks of shared memory; `net`'s BlockPool is one. */
export interface ParkingBlocks {
  readonly memory: {
    readonly bytes: Bytes;
    readonly copy: (target: number, source: number, length: number) => void;
  };
  readonly blockBytes: number;
  take(): number;
  give(block: number): void;
}

/** Sequences that can be parked in a block at a time; a power of two. */
const PLACES = 256;
const FIELDS = 3;

interface LooseReply extends Sequenced<LooseReply> {
  readonly pieces: Bytes[];
  /** Commands that it answers; 0 as long as more pieces follow. */
  count: number;
}

/** The parked replies of one client. */
export class ReorderBuffer {
  readonly #blocks: ParkingBlocks;
  /** Per place: how many commands the reply answers (0 = nothing here), its offset, its length. */
  readonly #places = new Int32Array(FIELDS * PLACES);
  /** Made with the first reply that needs it. */
  #loose: SequenceTable<LooseReply> | undefined;
  #block = -1;
  #used = 0;
  #inBlock = 0;
  #looseBytes = 0;

  constructor(blocks: ParkingBlocks) {
    this.#blocks = blocks;
  }

  get isEmpty(): boolean {
    return this.#inBlock === 0 && (this.#loose?.count ?? 0) === 0;
  }

  /** Bytes that are parked, or about as many. */
  get bytes(): number {
    return this.#used + this.#looseBytes;
  }

  /** Parks a range of `bytes`; `ahead` is how far its sequence is past the one due. */
  park(
    sequence: number,
    ahead: number,
    count: number,
    bytes: Bytes,
    at: number,
    length: number,
  ): void {
    const { memory } = this.#blocks;
    if (ahead >= PLACES || bytes !== memory.bytes || !this.#hasRoom(length)) {
      // Not `slice`: a Buffer's own makes no copy.
      this.give(sequence, count, new Uint8Array(bytes.subarray(at, at + length)));
      return;
    }
    const place = FIELDS * (sequence & (PLACES - 1));
    const target = this.#block + this.#used;
    memory.copy(target, at, length);
    this.#used += length;
    this.#inBlock += 1;
    this.#places[place] = count;
    this.#places[place + 1] = target;
    this.#places[place + 2] = length;
  }

  /** Stores bytes that are handed over: a reply, or a piece of an incomplete one (`count` is 0). */
  give(sequence: number, count: number, bytes: Bytes): void {
    this.#loose ??= new SequenceTable(PLACES);
    const begun = this.#loose.find(0, sequence);
    if (begun === undefined) {
      this.#loose.add({ slot: 0, sequence, next: undefined, pieces: [bytes], count });
    } else {
      begun.pieces.push(bytes);
      begun.count = count;
    }
    this.#looseBytes += bytes.length;
  }

  /** Gives the reply of `sequence` to `output`; answers how many commands it answers, 0 when it is not here. */
  release(
    sequence: number,
    output: {
      append(at: number, length: number): void;
      give(bytes: Bytes): void;
    },
  ): number {
    const places = this.#places;
    const place = FIELDS * (sequence & (PLACES - 1));
    const count = places[place]!;
    if (count === 0) return this.#releaseLoose(sequence, output);
    output.append(places[place + 1]!, places[place + 2]!);
    places[place] = 0;
    this.#inBlock -= 1;
    if (this.#inBlock === 0) this.#giveBlock();
    return count;
  }

  /** Discards everything: the client has disconnected. */
  clear(): void {
    this.#places.fill(0);
    this.#loose?.clear();
    this.#looseBytes = 0;
    this.#inBlock = 0;
    this.#giveBlock();
  }

  #releaseLoose(sequence: number, output: { give(bytes: Bytes): void }): number {
    const loose = this.#loose?.remove(0, sequence);
    if (loose === undefined) return 0;
    for (const piece of loose.pieces) {
      this.#looseBytes -= piece.length;
      output.give(piece);
    }
    return loose.count;
  }

  #hasRoom(length: number): boolean {
    if (this.#block < 0) {
      this.#block = this.#blocks.take();
      this.#used = 0;
      if (this.#block < 0) return false;
    }
    return this.#used + length <= this.#blocks.blockBytes;
  }

  #giveBlock(): void {
    if (this.#block >= 0) this.#blocks.give(this.#block);
    this.#block = -1;
    this.#used = 0;
  }
}
