/** A replica of this server: its announced properties, its offset, and the state of its link with the reason. */

import type { Bytes } from '#base';
import type { SlotSpan } from '#link';
import type { StampLag } from '../stamps.ts';
import type { Stream } from './stream.ts';
import type { SyncReason } from './sync-reasons.ts';

/** Connection to a replica. */
export interface ReplicaLink {
  readonly id: number;
  /** Address of its end, without the port. */
  readonly host: string;
  /** Address of its end as clients are listed. */
  readonly address: string;
  /** Bytes that the kernel has not accepted, and those of them that were not written yet. */
  readonly pendingBytes: number;
  readonly unsentBytes: number;
  /** Reason for which this side has closed it; undefined where it has not. */
  closeReason: string | undefined;
  /** Bytes that it was given in all. */
  readonly sentBytes: number;
  /** Sends bytes; long ones are not copied, and must not change. */
  send(bytes: Bytes): void;
  /** Closes the connection, and says why in the log. */
  close(reason: string): void;
}

export type ReplicaState =
  /** It has announced its properties, or requests a sync. */
  | 'handshake'
  /** It waits for a full synchronisation to begin. */
  | 'wait_bgsave'
  /** It is being sent one. */
  | 'send_bulk'
  /** It has one, and follows the stream. */
  | 'online';

/** Move of slots to another node of a cluster, for which that follows this server. */
interface SlotLink {
  readonly id: string;
  readonly spans: readonly SlotSpan[];
}

/** Contents of a full synchronisation. */
export type SyncFilter = 'all' | 'functions' | 'nothing';

/** Maximum number of bytes queued in a connection before it gets more. */
const PENDING_BYTES_MAX = 256 * 1024;
/** Bytes given to it at once. */
const PIECE_BYTES = 64 * 1024;

/** Taker of changes of its state. */
export interface StateListener {
  /** It is so now, for a reason; `gone` when its connection is. */
  replicaChanged(replica: Replica, state: ReplicaState | 'gone', reason: string): void;
}

/** Facts that a replica has announced of itself. */
interface AnnouncedReplica {
  listeningPort: number;
  /** Empty where the address of its connection counts. */
  ipAddress: string;
  /** Id of the node that it is in a cluster; empty where it has announced none. */
  nodeId: string;
  /** Takes a full synchronisation without a length, to an end mark. */
  hasEof: boolean;
  /** Understands that the id of the stream may change. */
  hasPsync2: boolean;
  /** Takes timestamps in the stream. */
  hasStamps: boolean;
  /** Empty where it has announced none. */
  version: string;
  isRdbOnly: boolean;
  filter: SyncFilter;
}

/** Acknowledgements of a replica. */
interface ReplicaAck {
  /** Offset that it has acknowledged, and that it has on disk. */
  offset: number;
  diskOffset: number;
  /** Time of the last one. */
  ms: number;
  /** Lag by its answers to timestamps. */
  readonly stampLag: StampLag;
  /** Waits for the first one before the stream is sent: only that shows that it has seen the end mark. */
  isAwaited: boolean;
}

/** Pending or last full sync of a replica. */
interface ReplicaSync {
  /** Undefined where it continued without one. */
  reason: SyncReason | undefined;
  /** Time at which it asked for it, and bytes that its connection had been given then. */
  askedMs: number;
  askedBytes: number;
  /** Waits for the file with it to be whole. */
  awaitsFile: boolean;
  /** It ends with a mark. */
  hasMark: boolean;
  /** Time at which bytes of it were last given to the connection. */
  sentMs: number;
}

export class Replica {
  readonly link: ReplicaLink;
  readonly announced: AnnouncedReplica = {
    listeningPort: 0,
    ipAddress: '',
    nodeId: '',
    hasEof: false,
    hasPsync2: false,
    hasStamps: false,
    version: '',
    isRdbOnly: false,
    filter: 'all',
  };
  readonly ack: ReplicaAck;
  readonly sync: ReplicaSync;
  /** It takes keys of some slots over, and is no replica to anybody who counts those; undefined for a replica. */
  slotLink: SlotLink | undefined;
  /** True if it uses SYNC instead of PSYNC: it sends no acknowledgements. */
  isOld = false;
  /** Offset that it has been sent. */
  offset = 0;
  isGone = false;
  #state: ReplicaState = 'handshake';
  #sinceMs: number;
  #reason = 'connected';
  readonly #listener: StateListener;

  constructor(link: ReplicaLink, nowMs: number, listener: StateListener) {
    this.link = link;
    this.#listener = listener;
    this.#sinceMs = nowMs;
    const stampLag = { stampOffset: -1, delayMs: 0 };
    this.ack = { offset: 0, diskOffset: 0, ms: nowMs, stampLag, isAwaited: false };
    this.sync = {
      reason: undefined,
      askedMs: 0,
      askedBytes: 0,
      awaitsFile: false,
      hasMark: true,
      sentMs: nowMs,
    };
  }

  get state(): ReplicaState {
    return this.#state;
  }

  get sinceMs(): number {
    return this.#sinceMs;
  }

  /** Reason for the state that it is in. */
  get reason(): string {
    return this.#reason;
  }

  enter(state: ReplicaState, reason: string, nowMs: number): void {
    this.#state = state;
    this.#reason = reason;
    this.#sinceMs = nowMs;
    this.#listener.replicaChanged(this, state, reason);
  }

  /** Its connection has closed. */
  leave(): void {
    this.isGone = true;
    const reason = this.link.closeReason ?? 'the replica has closed the connection';
    this.#listener.replicaChanged(this, 'gone', reason);
  }

  get host(): string {
    const { ipAddress } = this.announced;
    return ipAddress === '' ? this.link.host : ipAddress;
  }

  /** True when that is the address under which it is reached. */
  isAt(host: string, port: number): boolean {
    return this.host.toLowerCase() === host.toLowerCase() && this.announced.listeningPort === port;
  }

  /** True while it follows the stream. */
  get isStreaming(): boolean {
    return this.#state === 'online' && !this.ack.isAwaited && !this.announced.isRdbOnly;
  }

  /** True when the stream has to be kept for it from its offset on. */
  get holdsStream(): boolean {
    const isSynced =
      this.#state === 'online' || this.#state === 'send_bulk' || this.sync.awaitsFile;
    return isSynced && !this.announced.isRdbOnly;
  }

  /** True when its connection takes more. */
  get hasRoom(): boolean {
    return !this.isGone && this.link.unsentBytes < PENDING_BYTES_MAX;
  }

  /** Passes the stream after an offset to the connection, as far as it has room; returns the new offset. */
  give(stream: Stream, from: number): number {
    let offset = from;
    while (this.hasRoom) {
      const bytes = stream.from(offset);
      if (bytes.length === 0) break;
      const piece = bytes.subarray(0, PIECE_BYTES);
      this.link.send(piece);
      offset += piece.length;
    }
    return offset;
  }
}
