/** Reads the feeds of shards, and hands their units to a merger. */

import { asBuffer, type Bytes, unreachable } from '#base';
import { FeedEnd, FeedFlag, SEGMENT_BYTES, SegmentAt } from '#link';
import { FeedMerger, type FeedCommands, type FeedTarget } from './feed-merger.ts';

/** Commands that continue in the next segment. */
interface OpenCommands {
  readonly database: number;
  readonly pieces: Bytes[];
  count: number;
}

/** Unit of a barrier, during which all shards are stopped: its commands so far, in an order of its own. */
interface BarrierUnit {
  readonly merger: FeedMerger;
  readonly commands: FeedCommands[];
  /** Number of its arrival. */
  readonly arrival: number;
}

interface Segment {
  readonly end: number;
  readonly isContinued: boolean;
  readonly database: number;
  readonly count: number;
  readonly group: number;
  readonly parent: number;
  readonly transaction: number;
  readonly parts: number;
}

/** Commands of a shard whose units have not ended. */
interface ShardFeed {
  hasBegun: boolean;
  readonly groups: Map<number, FeedCommands[]>;
  open: OpenCommands | undefined;
}

/** Place from which feeds are read. */
interface FeedStart {
  /** Number of the cut: what comes before it is of a feed that has ended. */
  readonly cut: number;
  /** True for a new reader: units wait until all shards have reached the cut. */
  readonly beginsTogether: boolean;
}

interface ReaderTarget extends FeedTarget {
  /** Takes the slot of a client whose reading command has caused a change. */
  caused(connection: number): void;
}

export class FeedReader {
  readonly #shards: number;
  readonly #firstCut: number;
  readonly #beginsTogether: boolean;
  readonly #merger: FeedMerger;
  readonly #target: ReaderTarget;
  readonly #feeds: readonly ShardFeed[];
  #barrier: BarrierUnit | undefined;
  /** Shards that have ended it. */
  #ended = 0;

  constructor(shards: number, { cut, beginsTogether }: FeedStart, target: ReaderTarget) {
    this.#target = target;
    this.#shards = shards;
    this.#firstCut = cut;
    this.#beginsTogether = beginsTogether;
    this.#merger = new FeedMerger(shards, target);
    this.#feeds = Array.from({ length: shards }, () => ({
      hasBegun: false,
      groups: new Map(),
      open: undefined,
    }));
  }

  /** True when all received commands were passed on. */
  get isSettled(): boolean {
    return this.#barrier === undefined && this.#merger.isEmpty;
  }

  /** Number of the last unit that has arrived and had to wait. */
  get arrivals(): number {
    return this.#merger.arrivals;
  }

  /** True when no unit up to that arrival waits any more. */
  hasHandedOn(arrival: number): boolean {
    return Math.min(this.#barrier?.arrival ?? Infinity, this.#merger.oldest) > arrival;
  }

  /** Units that wait for others. */
  get waiting(): number {
    return this.#merger.waiting;
  }

  /** Takes a body of a shard's feed, whose memory is the taker's. */
  take(shard: number, body: Bytes): void {
    const numbers = asBuffer(body);
    let at = 0;
    while (at < body.length) {
      const bytes = numbers.readUInt32LE(at + SegmentAt.bytes);
      const flags = numbers.readUInt32LE(at + SegmentAt.flags);
      const segment: Segment = {
        end: flags & FeedFlag.endMask,
        isContinued: (flags & FeedFlag.continued) !== 0,
        database: numbers.readUInt32LE(at + SegmentAt.database),
        count: numbers.readUInt32LE(at + SegmentAt.count),
        group: numbers.readUInt32LE(at + SegmentAt.group),
        parent: numbers.readUInt32LE(at + SegmentAt.parent),
        transaction: numbers.readUInt32LE(at + SegmentAt.transaction),
        parts: numbers.readUInt32LE(at + SegmentAt.parts),
      };
      at += SEGMENT_BYTES;
      if (!this.#hasBegun(shard, segment)) {
        at += bytes;
        continue;
      }
      if (segment.end === FeedEnd.none) {
        this.#takeCommands(shard, segment, body.subarray(at, at + bytes));
      } else {
        this.#end(shard, segment);
      }
      at += bytes;
    }
  }

  #hasBegun(shard: number, { end, transaction }: Segment): boolean {
    const feed = this.#feedOf(shard);
    feed.hasBegun ||= end === FeedEnd.cut && transaction === this.#firstCut;
    return feed.hasBegun;
  }

  #takeCommands(shard: number, segment: Segment, bytes: Bytes): void {
    const feed = this.#feedOf(shard);
    const { database, group, parent } = segment;
    const commands = feed.open ?? { database, pieces: [], count: 0 };
    commands.pieces.push(bytes);
    commands.count += segment.count;
    feed.open = segment.isContinued ? commands : undefined;
    if (segment.isContinued) return;
    if (group === 0) {
      this.#merger.own(shard, [commands], false);
    } else if (group === parent) {
      this.#atBarrier.merger.own(shard, [commands], false);
    } else {
      const before = feed.groups.get(group);
      if (before === undefined) feed.groups.set(group, [commands]);
      else before.push(commands);
    }
  }

  #end(shard: number, segment: Segment): void {
    const { group } = segment;
    if (segment.end === FeedEnd.reader) {
      this.#target.caused(segment.transaction);
      return;
    }
    const { groups } = this.#feedOf(shard);
    const commands = groups.get(group) ?? [];
    groups.delete(group);
    if (segment.end === FeedEnd.barrier) this.#endShare(shard, segment);
    else if (segment.end === FeedEnd.local) this.#endLocal(shard, segment, commands);
    else this.#endShared(shard, segment, commands);
  }

  /** Ends a group of a single shard; a command for all shards may be complete then. */
  #endLocal(shard: number, segment: Segment, commands: readonly FeedCommands[]): void {
    if (segment.group === segment.parent) this.#endSingle(shard);
    else if (commands.length > 0) this.#mergerOf(segment).own(shard, commands, true);
  }

  /** Ends a barrier that one shard alone has done something at. */
  #endSingle(shard: number): void {
    const { commands, arrival } = this.#atBarrier;
    this.#barrier = undefined;
    this.#merger.own(shard, commands, true, arrival);
  }

  #endShared(shard: number, segment: Segment, commands: readonly FeedCommands[]): void {
    const { end, transaction, parts } = segment;
    const merger = this.#mergerOf(segment);
    switch (end) {
      case FeedEnd.hosted:
        merger.hosted([shard, ...shardsOf(parts, this.#shards)], commands);
        break;
      case FeedEnd.share:
        if (merger === this.#merger) merger.part(shard, transaction, parts, commands);
        else if (commands.length > 0) merger.own(shard, commands, true);
        break;
      case FeedEnd.whole:
        merger.whole(shard, `whole ${transaction}`, parts, { commands });
        break;
      case FeedEnd.cut:
        if (transaction === this.#firstCut && !this.#beginsTogether) break;
        merger.whole(shard, `cut ${transaction}`, parts, { commands, cut: transaction });
        break;
      default:
        unreachable('a segment has a known end');
    }
  }

  /** A shard has ended its part of a barrier. */
  #endShare(shard: number, { transaction, parts }: Segment): void {
    const { commands, arrival } = this.#atBarrier;
    this.#merger.whole(shard, `barrier ${transaction}`, parts, { commands, arrival });
    this.#partEnded(parts);
  }

  /** Returns the merger for a group that has ended: commands within a barrier have a separate order. */
  #mergerOf({ group, parent }: Segment): FeedMerger {
    return parent !== 0 && parent !== group ? this.#atBarrier.merger : this.#merger;
  }

  /** One more shard has ended its part of a barrier. */
  #partEnded(parts: number): void {
    this.#ended += 1;
    if (this.#ended < parts) return;
    this.#ended = 0;
    this.#barrier = undefined;
  }

  get #atBarrier(): BarrierUnit {
    this.#barrier ??= newBarrier(this.#shards, this.#merger.arrive());
    return this.#barrier;
  }

  #feedOf(shard: number): ShardFeed {
    return this.#feeds[shard] ?? unreachable('the shard exists');
  }
}

function newBarrier(shards: number, arrival: number): BarrierUnit {
  const commands: FeedCommands[] = [];
  const merger = new FeedMerger(shards, {
    unit: (unit) => commands.push(...unit),
    cut: () => unreachable('there is no cut while all shards are stopped'),
  });
  return { merger, commands, arrival };
}

/** The shards of a bit mask. */
function shardsOf(mask: number, shards: number): readonly number[] {
  return Array.from({ length: shards }, (_, shard) => shard).filter(
    (shard) => (mask & (1 << shard)) !== 0,
  );
}
