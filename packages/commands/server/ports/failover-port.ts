/** Port to a failover: this server hands its role as the primary over to one of its replicas. */

export interface FailoverTarget {
  readonly host: string;
  readonly port: number;
}

export interface FailoverWish {
  /** Undefined: whichever replica has all data first. */
  readonly target: FailoverTarget | undefined;
  /** 0: there is no time limit. */
  readonly timeoutMs: number;
  /** True to promote the target at the timeout even if it lags behind. */
  readonly isForced: boolean;
}

export interface FailoverPort {
  /** True from FAILOVER until another is the primary, or until it was aborted. */
  readonly isUnderWay: boolean;
  begin(wish: FailoverWish): void;
  /** Stays, or becomes again, the primary; the reason is for the log. */
  abort(reason: string): void;
}
