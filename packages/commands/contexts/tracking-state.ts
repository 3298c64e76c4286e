/** Options of CLIENT TRACKING of one client. */

export interface TrackingOptions {
  /** Id of the client that receives the invalidations instead; 0 = this client. */
  readonly redirection: number;
  /** True in BCAST mode: invalidations for all keys with its prefixes, whether it has read them or not. */
  readonly broadcasts: boolean;
  readonly prefixes: readonly string[];
  /** OPTIN: tracks keys only after CLIENT CACHING YES. OPTOUT: tracks keys except after CLIENT CACHING NO. */
  readonly optIn: boolean;
  readonly optOut: boolean;
  /** True when the client receives no invalidations for its own changes. */
  readonly noLoop: boolean;
}

export interface TrackingState extends TrackingOptions {
  /** True when the client of REDIRECT has disconnected. */
  isBroken: boolean;
  /** CLIENT CACHING was given: for the next command. */
  isCachingGiven: boolean;
  /** Sequence of the last script for which that was given. */
  cachingScript?: number;
}
