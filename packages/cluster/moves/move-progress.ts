/** Progress of a move of slots, as this node sees it. */

import type { MoveState, SlotMigrationDetails } from '#commands';
import type { SlotSpan } from '../agreement/documents/documents.ts';

interface MoveProgressOptions {
  readonly id: string;
  readonly operation: 'EXPORT' | 'IMPORT';
  readonly spans: readonly SlotSpan[];
  readonly sourceNode: string;
  readonly targetNode: string;
  readonly nowMs: () => number;
}

export class MoveProgress implements SlotMigrationDetails {
  readonly id: string;
  readonly operation: 'EXPORT' | 'IMPORT';
  readonly spans: readonly SlotSpan[];
  readonly sourceNode: string;
  readonly targetNode: string;
  readonly createdMs: number;
  startedMs: number | undefined;
  updatedMs: number;
  state: MoveState = 'connecting';
  /** Reason why it was ended; empty where it was not. */
  message = '';
  /** Keys and bytes of the snapshot and of the stream behind it, so far. */
  keys = 0;
  bytes = 0;
  /** Bytes of the source's stream that the target has not acknowledged. */
  lagBytes = 0;
  /** Time for which writes were held back. */
  pauseMs = 0;
  readonly #nowMs: () => number;

  constructor(options: MoveProgressOptions) {
    this.id = options.id;
    this.operation = options.operation;
    this.spans = options.spans;
    this.sourceNode = options.sourceNode;
    this.targetNode = options.targetNode;
    this.#nowMs = options.nowMs;
    this.createdMs = options.nowMs();
    this.updatedMs = this.createdMs;
  }

  get hasEnded(): boolean {
    return this.state === 'success' || this.state === 'failed' || this.state === 'cancelled';
  }

  /** Records that this side has started its work. */
  start(): void {
    this.startedMs ??= this.#nowMs();
  }

  enter(state: MoveState, message = ''): void {
    if (this.hasEnded) return;
    this.state = state;
    this.message = message;
    this.updatedMs = this.#nowMs();
    if (state === 'success') this.lagBytes = 0;
  }
}
