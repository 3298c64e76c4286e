/**
 * A stream: entries under ascending ids, and the consumer groups that read them. Its counters (first and last id,
 * number of entries ever added) equal those of Redis after the same commands, because groups derive their lag from
 * them.
 */

import { reused, type Steps } from '#base';
import { ListpackEntries } from '../listpack/listpack-entries.ts';
import { EntryCursor } from './entry-cursor.ts';
import { IdPlace } from './id-index.ts';
import { IDEMPOTENCY_STANDARD, IdempotentIds } from './idempotent-ids.ts';
import { MemoryTally } from './memory-tally.ts';
import { NamedList } from './named-list.ts';
import { NodeLog } from './node-log.ts';
import { StreamGroup, UNKNOWN_READ } from './stream-group.ts';
import { StreamId } from './stream-id.ts';
import {
  addEntry,
  addNodeHead,
  EntryFlag,
  hasFields,
  nodeCounts,
  readCounts,
  readLastId,
  writeCounts,
  type EntryPieces,
} from './stream-node.ts';
import type { StreamLimits, Trimming } from './stream-options.ts';

/** Largest listpack of a node, and largest entry, as in Redis. */
export const NODE_BYTES_MAX = 2 ** 30;
/** The stream itself and what belongs to it, without what the parts count (measured). */
const STREAM_OVERHEAD_BYTES = 1000;

const entriesScratch = reused(new ListpackEntries());
const nodeScratch = new StreamId();
const lastScratch = new StreamId();
const LOWEST = new StreamId();
const HIGHEST = new StreamId().setMax();
const placeScratch = new IdPlace();
const otherPlaceScratch = new IdPlace();
const cursorScratch = reused(new EntryCursor());

export class Stream {
  readonly nodes: NodeLog;
  readonly groups = new NamedList<StreamGroup>();
  length = 0;
  /** First id of the entries that are there; zero without any. */
  readonly firstId = new StreamId();
  /** The highest that was ever given, or XSETID said. */
  readonly lastId = new StreamId();
  readonly maxDeletedId = new StreamId();
  entriesAdded = 0;
  readonly idempotentIds: IdempotentIds;
  readonly #tally = new MemoryTally();

  constructor(limits = IDEMPOTENCY_STANDARD) {
    this.nodes = new NodeLog(this.#tally);
    this.idempotentIds = new IdempotentIds(this.#tally, limits);
  }

  /** All memory that the stream takes. */
  get totalBytes(): number {
    return STREAM_OVERHEAD_BYTES + this.#tally.bytes;
  }

  *copy(): Steps<Stream> {
    const copy = new Stream(this.idempotentIds.limits);
    yield* copy.nodes.copyFrom(this.nodes);
    copy.length = this.length;
    copy.firstId.set(this.firstId);
    copy.lastId.set(this.lastId);
    copy.maxDeletedId.set(this.maxDeletedId);
    copy.entriesAdded = this.entriesAdded;
    yield* copy.idempotentIds.copyFrom(this.idempotentIds);
    for (const group of this.groups.sorted) {
      const { name, lastId, entriesRead } = group;
      yield* copy.createGroup(name, lastId, entriesRead).copyFrom(group);
    }
    return copy;
  }

  /** True when the stream has something that Redis 7.4 does not know: idempotent ids, or released entries. */
  get isExtended(): boolean {
    return (
      !this.idempotentIds.isUnused || this.groups.sorted.some((group) => group.releasedCount > 0)
    );
  }

  /** Adds an entry with an id above all others. */
  append(id: StreamId, entry: EntryPieces, limits: StreamLimits): void {
    if (this.#admits(entry, limits)) this.#extend(id, entry);
    else this.#begin(id, entry);
    this.length += 1;
    this.entriesAdded += 1;
    this.lastId.set(id);
    if (this.length === 1) this.firstId.set(id);
  }

  /** True when there is an entry with this id. */
  has(id: StreamId): boolean {
    return cursorScratch.open(this.nodes, id, id).next();
  }

  /** Reads the id of the last entry that is there; false without any. */
  readLastEntryId(id: StreamId): boolean {
    const isThere = cursorScratch.open(this.nodes, LOWEST, HIGHEST, true).next();
    if (isThere) id.set(cursorScratch.id);
    return isThere;
  }

  /**
   * Removes an entry; returns whether it was there. `refreshFirst` must follow when its id was the
   * first one.
   */
  remove(id: StreamId): boolean {
    if (!cursorScratch.open(this.nodes, id, id).next()) return false;
    const { value, flagsAt, place: at } = cursorScratch;
    const { bytes, start } = value;
    bytes[flagsAt]! |= EntryFlag.deleted;
    readCounts(bytes, start);
    const { live, deleted } = nodeCounts;
    if (live === 1) this.nodes.remove(at);
    else this.#setCounts(at, live - 1, deleted + 1);
    this.length -= 1;
    if (id.compare(this.maxDeletedId) > 0) this.maxDeletedId.set(id);
    return true;
  }

  /** Finds the first entry again. */
  refreshFirst(): void {
    if (this.length === 0) {
      this.firstId.setZero();
      return;
    }
    const isThere = cursorScratch.open(this.nodes, LOWEST, HIGHEST).next();
    this.firstId.set(isThere ? cursorScratch.id : HIGHEST);
  }

  /** True when a group has yet to read the entry of that id, or has it pending. */
  isReferenced(id: StreamId): boolean {
    for (const group of this.groups.sorted) {
      if (group.lastId.compare(id) < 0 || group.pending.find(id, otherPlaceScratch)) return true;
    }
    return false;
  }

  /** Removes the entry of that id from all that is pending; returns the number of groups that had it. */
  dropReferences(id: StreamId): number {
    let dropped = 0;
    for (const group of this.groups.sorted) if (group.acknowledge(id)) dropped += 1;
    return dropped;
  }

  /** Removes entries from the front; returns their number. */
  trim(trimming: Trimming): number {
    if (trimming.references !== 'kept') return this.#trimByReferences(trimming);
    const { firstKept, kept, isApproximate, limit } = trimming;
    const { nodes } = this;
    const { index } = nodes;
    let deleted = 0;
    while (index.first(placeScratch) && (firstKept !== undefined || this.length > kept)) {
      nodes.read(placeScratch);
      readCounts(nodes.bytes, nodes.at);
      const { live } = nodeCounts;
      if (limit > 0 && deleted + live > limit) break;
      if (this.#isAllTrimmed(trimming, live)) {
        nodes.remove(placeScratch);
        this.length -= live;
        deleted += live;
        continue;
      }
      if (!isApproximate) deleted += this.#trimNode(trimming);
      break;
    }
    if (deleted > 0 || this.length === 0) this.refreshFirst();
    return deleted;
  }

  /**
   * Looks at each entry from the front, since those that groups refer to may have to stay; approximate trimming has a
   * limit, and is exact otherwise. Which entries go does not depend on the size of nodes.
   */
  #trimByReferences(trimming: Trimming): number {
    const { index } = this.nodes;
    let deleted = 0;
    for (let more = index.first(placeScratch); more;) {
      if (trimming.firstKept === undefined && this.length <= trimming.kept) break;
      this.nodes.read(placeScratch);
      readCounts(this.nodes.bytes, this.nodes.at);
      const { live, deleted: gone } = nodeCounts;
      if (trimming.limit > 0 && deleted + live > trimming.limit) break;
      const { count, isEnd } = this.#trimReferred(trimming);
      deleted += count;
      if (count === live) {
        more = this.nodes.remove(placeScratch);
      } else {
        if (count > 0) this.#setCounts(placeScratch, live - count, gone + count);
        more = index.next(placeScratch);
      }
      if (isEnd) break;
    }
    if (deleted > 0 || this.length === 0) this.refreshFirst();
    return deleted;
  }

  /** Marks what may go of the node at `placeScratch`; `isEnd` when no later entry may go. */
  #trimReferred({ firstKept, kept, references }: Trimming): { count: number; isEnd: boolean } {
    this.nodes.index.readId(placeScratch, nodeScratch);
    cursorScratch.open(this.nodes, nodeScratch, HIGHEST);
    let count = 0;
    while (cursorScratch.next() && isSamePlace(cursorScratch.place, placeScratch)) {
      const { id } = cursorScratch;
      if (firstKept === undefined ? this.length <= kept : id.compare(firstKept) >= 0) {
        return { count, isEnd: true };
      }
      if (references === 'dropped') {
        this.dropReferences(id);
      } else if (this.isReferenced(id)) {
        // A group that has not read this entry has not read the later ones either.
        if (this.#isUnread(id)) return { count, isEnd: true };
        continue;
      }
      cursorScratch.value.bytes[cursorScratch.flagsAt]! |= EntryFlag.deleted;
      this.length -= 1;
      count += 1;
    }
    return { count, isEnd: false };
  }

  #isUnread(id: StreamId): boolean {
    return this.groups.sorted.some(({ lastId }) => lastId.compare(id) < 0);
  }

  /** Adds a group whose name is not there. */
  createGroup(name: string, lastId: StreamId, entriesRead: number): StreamGroup {
    const group = new StreamGroup(name, lastId, entriesRead, this.#tally);
    this.groups.add(group);
    return group;
  }

  removeGroup(group: StreamGroup): void {
    this.groups.remove(group);
    group.dispose();
  }

  /** True when an entry from `id` on may have been deleted out of the middle. */
  hasGapFrom(id: StreamId): boolean {
    const { maxDeletedId } = this;
    if (this.length === 0 || maxDeletedId.isZero) return false;
    return this.firstId.compare(maxDeletedId) <= 0 && id.compare(maxDeletedId) <= 0;
  }

  /** Returns how many entries were added up to an id, where that can be known; else UNKNOWN_READ. */
  countUpTo(id: StreamId): number {
    const { entriesAdded, length, lastId, firstId, maxDeletedId } = this;
    if (entriesAdded === 0) return 0;
    const toLast = id.compare(lastId);
    if (length === 0 && toLast <= 0) return entriesAdded;
    if (toLast === 0) return entriesAdded;
    if (toLast > 0) return UNKNOWN_READ;
    if (!maxDeletedId.isZero && maxDeletedId.compare(firstId) >= 0) return UNKNOWN_READ;
    const toFirst = id.compare(firstId);
    if (toFirst > 0) return UNKNOWN_READ;
    return toFirst < 0 ? entriesAdded - length : entriesAdded - length + 1;
  }

  /** Returns how many entries a group has yet to read, where that can be known; else undefined. */
  lagOf({ entriesRead, lastId }: StreamGroup): number | undefined {
    if (this.entriesAdded === 0) return 0;
    if (entriesRead !== UNKNOWN_READ && !this.hasGapFrom(lastId)) {
      return this.entriesAdded - entriesRead;
    }
    const count = this.countUpTo(lastId);
    return count === UNKNOWN_READ ? undefined : this.entriesAdded - count;
  }

  /** Lets a group have read up to an entry, which it reads now. */
  advance(group: StreamGroup, id: StreamId): void {
    if (group.entriesRead !== UNKNOWN_READ && !this.hasGapFrom(id)) group.entriesRead += 1;
    else if (this.entriesAdded > 0) group.entriesRead = this.countUpTo(id);
    group.lastId.set(id);
  }

  /** True when the last node takes another entry. */
  #admits({ pieces, first, end }: EntryPieces, { nodeBytes, nodeEntries }: StreamLimits): boolean {
    const { nodes } = this;
    if (!nodes.index.last(placeScratch)) return false;
    nodes.read(placeScratch);
    let bytes = nodes.nodeBytes;
    for (let index = first; index < end; index += 1) bytes += pieces.length(index);
    const isUnlimited = nodeBytes === 0 || nodeBytes > NODE_BYTES_MAX;
    if (bytes >= (isUnlimited ? NODE_BYTES_MAX : nodeBytes)) return false;
    readCounts(nodes.bytes, nodes.at);
    return nodeEntries === 0 || nodeCounts.live + nodeCounts.deleted < nodeEntries;
  }

  #begin(id: StreamId, entry: EntryPieces): void {
    entriesScratch.clear();
    addNodeHead(entriesScratch, entry);
    addEntry(entriesScratch, id, id, entry, true);
    this.nodes.begin(id, entriesScratch.toListpack());
  }

  /** Adds to the node that `#admits` has read. */
  #extend(id: StreamId, entry: EntryPieces): void {
    const { nodes } = this;
    const { live, deleted } = nodeCounts;
    nodes.index.readId(placeScratch, nodeScratch);
    entriesScratch.clear();
    addEntry(entriesScratch, id, nodeScratch, entry, hasFields(nodes.bytes, nodes.at, entry));
    nodes.extend(entriesScratch);
    this.#setCounts(placeScratch, live + 1, deleted);
  }

  #setCounts(at: IdPlace, live: number, deleted: number): void {
    const { nodes } = this;
    nodes.read(at);
    const changed = writeCounts(nodes.bytes, nodes.at, live, deleted);
    if (changed !== undefined) nodes.replace(at, changed);
  }

  /** True when all of the first node goes, of which `live` entries are there. */
  #isAllTrimmed({ firstKept, kept }: Trimming, live: number): boolean {
    if (firstKept === undefined) return this.length - live >= kept;
    const { nodes } = this;
    nodes.index.readId(placeScratch, nodeScratch);
    return (
      !readLastId(nodes.bytes, nodes.at, nodeScratch, lastScratch) ||
      lastScratch.compare(firstKept) < 0
    );
  }

  /** Marks entries at the front of the first node as deleted; returns their number. */
  #trimNode({ firstKept, kept }: Trimming): number {
    const { live, deleted } = nodeCounts;
    let count = 0;
    cursorScratch.open(this.nodes, LOWEST, HIGHEST);
    while (cursorScratch.next()) {
      const isKept =
        firstKept === undefined ? this.length <= kept : cursorScratch.id.compare(firstKept) >= 0;
      if (isKept) break;
      cursorScratch.value.bytes[cursorScratch.flagsAt]! |= EntryFlag.deleted;
      this.length -= 1;
      count += 1;
    }
    if (count > 0) this.#setCounts(placeScratch, live - count, deleted + count);
    return count;
  }
}

function isSamePlace(one: IdPlace, other: IdPlace): boolean {
  return one.chunk === other.chunk && one.slot === other.slot;
}
