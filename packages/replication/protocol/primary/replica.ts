/** A replica of this server: what it has said of itself, how far it is, and how its link came to be as it is. */

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
  /** Bytes that the kernel has not taken yet, and those of them that it was not even offered. */
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
  /** It has told of itself, or asks for what it lacks. */
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

/** So many bytes wait in a connection before it is given more. */
const PENDING_BYTES_MAX = 256 * 1024;
/** Bytes given to it at once. */
const PIECE_BYTES = 64 * 1024;

/** Taker of changes of its state. */
export interface StateListener {
  /** It is so now, for a reason; `gone` when its connection is. */
  replicaChanged(replica: Replica, state: ReplicaState | 'gone', reason: string): void;
}

export class Replica {
  readonly link: ReplicaLink;
  listeningPort = 0;
  /** Address that it has told; empty where that of its connection counts. */
  announcedHost = '';
  /** Id of the node that it is in a cluster; empty where it has told none. */
  nodeId = '';
  /** Takes a full synchronisation without a length, to an end mark. */
  hasEof = false;
  /** Understands that the id of the stream may change. */
  hasPsync2 = false;
  /** Takes timestamps in the stream. */
  hasStamps = false;
  /** Version that it has told; empty where it has not. */
  version = '';
  isRdbOnly = false;
  filter: SyncFilter = 'all';
  /** It takes keys of some slots over, and is no replica to anybody who counts those; undefined for a replica. */
  slotLink: SlotLink | undefined;
  /** Speaks the protocol of before PSYNC: it acknowledges nothing. */
  isOld = false;
  /** Offset that it has acknowledged, and that it has on disk. */
  ackOffset = 0;
  diskOffset = 0;
  ackMs = 0;
  /** Lag by its answers to timestamps. */
  readonly stampLag: StampLag = { stampOffset: -1, delayMs: 0 };
  /** Reason of the full synchronisation that it waits for or has had; undefined where it went on. */
  syncReason: SyncReason | undefined;
  /** Time at which it asked for that. */
  syncAskedMs = 0;
  /** Bytes that its connection had been given then. */
  syncAskedBytes = 0;
  /** Offset that it has been sent. */
  offset = 0;
  /** Waits for the file with its full synchronisation to be whole. */
  awaitsFile = false;
  /** Its full synchronisation ends with a mark. */
  hasMark = true;
  /** Waits for its first acknowledgement before the stream goes on: only that tells that it has seen the end mark. */
  awaitsAck = false;
  /** Time at which bytes of a full synchronisation were last given to it. */
  sentMs = 0;
  isGone = false;
  #state: ReplicaState = 'handshake';
  #sinceMs: number;
  #reason = 'connected';
  readonly #listener: StateListener;

  constructor(link: ReplicaLink, nowMs: number, listener: StateListener) {
    this.link = link;
    this.#listener = listener;
    this.#sinceMs = nowMs;
    this.ackMs = nowMs;
    this.sentMs = nowMs;
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

  /** Its connection is gone. */
  leave(): void {
    this.isGone = true;
    const reason = this.link.closeReason ?? 'the replica has closed the connection';
    this.#listener.replicaChanged(this, 'gone', reason);
  }

  get host(): string {
    return this.announcedHost === '' ? this.link.host : this.announcedHost;
  }

  /** True when that is the address under which it is reached. */
  isAt(host: string, port: number): boolean {
    return this.host.toLowerCase() === host.toLowerCase() && this.listeningPort === port;
  }

  /** True while it follows the stream. */
  get isStreaming(): boolean {
    return this.#state === 'online' && !this.awaitsAck && !this.isRdbOnly;
  }

  /** True when the stream has to be kept for it from its offset on. */
  get holdsStream(): boolean {
    const isSynced = this.#state === 'online' || this.#state === 'send_bulk' || this.awaitsFile;
    return isSynced && !this.isRdbOnly;
  }

  /** True when its connection takes more. */
  get hasRoom(): boolean {
    return !this.isGone && this.link.unsentBytes < PENDING_BYTES_MAX;
  }

  /** Gives the connection what there is behind an offset, as far as it takes it; answers the offset then. */
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
