/** Replication as `/debug/api/replication` tells it. */

/** A replica of the server. */
export interface ReplicaReport {
  /** Number of its connection, as CLIENT LIST has it. */
  readonly id: number;
  readonly addr: string;
  /** Port that it listens on, by its own word; 0 where it has not told. */
  readonly listening_port: number;
  readonly version: string | null;
  readonly state: 'handshake' | 'wait_bgsave' | 'send_bulk' | 'online';
  readonly state_reason: string;
  readonly state_since_ms: number;
  /** Offset that it has acknowledged, and that it has on disk. */
  readonly offset: number;
  readonly disk_offset: number;
  readonly lag_bytes: number;
  /** Milliseconds for which it has lacked something, as far as it has told. */
  readonly lag_ms: number;
  /** Milliseconds since it has acknowledged anything. */
  readonly ack_age_ms: number;
  /** Bytes that are kept for it, and that its connection has not been given. */
  readonly held_bytes: number;
}

/** Primary of the server. */
export interface PrimaryReport {
  readonly host: string;
  readonly port: number;
  readonly state: string;
  readonly state_since_ms: number;
  readonly offset: number;
  /** Reason for which the link was broken last; null when it never was. */
  readonly last_failure: string | null;
  readonly bytes_received: number;
  /** Milliseconds since the primary was heard of last. */
  readonly silent_ms: number;
  /** Data of the primary that are coming; null while none are. */
  readonly sync: {
    readonly total_bytes: number | null;
    readonly received_bytes: number;
    readonly keys: number;
    readonly started_ms: number;
  } | null;
}

export interface ReplicationDocument {
  readonly role: 'primary' | 'replica';
  readonly replid: string;
  /** Id under which replicas may know what is before `second_offset`; null without one. */
  readonly replid2: string | null;
  readonly offset: number;
  readonly second_offset: number;
  readonly backlog: {
    readonly active: boolean;
    readonly size_bytes: number;
    readonly used_bytes: number;
    readonly first_byte_offset: number;
  };
  /** Units of shards that wait for others' before they are in the stream. */
  readonly waiting_units: number;
  /** Memory of the stream, and of full synchronisations that replicas have not taken. */
  readonly buffer_bytes: number;
  readonly primary: PrimaryReport | null;
  readonly replicas: readonly ReplicaReport[];
}
