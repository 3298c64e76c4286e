/** Options of one client for being told which keys have changed (CLIENT TRACKING). */

export interface TrackingOptions {
  /** The id of the client that is told instead; 0 = itself. */
  readonly redirection: number;
  /** Told of all changes to keys with its prefixes, whatever it has read. */
  readonly broadcasts: boolean;
  readonly prefixes: readonly string[];
  /** Keys count as read only behind CLIENT CACHING YES, or: but behind CLIENT CACHING NO. */
  readonly optIn: boolean;
  readonly optOut: boolean;
  /** Not told of its own changes. */
  readonly noLoop: boolean;
}

export interface TrackingState extends TrackingOptions {
  /** The client it redirects to is gone. */
  isBroken: boolean;
  /** CLIENT CACHING was given: for the next command. */
  isCachingGiven: boolean;
  /** Sequence of the last script for which that was given. */
  cachingScript?: number;
}
