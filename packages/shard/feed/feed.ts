/**
 * A shard's feed: its changes, as commands for replicas, on their way to main. They are collected in memory of the
 * shard and written to the reply ring before replies are published, so that main has every change no later than the
 * reply to its client, or the lent keys that depend on it.
 */

import { type Bytes, copyLong, writeInteger } from '#base';
import type { Arguments } from '#commands';
import { FeedEnd, FeedFlag, SEGMENT_BYTES, SegmentAt } from '#link';
import type { EffectWord } from '../log/effect-record.ts';

/** Bytes of a chunk, so that a frame of the ring has room for it. */
const CHUNK_BYTES = 56 * 1024;
/** Commands of more are written in chunks of their own. */
const LONG_COMMAND_BYTES = 16 * 1024;
/** Most bytes of such a chunk. */
const LONG_CHUNK_BYTES = 8 * 1024 * 1024;
/** Bytes of a count or length with its mark and line end, at most. */
const HEADER_BYTES_MAX = 24;

const STAR = 0x2a;
const DOLLAR = 0x24;
const CR = 0x0d;
const LF = 0x0a;

/** Takes bytes of a feed: those that are given go away with all their memory. */
interface FeedOutlet {
  sendFeed(body: Bytes, isGiven: boolean): void;
}

/** Commands that are done as one. */
export interface FeedGroup {
  readonly number: number;
  /** All shards take part: what is in it may be a part of other shards' units too. */
  readonly isBarrier: boolean;
  /** Group that it is within. */
  readonly outer: FeedGroup | undefined;
  count: number;
}

/** End of a group. */
interface GroupEnd {
  readonly kind: number;
  readonly transaction: number;
  readonly parts: number;
}

const LOCAL: GroupEnd = { kind: FeedEnd.local, transaction: 0, parts: 1 };

export class Feed {
  /** True while there are replicas. */
  isOn = false;
  readonly #outlet: FeedOutlet;
  /** Finished chunks, which begin where their memory does. */
  #chunks: Bytes[] = [];
  #bytes: Bytes = new Uint8Array(0);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;
  #isLong = false;
  /** Offset of the head of the open segment; -1 when none is. */
  #head = -1;
  #database = 0;
  #count = 0;
  #segmentGroup = 0;
  #segmentParent = 0;
  #group: FeedGroup | undefined;
  #groups = 0;

  constructor(outlet: FeedOutlet) {
    this.#outlet = outlet;
  }

  begin(): void {
    this.isOn = true;
  }

  end(): void {
    this.flush();
    this.isOn = false;
    this.#group = undefined;
    this.#bytes = new Uint8Array(0);
  }

  /** Group of what is done now. */
  get group(): FeedGroup | undefined {
    return this.#group;
  }

  beginGroup(isBarrier = false): void {
    this.#groups = (this.#groups + 1) >>> 0 || 1;
    this.#group = { number: this.#groups, isBarrier, outer: this.#group, count: 0 };
  }

  /** Ends the group begun last. One that concerns this shard alone, and has done nothing, leaves no trace. */
  endGroup(end: GroupEnd = LOCAL): void {
    const group = this.#group;
    // The feed may have started within the group.
    if (group === undefined) return;
    if (group.count > 0 || end.kind !== FeedEnd.local) this.#mark(end);
    this.#closeSegment();
    this.#group = group.outer;
  }

  /** Leaves the current group for changes that belong to no group; returns it for `enter`. A barrier's group stays. */
  leave(): FeedGroup | undefined {
    const group = this.#group;
    if (group?.isBarrier === true) return group;
    this.#closeSegment();
    this.#group = undefined;
    return group;
  }

  enter(group: FeedGroup | undefined): void {
    this.#closeSegment();
    this.#group = group;
  }

  /** A place in the order of all commands. */
  cut(number: number, shards: number): void {
    this.#mark({ kind: FeedEnd.cut, transaction: number, parts: shards });
    this.#closeSegment();
  }

  /** Names the client whose reading command has caused the last command: it counts as written by that client. */
  causedBy(connection: number): void {
    this.#mark({ kind: FeedEnd.reader, transaction: connection, parts: 1 });
  }

  /** A command as it was given. */
  command(args: Arguments, database: number): void {
    const { count, source } = args;
    let size = HEADER_BYTES_MAX;
    for (let index = 0; index < count; index += 1) size += HEADER_BYTES_MAX + args.length(index);
    this.#beginCommand(size, database);
    this.#header(STAR, count);
    for (let index = 0; index < count; index += 1) {
      const length = args.length(index);
      this.#header(DOLLAR, length);
      this.#raw(source, args.at(index), length);
      this.#lineEnd();
    }
    this.#endCommand();
  }

  /** A command in words. */
  effect(words: readonly EffectWord[], database: number): void {
    const parts = words.map((word) =>
      typeof word === 'string' ? Buffer.from(word, 'latin1') : word,
    );
    let size = HEADER_BYTES_MAX;
    for (const { length } of parts) size += HEADER_BYTES_MAX + length;
    this.#beginCommand(size, database);
    this.#header(STAR, parts.length);
    for (const part of parts) {
      this.#header(DOLLAR, part.length);
      this.#raw(part, 0, part.length);
      this.#lineEnd();
    }
    this.#endCommand();
  }

  get hasPending(): boolean {
    return this.#chunks.length > 0 || this.#at > 0;
  }

  /** Sends what there is. */
  flush(): void {
    if (!this.hasPending) return;
    this.#closeSegment();
    const chunks = this.#chunks;
    this.#chunks = [];
    for (const chunk of chunks) this.#outlet.sendFeed(chunk, true);
    if (this.#at === 0) return;
    const rest = this.#bytes.subarray(0, this.#at);
    const isLong = this.#isLong;
    this.#at = 0;
    this.#outlet.sendFeed(rest, isLong);
    if (!isLong) return;
    this.#isLong = false;
    this.#bytes = new Uint8Array(0);
  }

  #beginCommand(size: number, database: number): void {
    const group = this.#group?.number ?? 0;
    const isOther = database !== this.#database || group !== this.#segmentGroup;
    if (this.#head >= 0 && isOther) this.#closeSegment();
    const room = this.#bytes.length - this.#at;
    if (size + SEGMENT_BYTES > room) this.#rotate(size + SEGMENT_BYTES);
    if (this.#head < 0) this.#openSegment(database, group);
  }

  #endCommand(): void {
    this.#count += 1;
    if (this.#group !== undefined) this.#group.count += 1;
  }

  #openSegment(database: number, group: number): void {
    this.#head = this.#at;
    this.#database = database;
    this.#segmentGroup = group;
    this.#segmentParent = parentOf(this.#group);
    this.#count = 0;
    this.#at += SEGMENT_BYTES;
  }

  #closeSegment(flags = 0): void {
    if (this.#head < 0) return;
    this.#writeHead(this.#head, {
      bytes: this.#at - this.#head - SEGMENT_BYTES,
      flags,
      count: this.#count,
      transaction: 0,
      parts: 0,
    });
    this.#head = -1;
  }

  /** A segment without commands. */
  #mark({ kind, transaction, parts }: GroupEnd): void {
    this.#closeSegment();
    if (this.#bytes.length - this.#at < SEGMENT_BYTES) this.#rotate(SEGMENT_BYTES);
    this.#openSegment(0, this.#group?.number ?? 0);
    this.#writeHead(this.#head, { bytes: 0, flags: kind, count: 0, transaction, parts });
    this.#head = -1;
  }

  #writeHead(
    at: number,
    head: { bytes: number; flags: number; count: number; transaction: number; parts: number },
  ): void {
    const view = this.#view;
    view.setUint32(at + SegmentAt.bytes, head.bytes, true);
    view.setUint32(at + SegmentAt.flags, head.flags, true);
    view.setUint32(at + SegmentAt.database, this.#database, true);
    view.setUint32(at + SegmentAt.count, head.count, true);
    view.setUint32(at + SegmentAt.group, this.#segmentGroup, true);
    view.setUint32(at + SegmentAt.parent, this.#segmentParent, true);
    view.setUint32(at + SegmentAt.transaction, head.transaction, true);
    view.setUint32(at + SegmentAt.parts, head.parts, true);
  }

  /** Continues in a chunk with room for `size` bytes, or in one of the maximum size. */
  #rotate(size: number): void {
    this.#closeSegment();
    this.#finishChunk();
    const isLong = size > LONG_COMMAND_BYTES && size > CHUNK_BYTES - SEGMENT_BYTES;
    this.#isLong = isLong;
    this.#take(isLong ? Math.min(size, LONG_CHUNK_BYTES) : CHUNK_BYTES);
  }

  #finishChunk(): void {
    if (this.#at === 0) return;
    this.#chunks.push(this.#bytes.subarray(0, this.#at));
    this.#bytes = new Uint8Array(0);
    this.#at = 0;
  }

  #take(size: number): void {
    if (this.#bytes.length !== size) {
      this.#bytes = new Uint8Array(size);
      this.#view = new DataView(this.#bytes.buffer);
    }
    this.#at = 0;
  }

  #header(mark: number, value: number): void {
    if (this.#bytes.length - this.#at < HEADER_BYTES_MAX) this.#goOn();
    const bytes = this.#bytes;
    bytes[this.#at] = mark;
    this.#at += 1 + writeInteger(value, bytes, this.#at + 1);
    this.#lineEnd();
  }

  #lineEnd(): void {
    if (this.#bytes.length - this.#at < 2) this.#goOn();
    this.#bytes[this.#at] = CR;
    this.#bytes[this.#at + 1] = LF;
    this.#at += 2;
  }

  #raw(source: Bytes, from: number, length: number): void {
    let at = from;
    let left = length;
    while (left > 0) {
      if (this.#at === this.#bytes.length) this.#goOn();
      const part = Math.min(left, this.#bytes.length - this.#at);
      if (part < 32) {
        for (let nth = 0; nth < part; nth += 1) this.#bytes[this.#at + nth] = source[at + nth]!;
      } else {
        copyLong(this.#bytes, this.#at, source, at, part);
      }
      this.#at += part;
      at += part;
      left -= part;
    }
  }

  /** Continues a long command in a chunk of its own. */
  #goOn(): void {
    const { number = 0 } = this.#group ?? {};
    this.#closeSegment(FeedFlag.continued);
    this.#finishChunk();
    this.#isLong = true;
    this.#take(LONG_CHUNK_BYTES);
    this.#openSegment(this.#database, number);
  }
}

/** Number of the barrier's group that a group is within, or is. */
function parentOf(group: FeedGroup | undefined): number {
  for (let outer = group; outer !== undefined; outer = outer.outer) {
    if (outer.isBarrier) return outer.number;
  }
  return 0;
}
