/** Account of a client: its commands and bytes, counted for reports, for its user, and for limits. */

import { type AccountPort, commandTable } from '#commands';

export class ClientAccount implements AccountPort {
  readonly createdMs: number;
  lastCommandMs: number;
  lastCommandId = -1;
  commandsTotal = 0;
  /** True while a waiting command is not counted yet; it is counted at its end. */
  isCountedLater = false;
  /** True once a command of the client that may write has been answered. */
  hasWritten = false;
  /**
   * Offset of the replication stream after the client's last write; -1 while the stream does not have all of it, or no
   * longer has it.
   */
  writeOffset = 0;
  /** Bytes that are counted for the client's user already. */
  countedBytesIn = 0;
  countedBytesOut = 0;
  /** Bytes of output that the rate limits of its users have been charged with, or never will be. */
  chargedBytesOut = 0;
  /** Sequence of the command that its user's rate limit was charged with last; a command may be taken again. */
  chargedSequence = -1;
  /** Unix milliseconds since when its output is over the soft limit; 0 while it is not. */
  softLimitSinceMs = 0;

  constructor(nowMs: number) {
    this.createdMs = nowMs;
    this.lastCommandMs = nowMs;
  }

  get lastCommand(): string {
    return commandTable.entries[this.lastCommandId]?.knownName ?? '';
  }
}
