/**
 * The arguments of slow commands as they lay in their frames: spans, then bytes, copied at one stroke into a
 * slot of the link memory. With a limit of 0 every command is slow, and this takes a tenth of what it takes to
 * take arguments one by one.
 */

import { Arguments } from '#commands';
import type { RawArguments } from '#diag';
import { SLOW_SLOT_BYTES, SLOW_SLOTS, type LinkMemory } from '#link';

export class SlowArguments implements RawArguments<Arguments> {
  readonly slots = SLOW_SLOTS;
  readonly #memory: LinkMemory;
  readonly #at: number;
  /** Arguments of the command in each slot. */
  readonly #counts = new Int32Array(SLOW_SLOTS);

  /** The slots begin at `at` in the link memory. */
  constructor(memory: LinkMemory, at: number) {
    this.#memory = memory;
    this.#at = at;
  }

  keep(slot: number, args: Arguments): boolean {
    // A frame that was put aside, or came by message, is not in the link memory.
    if (args.source !== this.#memory.bytes) return false;
    const from = args.spansAt << 2;
    const last = args.count - 1;
    const byteCount = args.at(last) + args.length(last) - from;
    if (byteCount > SLOW_SLOT_BYTES) return false;
    this.#memory.copy(this.#at + slot * SLOW_SLOT_BYTES, from, byteCount);
    this.#counts[slot] = args.count;
    return true;
  }

  read(slot: number): Arguments {
    const { bytes, words } = this.#memory;
    const count = this.#counts[slot]!;
    const spans = (this.#at + slot * SLOW_SLOT_BYTES) >> 2;
    const args = new Arguments();
    args.point(bytes, (spans + 2 * count) << 2, words, spans, count);
    return args;
  }
}
