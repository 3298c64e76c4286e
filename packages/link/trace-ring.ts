/**
 * What main tells the ops thread of requests that are traced: records in a ring of shared memory.
 *
 * Main never waits for it: what finds the ring full is the caller's to count. The ops thread looks by
 * itself from time to time, so main wakes nobody.
 */

import type { Bytes } from '#base';
import { decodeMessage, encodeMessage } from './control.ts';
import { frameBytes } from './frames.ts';
import type { LinkMemory } from './memory.ts';
import { RingReader, RingWriter, type RingPlace } from './ring.ts';
import type { ShardTimes } from './trace-times.ts';

/** Words of a frame before its body: the frame's bytes, and the body's. */
const HEADER_BYTES = 8;

/** One request, from its being taken up to its reply's being handed to the socket. */
export interface TraceRecord {
  /** 16 bytes of the trace's id, 8 of the request's span, and 8 of its parent's where an application gave one. */
  readonly ids: Bytes;
  /** Part of a trace; else it is told only for the log. */
  readonly isSampled: boolean;
  /** Index of the command in the table; -1 for one that does not exist. */
  readonly command: number;
  /** Number of the connection. */
  readonly connection: number;
  readonly startUs: number;
  readonly endUs: number;
  /** Index of the error's code in ERROR_CODES, or -1. */
  readonly error: number;
  readonly keyCount: number;
  /** The first arguments, the command's name among them, shortened and without secrets. */
  readonly args: readonly Bytes[];
  /** How long main itself executed the command; undefined when it did not. */
  readonly mainUs: number | undefined;
  readonly shards: readonly (ShardTimes & { readonly shard: number })[];
  /** Several shards each answered a part. */
  readonly isGathered: boolean;
}

export class TraceRingWriter {
  readonly #ring: RingWriter;
  readonly #recordBytesMax: number;

  constructor(memory: LinkMemory, place: RingPlace) {
    this.#ring = new RingWriter(memory, place);
    this.#recordBytesMax = place.bytes >> 2;
  }

  /** False when there is no room, or the record is too large. */
  write(record: TraceRecord): boolean {
    const body = encodeMessage(record);
    const bytes = frameBytes(HEADER_BYTES + body.length);
    if (bytes > this.#recordBytesMax) return false;
    const at = this.#ring.reserve(bytes);
    if (at < 0) return false;
    const { memory } = this.#ring;
    memory.words[at >> 2] = bytes;
    memory.words[(at >> 2) + 1] = body.length;
    memory.bytes.set(body, at + HEADER_BYTES);
    this.#ring.commit(bytes);
    return true;
  }

  /** Lets the reader see what was written. */
  publish(): void {
    this.#ring.publish();
  }
}

export class TraceRingReader {
  readonly #ring: RingReader;

  constructor(memory: LinkMemory, place: RingPlace) {
    this.#ring = new RingReader(memory, place);
  }

  /** Takes at most so many records, oldest first; answers how many there were. */
  take(countMax: number, each: (record: TraceRecord) => void): number {
    const ring = this.#ring;
    const { words, bytes } = ring.memory;
    let count = 0;
    for (let at = ring.next(); at >= 0 && count < countMax; at = ring.next()) {
      const bodyBytes = words[(at >> 2) + 1]!;
      // Decoded bytes are views: they must not be of the ring.
      each(
        decodeMessage(bytes.slice(at + HEADER_BYTES, at + HEADER_BYTES + bodyBytes)) as TraceRecord,
      );
      ring.advance(words[at >> 2]!);
      count += 1;
    }
    ring.release();
    return count;
  }
}
