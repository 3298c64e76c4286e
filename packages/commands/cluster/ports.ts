/** Ports of the server that commands about the cluster use. */

import type { Bytes } from '#base';
import type { MainContext } from '../contexts/contexts.ts';
import type { EndpointType } from './endpoint.ts';

/** First and last slot. */
export type SlotSpan = readonly [first: number, last: number];

/** A node in reports such as CLUSTER NODES. */
export interface ClusterNodeDetails {
  readonly id: string;
  readonly host: string;
  /** Port announced to clients: the TLS port for clients that connected over TLS. */
  readonly port: number;
  readonly plainPort: number;
  readonly tlsPort: number;
  readonly hostname: string;
  /** Availability zone; empty for none. */
  readonly zone: string;
  readonly isMyself: boolean;
  /** Id of the node that it replicates; undefined for a primary. */
  readonly primary: string | undefined;
  /** It has a lease. */
  readonly isPresent: boolean;
  readonly epoch: number;
  readonly offset: number;
  readonly slots: readonly SlotSpan[];
  /** Slots of this node that are moved key by key: by their numbers, and the node that they go to or come from. */
  readonly migrating: readonly (readonly [slot: number, node: string])[];
  readonly importing: readonly (readonly [slot: number, node: string])[];
}

/** Nodes that have the same keys: the primary first. */
export interface ClusterGroupDetails {
  readonly id: string;
  readonly nodes: readonly ClusterNodeDetails[];
}

/** Connection that carries published messages between this node and another. */
export interface ClusterLinkDetails {
  readonly direction: 'to' | 'from';
  /** Id of the other node. */
  readonly node: string;
  /** Unix milliseconds. */
  readonly createdMs: number;
  /** Bytes that wait to be sent. */
  readonly queuedBytes: number;
}

/** Change of one slot by SETSLOT. */
export type SlotChange =
  | { readonly kind: 'migrating' | 'importing' | 'node'; readonly node: string }
  | { readonly kind: 'stable' };

/** Statistics of a slot; of commands and bytes they are undefined where they are not counted. */
export interface SlotStatistics {
  readonly slot: number;
  readonly keys: number;
  readonly costs:
    | {
        readonly us: number;
        readonly inputBytes: number;
        readonly outputBytes: number;
        readonly memoryBytes: number;
      }
    | undefined;
}

/** Place of a slot migration on its way; the last three are ends. */
export type MoveState =
  'connecting' | 'snapshotting' | 'replicating' | 'paused' | 'success' | 'failed' | 'cancelled';

/** Call of a walk through the keys of a range of slots that one shard has. */
export interface SlotScan {
  readonly first: number;
  readonly last: number;
  readonly database: number;
  /** Place from which the walk continues; 0 for its beginning. */
  readonly place: number;
  /** Approximate number of keys that the call looks at. */
  readonly count: number;
  /** Undefined for all keys. */
  readonly pattern: Bytes | undefined;
  /** The store's number of a type; undefined for all. */
  readonly type: number | undefined;
}

/** Keys that a call of such a walk has found, and the next place; 0 at the end. */
export interface SlotScanStep {
  readonly next: number;
  readonly keys: readonly Bytes[];
}

/** Slot migration to another node, as seen by one of the two sides. Times are in Unix milliseconds. */
export interface SlotMigrationDetails {
  readonly id: string;
  readonly operation: 'EXPORT' | 'IMPORT';
  readonly spans: readonly SlotSpan[];
  readonly sourceNode: string;
  readonly targetNode: string;
  readonly createdMs: number;
  /** Time at which this node connected, or waited for the other side to connect; undefined before. */
  readonly startedMs: number | undefined;
  readonly updatedMs: number;
  readonly state: MoveState;
  /** Reason of its failure or cancellation; empty otherwise. */
  readonly message: string;
  readonly keys: number;
  readonly bytes: number;
  /** Bytes of the stream that the target has yet to acknowledge. */
  readonly lagBytes: number;
  /** Milliseconds for which writes were held back. */
  readonly pauseMs: number;
}

/** Slots that are to be handed over, and the node that is to have them. */
export interface MoveWish {
  readonly slots: readonly number[];
  readonly target: string;
}

/** Moves of slots as a whole. */
export interface SlotMovesPort {
  /** Begins to hand slots over, all moves or none; no slot is in two. Settles with the ids of the moves. */
  begin(wishes: readonly MoveWish[]): Promise<readonly string[]>;
  /** Starts to take slots from the node that has them; settles with the id of the move. */
  import(slots: readonly number[]): Promise<string>;
  /** Ends the running move with an id, or all of them, that this node takes part in; settles with how many it ended. */
  cancel(id: string | undefined): Promise<number>;
  /** Moves that this node takes part in, and those that have ended last. */
  report(): Promise<readonly SlotMigrationDetails[]>;
}

/** The cluster. What it is asked to do settles when it is in force, and rejects with why it is not. */
export interface ClusterPort {
  readonly id: string;
  readonly groupId: string;
  /** Kind of the places that clients are sent to. */
  readonly endpointType: EndpointType;
  /** Connections to and from other nodes. */
  readonly links: readonly ClusterLinkDetails[];
  /** Lines of CLUSTER INFO. */
  readonly info: readonly (readonly [name: string, value: string | number])[];
  /** Groups that this node knows; ports are those for clients that have come by TLS, or not. */
  groups(isSecure: boolean): readonly ClusterGroupDetails[];
  /** True when time and bytes are counted by slots. */
  readonly countsSlotCosts: boolean;
  /** Statistics of this group's slots between two, in their order. */
  slotStatistics(first: number, last: number): Promise<readonly SlotStatistics[]>;
  countKeys(slot: number, database: number): Promise<number>;
  keysOf(slot: number, database: number, count: number): Promise<readonly Bytes[]>;
  /** The last slot of those from this one on that this node has on one shard, and a text that changes with the places of walks. */
  scanRangeOf(slot: number): { readonly last: number; readonly fingerprint: string };
  scanKeys(scan: SlotScan): Promise<SlotScanStep>;
  addSlots(slots: readonly number[]): Promise<void>;
  deleteSlots(slots: readonly number[]): Promise<void>;
  /** Unassigns all slots of this node. */
  flushSlots(): Promise<void>;
  setSlot(slot: number, change: SlotChange): Promise<void>;
  readonly moves: SlotMovesPort;
  meet(host: string, port: number): Promise<void>;
  forget(node: string): Promise<void>;
  replicate(node: string): Promise<void>;
  reset(isHard: boolean): Promise<void>;
  failOver(isForced: boolean): Promise<void>;
  /** Returns the new epoch of this node's group. */
  bumpEpoch(): Promise<number>;
}

/** Context of a handler of this family. */
export interface ClusterContext extends MainContext {
  /** Undefined where the server is in no cluster. */
  readonly cluster: ClusterPort | undefined;
}
