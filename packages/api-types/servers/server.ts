/** Properties of the server. */

export interface ServerDocument {
  readonly version: string;
  readonly role: 'primary' | 'replica';
  readonly uptime_seconds: number;
  readonly num_shards: number;
  readonly connected_replicas: number;
  /** Primary of a replica; null for a primary. */
  readonly master_host: string | null;
  readonly master_port: number | null;
  readonly replication_offset: number;
  /** Addresses for clients, with spaces between them. */
  readonly bind_addr: string;
  readonly port: number;
}
