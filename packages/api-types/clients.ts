/** Connected clients. */

export interface ClientReport {
  readonly id: number;
  readonly addr: string;
  readonly name: string;
  readonly user: string;
  readonly lib_name: string;
  readonly lib_ver: string;
  readonly age_secs: number;
  readonly idle_secs: number;
  readonly flags: string;
  readonly db: number;
  readonly commands_total: number;
  readonly bytes_recv: number;
  readonly bytes_sent: number;
  readonly output_buffer_bytes: number;
}
