/** What a client has queued since MULTI. */

import type { CommandEntry } from '#commands';
import type { CommandBytes } from '#resp';

export interface QueuedCommand {
  readonly entry: CommandEntry;
  /** In memory of its own. */
  readonly command: CommandBytes;
}

export class Transaction {
  readonly queue: QueuedCommand[] = [];
  /** Bytes of the commands queued. */
  bytes = 0;
  /** A command could not be queued: EXEC will refuse. */
  isBroken = false;

  add(entry: CommandEntry, command: CommandBytes): void {
    this.queue.push({ entry, command: ownedCopy(command) });
    this.bytes += command.length;
  }

  get hasWrites(): boolean {
    return this.queue.some(({ entry }) => entry.isWrite || entry.has('may_replicate'));
  }

  get deniesOom(): boolean {
    return this.queue.some(({ entry }) => entry.deniesOom);
  }
}

/** The command in memory of its own. */
export function ownedCopy({ source, at, length, spans, count }: CommandBytes): CommandBytes {
  // Not `slice`: a Buffer's own makes no copy.
  const bytes = new Uint8Array(source.subarray(at, at + length));
  return { source: bytes, at: 0, length, spans: spans.slice(0, 2 * count), count };
}
