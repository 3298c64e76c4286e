/** Session of the client that asks. */

/** All of HTTP, or reading of what is below /debug: no bundle, no action, no administration. */
export type AccessScope = 'all' | 'viewer';

export interface SessionDocument {
  /** End of the session of a log-in; null for clients without one. */
  readonly expires_time_ms: number | null;
  /** Rights of the client. */
  readonly scope: AccessScope;
}
