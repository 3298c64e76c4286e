/** Session of the client that asks. */

export interface SessionDocument {
  /** End of the session of a log-in; null for clients without one. */
  readonly expires_time_ms: number | null;
}
