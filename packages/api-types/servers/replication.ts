/** Replication: `/debug/api/replication`. */

/** A replica of the server. */
export interface ReplicaReport {
  /** Number of its connection, as CLIENT LIST has it. */
  readonly id: number;
  readonly addr: string;
  /** Address under which clients reach it: the announced one, if there is any. */
  readonly host: string;
  /** Announced port; 0 without one. */
  readonly listening_port: number;
  readonly version: string | null;
  readonly state: 'handshake' | 'wait_bgsave' | 'send_bulk' | 'online';
  readonly state_reason: string;
  readonly state_since_ms: number;
  /** Offset that it has acknowledged, and that it has on disk. */
  readonly offset: number;
  readonly disk_offset: number;
  readonly lag_bytes: number;
  /** Lag in milliseconds. */
  readonly lag_ms: number;
  /**
   * Timestamps in the stream have a resolution of a millisecond; acknowledgements, which arrive every second, have no
   * better one.
   */
  readonly lag_source: 'timestamps' | 'acknowledgements';
  /** Milliseconds since it has acknowledged anything. */
  readonly ack_age_ms: number;
  /** Bytes that are kept for it, and that its connection has not been given. */
  readonly held_bytes: number;
  /** Bytes that its connection was given and that the kernel has not taken. */
  readonly output_buffer_bytes: number;
  /** Bytes that its connection was given in all. */
  readonly sent_bytes: number;
  /** Reason of its last or pending full sync; null after a partial resync. */
  readonly sync_reason: string | null;
}

/** Primary of the server. */
export interface PrimaryReport {
  readonly host: string;
  readonly port: number;
  readonly state: string;
  readonly state_reason: string;
  readonly state_since_ms: number;
  readonly offset: number;
  /** Offset after all received bytes of its stream; -1 if no stream is known. */
  readonly read_offset: number;
  /** Number of received bytes that are not applied, and the wait of the oldest of them. */
  readonly unapplied_bytes: number;
  readonly unapplied_ms: number;
  /**
   * Time from the last timestamp of the primary until it was applied, by both clocks, or the wait of what is not applied
   * where that is more; null where it sends no timestamps and nothing waits.
   */
  readonly lag_ms: number | null;
  /** Moment of that. */
  readonly lag_time_ms: number | null;
  /** Reason for which the link was broken last; null when it never was. */
  readonly last_failure: string | null;
  /** Last command of its stream that could not be run here; null when there was none. */
  readonly stream_fault: {
    readonly command: string;
    readonly key: string;
    readonly error: string;
    readonly time_ms: number;
  } | null;
  /** True while the data may differ from those of the primary, for that. */
  readonly data_differ: boolean;
  readonly bytes_received: number;
  /** Number by which a Sentinel chooses a new primary: 0 never becomes one. */
  readonly priority: number;
  readonly read_only: boolean;
  /** Milliseconds since the last data of the primary. */
  readonly silent_ms: number;
  /** Progress of the full sync in progress; null if there is none. */
  readonly sync: {
    readonly total_bytes: number | null;
    readonly received_bytes: number;
    /** Received share in percent; null if the total is unknown. */
    readonly percent: number | null;
    readonly keys: number;
    readonly started_ms: number;
  } | null;
}

/** A change of a link, or of the role of the server. */
export interface LinkChangeReport {
  readonly time_ms: number;
  /** Link to the primary, to a replica, or the server itself. */
  readonly link: 'primary' | 'replica' | 'server';
  /** Address of the other end; null for the server itself. */
  readonly peer: string | null;
  /** Number of the connection, as CLIENT LIST has it; null where it has none. */
  readonly client: number | null;
  readonly state: string;
  readonly reason: string;
}

/** Counts of synchronisations since the start, or CONFIG RESETSTAT. */
export interface SyncCounts {
  readonly full_syncs: number;
  /** Number of full syncs by the reason why no partial resync was possible. */
  readonly full_syncs_by_reason: Readonly<Record<string, number>>;
  readonly partial_syncs: number;
  readonly partial_syncs_refused: number;
  /** Syncs of this server as a replica, and broken links to its primary. */
  readonly own_full_syncs: number;
  readonly own_partial_syncs: number;
  readonly link_breaks: number;
  readonly stream_errors: number;
}

/** Replication without its history, as sent to the ops thread every second. */
export type ReplicationState = Omit<ReplicationDocument, 'history'>;

export interface ReplicationDocument {
  readonly role: 'primary' | 'replica';
  readonly replid: string;
  /** Id under which replicas may know the stream before `second_offset`; null without one. */
  readonly replid2: string | null;
  readonly offset: number;
  readonly second_offset: number;
  readonly backlog: {
    readonly active: boolean;
    readonly size_bytes: number;
    readonly used_bytes: number;
    readonly first_byte_offset: number;
    /** Time for which a replica may be away at the present rate; null while nothing is written. */
    readonly lasts_seconds: number | null;
  };
  readonly failover_state: string;
  /** Figures of all replicas together; the lag is that of the slowest. */
  readonly good_replicas: number;
  readonly lag_bytes: number;
  readonly lag_us: number;
  readonly stream_bytes: number;
  readonly stream_bytes_per_sec: number;
  /** Traffic of links: from the primary, and to replicas. */
  readonly bytes_in: number;
  readonly bytes_in_per_sec: number;
  readonly bytes_out: number;
  readonly bytes_out_per_sec: number;
  readonly counts: SyncCounts;
  /** Units of shards that wait for others' before they are in the stream. */
  readonly waiting_units: number;
  /** Memory of the stream, and of full synchronisations that replicas have not taken. */
  readonly buffer_bytes: number;
  readonly primary: PrimaryReport | null;
  readonly replicas: readonly ReplicaReport[];
  /** The latest changes of links and of the role, oldest first. */
  readonly history: readonly LinkChangeReport[];
}
