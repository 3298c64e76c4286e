/**
 * Gives memory back after keys were removed: moves the records of sparse slabs into fuller ones.
 *
 * First within size classes, which leaves whole slabs free; then, when a segment's worth of slabs is
 * free but spread, out of the segment that has the most of them, so that its buffer can go.
 */
import type { Heap } from '../memory/heap.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import {
  DEFRAG_BEGIN_RATIO,
  DEFRAG_END_RATIO,
  DEFRAG_STEP_CELLS,
  DEFRAG_WASTE_BYTES_MIN,
} from '../memory/limits.ts';
import { CLASS_COUNT } from '../memory/size-classes.ts';
import type { Databases } from '../keyspace/databases.ts';

export class Defragmenter {
  readonly #store: Databases;
  #isActive = false;
  #database = 0;
  /** Position of the defragmentation: the heap is compared, because a flush or a swap replaces it. */
  #heap: Heap | undefined;
  #slab = -1;
  #cell = 0;
  #class = 0;
  #segment = -1;

  constructor(store: Databases) {
    this.#store = store;
  }

  /** True while a pass is not finished: slices still have work. */
  get isActive(): boolean {
    return this.#isActive;
  }

  slice(nowUs: () => number, budgetUs: number): number {
    const store = this.#store;
    const before = store.memory.segmentBytes;
    const endUs = nowUs() + budgetUs;
    this.#isActive ||= this.#isWorthwhile(DEFRAG_BEGIN_RATIO);
    while (this.#isActive) {
      this.#step();
      if (nowUs() >= endUs) break;
    }
    return before - store.memory.segmentBytes;
  }

  #isWorthwhile(ratio: number): boolean {
    const { wasteBytes, recordBytes, segmentBytes } = this.#store.memory;
    return wasteBytes >= DEFRAG_WASTE_BYTES_MIN && segmentBytes > recordBytes * ratio;
  }

  /** A bounded piece of work: a few cells, or the choice of the next slab. */
  #step(): void {
    const keyspace = this.#store.databases[this.#database]!;
    const heap = keyspace.contents.records.heap;
    if (heap !== this.#heap) this.#begin(heap);
    if (this.#slab >= 0 && heap.isDrained(this.#slab)) this.#moveCells(keyspace, heap);
    else if (!this.#chooseSlab(heap)) this.#nextDatabase(heap);
  }

  #begin(heap: Heap | undefined): void {
    // Another heap stands here now, by a swap or a flush: what was set apart in the old one is given back.
    if (this.#slab >= 0) this.#heap?.restore(this.#slab);
    if (this.#segment >= 0) this.#heap?.stopDraining(this.#segment);
    this.#heap = heap;
    this.#slab = -1;
    this.#class = 0;
    this.#segment = -1;
  }

  #moveCells(keyspace: Keyspace, heap: Heap): void {
    for (let i = 0; i < DEFRAG_STEP_CELLS; i += 1) {
      const cell = heap.nextLive(this.#slab, this.#cell);
      // The slab is freed with its last cell.
      if (cell < 0 || !heap.isDrained(this.#slab)) {
        this.#slab = -1;
        return;
      }
      keyspace.relocate(heap.cellAt(this.#slab, cell));
      this.#store.stats.add('defragMoved', 1);
      this.#cell = cell + 1;
    }
  }

  #chooseSlab(heap: Heap): boolean {
    this.#cell = 0;
    if (this.#segment >= 0) {
      this.#slab = heap.drainNextOf(this.#segment);
      if (this.#slab >= 0) return true;
      this.#segment = -1;
    }
    while (this.#class < CLASS_COUNT) {
      this.#slab = heap.drainSparsest(this.#class);
      if (this.#slab >= 0) return true;
      this.#class += 1;
    }
    if (!this.#isWorthwhile(DEFRAG_END_RATIO)) return false;
    this.#segment = heap.drainSegment();
    return this.#segment >= 0;
  }

  #nextDatabase(heap: Heap): void {
    heap.trim();
    this.#begin(undefined);
    this.#database += 1;
    if (this.#database < this.#store.databases.length) return;
    this.#database = 0;
    this.#isActive = false;
  }
}
