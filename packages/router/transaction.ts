/** What a client has queued since MULTI. */

import type { CommandEntry } from '#commands';
import type { CommandBytes } from '#resp';

export interface QueuedCommand {
  readonly entry: CommandEntry;
  /** In memory of its own. */
  readonly command: CommandBytes;
}

/** About what a queued command takes in main's heap beside its bytes. */
const COMMAND_BYTES = 400;

export class Transaction {
  readonly queue: QueuedCommand[] = [];
  /** Bytes of the commands queued. */
  bytes = 0;
  /** A command could not be queued: EXEC will refuse. */
  isBroken = false;

  /** What the queue takes in main's heap, which short commands fill as well as long ones. */
  get heapBytes(): number {
    return this.bytes + COMMAND_BYTES * this.queue.length;
  }

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
