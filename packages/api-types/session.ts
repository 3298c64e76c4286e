/** Who asks. */

export interface SessionDocument {
  /** When the session of a log-in ends; null for whoever has none. */
  readonly expires_time_ms: number | null;
}
