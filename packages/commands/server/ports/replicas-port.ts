/** Port to the replicas of this server. */

import type { ClientPort } from '../../contexts/contexts.ts';
import type { FailoverTarget } from './failover-port.ts';

/** Properties that a replica announces by REPLCONF. */
export interface ReplicaDetails {
  listeningPort: number;
  /** Address under which it is reached; empty where that of its connection counts. */
  ipAddress: string;
  /** Id of the node that it is in a cluster; empty outside of one. */
  nodeId: string;
  hasEof: boolean;
  hasPsync2: boolean;
  /** Takes timestamps in the stream. */
  hasStamps: boolean;
  version: string;
  isRdbOnly: boolean;
  filter: 'all' | 'functions' | 'nothing';
}

/** A replica as in ROLE. */
export interface ReplicaPlace {
  readonly host: string;
  readonly port: number;
  readonly offset: number;
}

/** Acknowledgements to wait for: by a number of replicas, and by the log of this server. */
export interface AckWish {
  readonly replicas: number;
  /** On disk, there; also here where `isLocal`. */
  readonly onDisk: boolean;
  readonly isLocal: boolean;
}

/** Acknowledgements of the writes of a client. */
export interface Acks {
  readonly replicas: number;
  /** 1 when it is on this server's disk. */
  readonly local: number;
}

export interface ReplicasPort {
  /** Bytes of the stream so far. */
  readonly offset: number;
  /** Number of replicas that have requested a sync. */
  readonly count: number;
  /** State of the replica at an address; undefined where there is none. */
  stateOf(place: FailoverTarget): string | undefined;
  /** Replicas that follow the stream. */
  readonly online: readonly ReplicaPlace[];
  /** Returns what the connection has announced by REPLCONF; the caller changes it. */
  detailsOf(client: ClientPort): ReplicaDetails;
  /** Uses the connection for a slot migration to another node; rejects if there is no such migration. */
  takesSlots(client: ClientPort, migration: string): Promise<void>;
  /** PSYNC: returns the line to reply at once; undefined when a full synchronisation comes first. */
  resume(client: ClientPort, id: string, offset: number): string | undefined;
  /** SYNC. */
  requestFull(client: ClientPort): void;
  acknowledge(client: ClientPort, offset: number, diskOffset: number): void;
  /** Acknowledgements of all that the client has written. */
  acks(client: ClientPort, wish: AckWish): Acks;
  /** Calls back when the wish is fulfilled; returns what gives it up, and then has the acknowledgements so far. */
  await(client: ClientPort, wish: AckWish, done: (acks: Acks) => void): () => Acks;
  /** True while changes are logged to this server's disk. */
  readonly keepsLog: boolean;
}
