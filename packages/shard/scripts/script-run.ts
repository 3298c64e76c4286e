/** Run of a script: what its calls need to know of it. */

export interface ScriptRun {
  /** The script's digest, or the function's name. */
  readonly name: string;
  readonly isFunction: boolean;
  /** Commands that write are refused. */
  readonly isReadOnly: boolean;
  /** Other shards stand still for it, so that it may touch keys of theirs. */
  readonly isAlone: boolean;
  /** They stand still for it alone, not for the transaction that it is in: it ends in their logs what it has done there. */
  readonly hasBarrier: boolean;
  /** Memory was over its limit, with nothing to evict, when the script began. */
  readonly isOutOfMemory: boolean;
  /** Slot of the client's connection, and the sequence of its command. */
  readonly connection: number;
  readonly sequence: number;
  /** Bits of RequestFlag that its calls inherit. */
  readonly flags: number;
  /** Unix microseconds of the first TIME, which all others of the script answer too. */
  unixUs: number | undefined;
  /** The database that its calls are in; SELECT changes it. */
  database: number;
  /** The protocol in which it gets replies; `redis.setresp` changes it. */
  protocol: 2 | 3;
  hasWritten: boolean;
  /** It has written on other shards, whose logs have to end that together. */
  hasWrittenElsewhere: boolean;
  /** Commands that it has called, and those among them that main had to run. */
  calls: number;
  asks: number;
}
