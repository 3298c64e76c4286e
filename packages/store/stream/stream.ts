/**
 * A stream: entries under ascending ids, and the consumer groups that read them. Its counters (first and last id,
 * number of entries ever added) equal those of Redis after the same commands, because groups derive their lag from
 * them.
 */

import { reused, type Steps } from '#base';
import { ListpackEntries } from '../listpack/listpack-entries.ts';
import { EntryCursor } from './entry-cursor.ts';
import { IdPlace } from './id-index.ts';
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

/** A node is full at this number of bytes or entries; 0 entries means no limit. */
export interface StreamLimits {
  readonly nodeBytes: number;
  readonly nodeEntries: number;
}

/** Part that is to go from the front of a stream. */
export interface Trimming {
  /** First id that stays; if undefined, a number of entries stays. */
  readonly firstKept: StreamId | undefined;
  readonly kept: number;
  /** Only whole nodes. */
  readonly isApproximate: boolean;
  /** Maximum number of entries; 0 for no limit. */
  readonly limit: number;
}

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
  readonly #tally = new MemoryTally();

  constructor() {
    this.nodes = new NodeLog(this.#tally);
  }

  /** All memory that the stream takes. */
  get totalBytes(): number {
    return STREAM_OVERHEAD_BYTES + this.#tally.bytes;
  }

  *copy(): Steps<Stream> {
    const copy = new Stream();
    yield* copy.nodes.copyFrom(this.nodes);
    copy.length = this.length;
    copy.firstId.set(this.firstId);
    copy.lastId.set(this.lastId);
    copy.maxDeletedId.set(this.maxDeletedId);
    copy.entriesAdded = this.entriesAdded;
    for (const group of this.groups.sorted) {
      const { name, lastId, entriesRead } = group;
      yield* copy.createGroup(name, lastId, entriesRead).copyFrom(group);
    }
    return copy;
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

  /** Removes entries from the front; returns their number. */
  trim(trimming: Trimming): number {
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
