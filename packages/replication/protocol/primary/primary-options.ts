/** Options of a primary: its settings, its way to the server, and the stream that it may follow itself. */

import type { Bytes, LogFields } from '#base';
import type { FeedOrder } from '#link';
import type { PrimaryFigure } from './figures.ts';
import type { Replica, StateListener } from './replica.ts';
import type { SyncFile } from './sync-file.ts';
import type { ReasonCounter, SyncReason } from './sync-reasons.ts';

/** Settings that a primary reads, always with their current values. */
export interface PrimarySettings {
  readonly backlogBytes: number;
  /** Seconds for which the backlog is kept without replicas; 0 = always. */
  readonly backlogTtlSecs: number;
  readonly pingPeriodSecs: number;
  readonly timeoutSecs: number;
  readonly syncDelaySecs: number;
  /** Number of waiting replicas from which a full sync starts without waiting; 0 = always wait for the whole delay. */
  readonly syncMaxReplicas: number;
  /** Seconds of lag up to which a replica counts; 0 = the count of good replicas is not kept. */
  readonly maxLagSecs: number;
  readonly minReplicas: number;
}

/** Stream of another server that this one follows, and hands on to its own replicas. */
export interface FollowedStream {
  /** True at a place at which another may begin to follow: within no command, and no transaction. */
  readonly mayCut: boolean;
  /** Database that the stream is in. */
  readonly database: number;
}

/** Taker of what replicas go through. */
interface PrimaryEvents extends StateListener {
  /** A full synchronisation begins for a replica. */
  replicaSyncBegun(replica: Replica, reason: SyncReason): void;
  /** A replica has all of it, `ms` after it has asked. */
  replicaSyncEnded(replica: Replica): void;
}

/** Counts of synchronisations. */
type SyncCounter = 'fullSyncs' | 'partialSyncs' | 'partialSyncsRefused' | ReasonCounter;

export interface PrimaryOptions {
  readonly shards: number;
  readonly settings: PrimarySettings;
  /** Gives shards an order, at one place of the order of commands. */
  order(order: FeedOrder): void;
  grant(shard: number, number: number, byteCount: number): void;
  /** True while no snapshot is being written. */
  mayFreeze(): boolean;
  /** Keys are about to be frozen. */
  frozen(): void;
  /** Keys are frozen no more: a snapshot may begin. */
  thawed(): void;
  /** Fields that a full synchronisation begins with. */
  details(): readonly (readonly [string, string])[];
  /** True when full synchronisations are sent while they are made, to replicas that can do without a length. */
  isDiskless(): boolean;
  /** Makes a temporary file for a full synchronisation. */
  openFile(): Promise<SyncFile>;
  nowMs(): number;
  count(what: SyncCounter): void;
  readonly events: PrimaryEvents;
  show(figure: PrimaryFigure, value: number): void;
  /** A reading command of the client in that slot has caused a change. */
  readonly caused: (connection: number) => void;
  /** There is output to send: starts a turn. */
  wake(): void;
  log(level: 'info' | 'warn', event: string, message: string, fields: LogFields): void;
}

/** Place in a stream, with the last bytes before it. */
export interface StreamPlace {
  readonly id: string;
  readonly offset: number;
  readonly database: number;
  readonly secondId: string;
  readonly secondOffset: number;
  readonly tail: Bytes;
}

/** Waiter for acknowledgements of replicas up to an offset. */
export interface AckWaiter {
  /** Looks again: an acknowledgement came. */
  look(): void;
}
