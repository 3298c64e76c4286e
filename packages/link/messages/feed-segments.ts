/**
 * Segments of a shard's feed: its changes as commands for replicas, and the ends of units of several commands. The body
 * of a `feed` frame is a sequence of segments. Each has a head of eight words of 32 bits, little-endian, followed by
 * commands in the form in which clients send them. A command that is longer than a frame continues in the next segment.
 * Commands of one unit form a group: their segments have its number, and a last one without bytes contains its kind.
 */

import type { SlotSpan } from './control.ts';

/** Offsets in the head of a segment. */
export const SegmentAt = {
  /** Bytes of commands behind the head. */
  bytes: 0,
  /** One of FeedEnd, and bits of FeedFlag. */
  flags: 4,
  /** Database of the commands. */
  database: 8,
  /** Number of commands that end in the segment. */
  count: 12,
  /** Group that the commands are in; 0 for commands that are done one by one. */
  group: 16,
  /** Group of a barrier that the commands, or their group, are a part of; 0 where there is none. */
  parent: 20,
  /** Number of the transaction that ends with its group; of `reader`, the slot of the client. */
  transaction: 24,
  /** Number of shards that do a part of it; of `hosted`, the shards whose keys it has, a bit each. */
  parts: 28,
} as const;

export const SEGMENT_BYTES = 32;

/** Kinds of units that end with a segment. */
export const FeedEnd = {
  none: 0,
  /** A group of this shard only. */
  local: 1,
  /** A group that has changed keys of other shards, which had lent them. */
  hosted: 2,
  /** A shard's part of a command that several shards do a share of. */
  share: 3,
  /** A part that contains the whole command, which counts once. */
  whole: 4,
  /** A shard's part of a unit for which all shards were stopped. */
  barrier: 5,
  /** No group: a place in the order of all commands, by its number. */
  cut: 6,
  /** No group: the client in this slot has caused the last command by one that only reads. */
  reader: 7,
} as const;

export const FeedFlag = {
  /** The bits of FeedEnd. */
  endMask: 0xff,
  /** The last command continues in the next segment. */
  continued: 1 << 8,
} as const;

/** Body of a `feed` frame to a shard. */
export type FeedOrder =
  /** Feeds from here on, and marks the place by a number. */
  | { kind: 'begin'; number: number }
  /** Feeds no more. */
  | { kind: 'end' }
  /**
   * Like `feed`, if it does not feed yet; freezes the current keys and sends those that pass the filter, `credit` bytes
   * at first; with `slots` only keys of these.
   */
  | {
      kind: 'cut';
      number: number;
      credit: number;
      filter: 'all' | 'functions' | 'nothing';
      slots: readonly SlotSpan[] | null;
    }
  /** Abandons a full sync that is no longer needed. */
  | { kind: 'abandon'; number: number };
