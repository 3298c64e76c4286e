/** HTTP session of the caller. */

/** Permissions: all of HTTP, or only reading below /debug, without bundles, actions and administration. */
export type AccessScope = 'all' | 'viewer';

export interface SessionDocument {
  /** End of the session of a log-in; null for clients without one. */
  readonly expires_time_ms: number | null;
  /** Rights of the client. */
  readonly scope: AccessScope;
}
