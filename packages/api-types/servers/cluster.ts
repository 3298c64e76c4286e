/** The cluster as seen by one node: `/debug/api/cluster/overview` and `/debug/api/cluster/node/:id`. */

/** Times of pings to another node, over the last minute. */
export interface NodeLatencyReport {
  readonly last_us: number | null;
  readonly min_us: number | null;
  readonly avg_us: number | null;
  readonly max_us: number | null;
  /** Pings that the figures are of. */
  readonly samples: number;
  /** Pings since this node knows the other, and those that were not answered. */
  readonly pings: number;
  readonly failures: number;
  /** Milliseconds since the last answer; null before the first. */
  readonly answered_ago_ms: number | null;
  /** Reason for which the last ping had no answer; null where it had one. */
  readonly problem: string | null;
}

export interface ClusterNodeReport {
  readonly id: string;
  /** True for the node that returns this document. */
  readonly self: boolean;
  readonly role: 'primary' | 'replica';
  readonly group: string;
  /** True while it has a lease. */
  readonly present: boolean;
  readonly host: string;
  readonly port: number;
  readonly tls_port: number;
  readonly hostname: string | null;
  /** Name that people have for it; null where it has none. */
  readonly nodename: string | null;
  /** Availability zone that it announces; null where it has none. */
  readonly availability_zone: string | null;
  /** Address of its HTTP side; null if it has not announced one. */
  readonly http: string | null;
  readonly version: string | null;
  /** Slots that it serves. */
  readonly slots: number;
  readonly offset: number | null;
  /** Bytes by which a replica is behind its primary, as both report to the coordinator; null if unknown. */
  readonly lag_bytes: number | null;
  /** True for a replica that never takes its primary's place by itself. */
  readonly no_failover: boolean | null;
  /** Keys, as it answered DBSIZE last; null where it has not. */
  readonly keys: number | null;
  /** Null for the node itself, and for one that was not pinged yet. */
  readonly latency: NodeLatencyReport | null;
}

/** Nodes that have the same keys. */
export interface ClusterGroupReport {
  readonly id: string;
  readonly primary: string;
  readonly replicas: readonly string[];
  readonly slots: number;
  readonly ranges: readonly (readonly [first: number, last: number])[];
  readonly epoch: number;
  /** Its nodes see others, and are seen. */
  readonly has_met: boolean;
  /** A replica that has asked for the primary's place; null where none has. */
  readonly handover: { readonly target: string; readonly forced: boolean } | null;
  /** Reason of the last change of the primary. */
  readonly reason: string;
  /** Milliseconds for which the primary has had no lease; null while it has one. */
  readonly without_primary_ms: number | null;
  /** Keys of its primary; null where that is not known. */
  readonly keys: number | null;
}

/** A slot that is being moved key by key; ids of groups. */
export interface OpenSlotReport {
  readonly slot: number;
  readonly owner: string | null;
  readonly migrating_to: string | null;
  readonly imported_by: string | null;
}

export interface ClusterEventReport {
  readonly time_ms: number;
  readonly event: string;
  readonly node: string | null;
  readonly group: string | null;
  /** Primary before a failover. */
  readonly before: string | null;
  readonly reason: string;
  /** Epoch that this node knew then. */
  readonly epoch: number;
}

/** Writes that the node had taken as a primary, and discarded when it came back as a replica. */
export interface DiscardReport {
  readonly time_ms: number;
  /** Stream of replication that they were in, and the offsets that they were between. */
  readonly stream: string;
  readonly from: number;
  readonly to: number;
  /** Address of the primary that lacks them. */
  readonly primary: string;
  readonly writes: number;
  readonly bytes: number;
  /** Bytes that are in no file. */
  readonly unkept_bytes: number;
  /** File of the node with the commands; null where there is none. */
  readonly file: string | null;
  /** Sentence about unknown or missing writes; null if the record is complete. */
  readonly lacks: string | null;
}

/** Calls to the coordinator of one kind. */
export interface CoordinatorCallReport {
  readonly call: string;
  readonly calls: number;
  readonly errors: number;
  readonly avg_us: number | null;
  readonly p50_us: number | null;
  readonly p99_us: number | null;
  readonly max_us: number | null;
}

/** Commands of clients of one library that were not run here. */
export interface LibraryRedirects {
  /** As set by CLIENT SETINFO; `unknown` for clients without it, `other` for further libraries. */
  readonly library: string;
  readonly moved: number;
  readonly ask: number;
  readonly tryagain: number;
  readonly crossslot: number;
  readonly clusterdown: number;
}

/** The cluster without its history, as sent to the ops thread every second. */
export type ClusterState = Omit<ClusterDocument, 'history'>;

export interface ClusterDocument {
  readonly enabled: true;
  readonly name: string;
  readonly state: 'ok' | 'fail';
  /** Reason for which the state is `fail`; null while it is not. */
  readonly state_reason: string | null;
  readonly node_id: string;
  readonly group: string | null;
  readonly role: 'primary' | 'replica' | null;
  readonly known_nodes: number;
  readonly nodes_present: number;
  readonly size: number;
  readonly groups_without_primary: number;
  readonly current_epoch: number;
  readonly my_epoch: number;
  readonly coordinator: {
    /** Without user and password. */
    readonly endpoints: readonly string[];
    readonly up: boolean;
    readonly problem: string | null;
    /** Milliseconds for which it has not answered; null while it does. */
    readonly down_ms: number | null;
    readonly calls: readonly CoordinatorCallReport[];
  };
  readonly lease: {
    readonly held: boolean;
    readonly ttl_ms: number;
    /** Milliseconds since the last renewal was sent; null before the first. */
    readonly age_ms: number | null;
    /** Milliseconds until no write is taken any more, unless the lease is renewed. */
    readonly remaining_ms: number;
    readonly losses: number;
  };
  readonly slots: {
    readonly assigned: number;
    readonly ok: number;
    readonly fail: number;
    readonly free: number;
    readonly own: number;
    /** Slots on their way from a group to another. */
    readonly open: readonly OpenSlotReport[];
  };
  readonly groups: readonly ClusterGroupReport[];
  readonly nodes: readonly ClusterNodeReport[];
  readonly redirects: Omit<LibraryRedirects, 'library'>;
  readonly redirects_by_library: readonly LibraryRedirects[];
  readonly failovers_by_reason: Readonly<Record<string, number>>;
  /** Writes that the node has discarded since its start, and their bytes in the stream of replication. */
  readonly discarded_writes: number;
  readonly discarded_bytes: number;
  /** The latest of them, oldest first. */
  readonly discards: readonly DiscardReport[];
  /** The latest events, oldest first. */
  readonly history: readonly ClusterEventReport[];
}

/** One node with its group, the pings to it, and the events that it was in. */
export interface ClusterNodeDocument extends ClusterNodeReport {
  readonly group_detail: ClusterGroupReport;
  /** Pings that were answered, oldest first. */
  readonly latency_samples: readonly { readonly time_ms: number; readonly us: number }[];
  readonly history: readonly ClusterEventReport[];
}

/** Answer of a server that is in no cluster. */
export interface NoCluster {
  readonly enabled: false;
}
