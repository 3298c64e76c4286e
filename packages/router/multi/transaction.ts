/** Transaction of a client: the commands queued since MULTI. */

import type { UserRules } from '#acl';
import type { CommandEntry } from '#commands';
import type { CommandBytes } from '#resp';
import { CommandQueue } from './command-queue.ts';

export class Transaction {
  readonly queue = new CommandQueue();
  /** A command could not be queued: EXEC will refuse. */
  isBroken = false;
  /** Rules by which its commands were judged when they were queued; where others hold now, they are judged again. */
  readonly rules: UserRules;

  constructor(rules: UserRules) {
    this.rules = rules;
  }
}

/** True when a command, or one of the transaction that it runs, writes directly, not only through a script. */
export function writes(entry: CommandEntry, transaction: Transaction | undefined): boolean {
  return entry.route === 'exec' ? transaction?.queue.writes === true : entry.isWrite;
}

/** True when a command, or the transaction that it runs, may write. */
export function mayWrite(entry: CommandEntry, transaction: Transaction | undefined): boolean {
  return entry.route === 'exec' ? transaction?.queue.hasWrites === true : entry.mayChange;
}

/** Copy of the command in its own memory. */
export function ownedCopy({ source, at, length, spans, count }: CommandBytes): CommandBytes {
  // Not `slice`: a Buffer's own makes no copy.
  const bytes = new Uint8Array(source.subarray(at, at + length));
  return { source: bytes, at: 0, length, spans: spans.slice(0, 2 * count), count };
}
