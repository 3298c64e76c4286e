/** Transaction of a client: what it has queued since MULTI. */

import type { UserRules } from '#acl';
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

/** The command in memory of its own. */
export function ownedCopy({ source, at, length, spans, count }: CommandBytes): CommandBytes {
  // Not `slice`: a Buffer's own makes no copy.
  const bytes = new Uint8Array(source.subarray(at, at + length));
  return { source: bytes, at: 0, length, spans: spans.slice(0, 2 * count), count };
}
