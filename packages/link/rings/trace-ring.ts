/**
 * Records of traced requests on their way from main to the ops thread, in a ring of shared memory. Main never waits for
 * it: the caller counts records that find the ring full. The ops thread polls it, so main wakes no thread.
 */

import { frameBytes } from '../messages/frames.ts';
import type { LinkMemory } from '../memory.ts';
import { RingReader, RingWriter, type RingPlace } from './ring.ts';
import { KeptRecord, RecordAt, type TraceDraft, type TraceRecord } from './trace-record.ts';

export class TraceRingWriter {
  readonly #ring: RingWriter;
  readonly #doubles: Float64Array;

  constructor(memory: LinkMemory, place: RingPlace) {
    this.#ring = new RingWriter(memory, place);
    this.#doubles = new Float64Array(memory.memory.buffer);
  }

  /** True while the reader keeps up: less than three quarters of the ring are waiting. */
  get hasRoom(): boolean {
    return this.#ring.backlog < 0.75 * this.#ring.capacity;
  }

  /** False when there is no room, or the record is too large. */
  write(draft: TraceDraft): boolean {
    const { doubles, count, text, textBytes } = draft;
    const bytes = frameBytes(8 * count + textBytes);
    if (bytes > this.#ring.capacity >> 2) return false;
    const at = this.#ring.reserve(bytes);
    if (at < 0) return false;
    const { memory } = this.#ring;
    const target = this.#doubles;
    const first = at >> 3;
    for (let index = 1; index < count; index += 1) target[first + index] = doubles[index]!;
    // Random bits may be no number, and then a double need not keep them.
    const { ids } = draft;
    const idsWord = (at >> 2) + 2 * RecordAt.ids;
    for (let word = 0; word < ids.length; word += 1) memory.words[idsWord + word] = ids[word]!;
    memory.words[at >> 2] = bytes;
    memory.words[(at >> 2) + 1] = count;
    memory.bytes.set(text.subarray(0, textBytes), at + 8 * count);
    this.#ring.commit(bytes);
    return true;
  }

  /** Publishes written records to the reader. */
  publish(): void {
    this.#ring.publish();
  }
}

export class TraceRingReader {
  readonly #ring: RingReader;

  constructor(memory: LinkMemory, place: RingPlace) {
    this.#ring = new RingReader(memory, place);
  }

  /** Takes at most `countMax` records, oldest first; returns their number. */
  take(countMax: number, each: (record: TraceRecord) => void): number {
    const ring = this.#ring;
    const { words, bytes } = ring.memory;
    let taken = 0;
    for (let at = ring.next(); at >= 0 && taken < countMax; at = ring.next()) {
      const frame = words[at >> 2]!;
      each(new KeptRecord(bytes.slice(at, at + frame), words[(at >> 2) + 1]!));
      ring.advance(frame);
      taken += 1;
    }
    ring.release();
    return taken;
  }
}
