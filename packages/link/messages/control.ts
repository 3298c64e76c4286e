/** Messages that are rare: encoded by msgpackr, never on the path of a command. */

import { pack, unpack } from 'msgpackr';
import type { Bytes } from '#base';

/** Messages to every shard, in order with the commands. */
export type Control =
  | { kind: 'settings'; values: Record<string, SettingValue> }
  /** Resets the latency bands; the page shows the new generation. */
  | { kind: 'reset-bands'; generation: number }
  /** CLIENT PAUSE: no changes, also not by expiry or eviction. */
  | { kind: 'pause'; isOn: boolean }
  /** True when any client tracks keys. */
  | { kind: 'tracking'; isOn: boolean }
  /** True while main wants to see the commands that scripts call. */
  | { kind: 'watch-calls'; isOn: boolean }
  /** Scripts are forgotten: all of them, or one by its digest. */
  | { kind: 'forget-scripts'; digest: string | null }
  /** Users with their new rules; null for a deleted one. */
  | { kind: 'users'; rules: readonly (readonly [name: string, rules: string | null])[] }
  /** Role of the server in replication, and the slot of the client that stands for its primary. */
  | { kind: 'role'; isReplica: boolean; primary: number | undefined }
  /** True while there are fewer good replicas than writes need: scripts write nothing then. */
  | { kind: 'lacks-replicas'; isSo: boolean }
  /** The data may be old, and only scripts that allow for that are to run. */
  | { kind: 'stale'; isSo: boolean }
  /** Slots that are moved key by key from now on. */
  | { kind: 'open-slots'; rules: readonly OpenSlotRule[] }
  /** Slots that this node of a cluster serves from now on. */
  | { kind: 'served-slots'; served: ServedRanges }
  /** Slots whose keys are here and not served from now on, and slots of the clients that bring them. */
  | { kind: 'moving-slots'; hidden: readonly SlotSpan[]; importers: readonly number[] }
  | { kind: 'stop' };

/** A command that was not run because its keys are on their way to another node. */
export interface ShardRedirect {
  /** The client's slot in main's list. */
  readonly connection: number;
  readonly kind: 'ask' | 'tryagain';
}

/** Slots of a cluster as its shards need to know them, for keys that scripts have not declared. */
export interface ServedRanges {
  /** First and last slot of each range: of this node, of the primary that it replicates, and unassigned. */
  readonly own: readonly (readonly [first: number, last: number])[];
  readonly replicated: readonly (readonly [first: number, last: number])[];
  readonly unbound: readonly (readonly [first: number, last: number])[];
  /** Commands that the state of the cluster forbids. */
  readonly refused: 'nothing' | 'writes' | 'all';
}

/** First and last slot of a cluster. */
export type SlotSpan = readonly [first: number, last: number];

/** A slot that is moved key by key. */
export interface OpenSlotRule {
  readonly slot: number;
  /** Places of the node that has the keys which are not here any more, for clients that have come by TLS and for others; null where they come here. */
  readonly target: { readonly plain: string; readonly secure: string } | null;
}

/** Content of a call frame: the name of the call, and its question. */
export type CallQuestion = readonly [name: string, question: unknown];

/** Message that a shard publishes: the time in Unix milliseconds, and its answers to calls by name, as replies contain them. */
export type PublishedAnswersMessage = readonly [
  unixMs: number,
  answers: Readonly<Record<string, Bytes>>,
];

export type SettingValue = string | number | boolean | readonly (string | number)[];

/** Any value of objects, lists, numbers, texts and bytes. A private copy: msgpackr's result is a view into its own pool. */
export function encodeMessage(message: unknown): Bytes {
  return Uint8Array.from(pack(message));
}

/** Throws when the bytes are not a message. Bytes in it are views into `bytes`. */
export function decodeMessage(bytes: Bytes): unknown {
  return unpack(bytes);
}

export function encodeControl(message: Control): Bytes {
  return encodeMessage(message);
}

/** Throws when the bytes are not a message. */
export function decodeControl(bytes: Bytes): Control {
  return decodeMessage(bytes) as Control;
}
