/**
 * The arguments of slow commands as they lay in their frames: spans, then bytes.
 *
 * They stay where they are, in the ring, as long as its writer leaves them alone; only those that are still wanted then
 * are copied, into a slot of the link memory. With a limit of 0 every command is slow, and nearly all of them are
 * forgotten before that.
 */

import { Arguments } from '#commands';
import type { RawArguments } from '#stats';
import { SLOW_SLOT_BYTES, SLOW_SLOTS, type LinkMemory, type RingReader } from '#link';

/** Stands for the place of arguments that are not in the ring. */
const IN_SLOT = -1;

export class SlowArguments implements RawArguments<Arguments> {
  readonly slots = SLOW_SLOTS;
  readonly #memory: LinkMemory;
  readonly #requests: RingReader;
  readonly #at: number;
  /** Distance in the ring, in bytes, beyond which arguments are copied together with the first that must be. */
  readonly #copyAfterBytes: number;
  /** Arguments of the command in each slot, and bytes of their spans and of themselves. */
  readonly #counts = new Int32Array(SLOW_SLOTS);
  readonly #sizes = new Int32Array(SLOW_SLOTS);
  /** Place of the spans in the ring, or IN_SLOT; and the ring's position then. */
  readonly #froms = new Int32Array(SLOW_SLOTS).fill(IN_SLOT);
  readonly #positions = new Uint32Array(SLOW_SLOTS);
  #hasAnyInRing = false;
  /** The least position of what is in the ring, or less. */
  #oldest = 0;

  /** The slots begin at `at` in the link memory. */
  constructor(memory: LinkMemory, requests: RingReader, at: number) {
    this.#memory = memory;
    this.#requests = requests;
    this.#at = at;
    this.#copyAfterBytes = (requests.keptBytes * 3) / 4;
  }

  keep(slot: number, args: Arguments): boolean {
    // A frame that was put aside, or came by message, is not in the link memory.
    if (args.source !== this.#memory.bytes) return false;
    const from = args.spansAt << 2;
    const last = args.count - 1;
    const byteCount = args.at(last) + args.length(last) - from;
    if (byteCount > SLOW_SLOT_BYTES) return false;
    this.#counts[slot] = args.count;
    this.#sizes[slot] = byteCount;
    this.#froms[slot] = from;
    if (!this.#requests.isInFrame(from)) {
      this.#copy(slot);
      return true;
    }
    const { position } = this.#requests;
    this.#positions[slot] = position;
    if (!this.#hasAnyInRing) this.#oldest = position;
    this.#hasAnyInRing = true;
    return true;
  }

  /** Copies what the ring does not keep once its frames are released. */
  settle(): void {
    const requests = this.#requests;
    if (!this.#hasAnyInRing || requests.passedSince(this.#oldest) <= requests.keptBytes) return;
    this.#hasAnyInRing = false;
    let most = 0;
    for (let slot = 0; slot < SLOW_SLOTS; slot += 1) {
      if (this.#froms[slot] === IN_SLOT) continue;
      const position = this.#positions[slot]!;
      const passed = requests.passedSince(position);
      if (passed > this.#copyAfterBytes) this.#copy(slot);
      else {
        this.#hasAnyInRing = true;
        if (passed < most) continue;
        most = passed;
        this.#oldest = position;
      }
    }
  }

  read(slot: number): Arguments {
    const { bytes, words } = this.#memory;
    const count = this.#counts[slot]!;
    const from = this.#froms[slot]!;
    const spans = (from === IN_SLOT ? this.#slotAt(slot) : from) >> 2;
    const args = new Arguments();
    args.point(bytes, (spans + 2 * count) << 2, words, spans, count);
    return args;
  }

  #copy(slot: number): void {
    this.#memory.copy(this.#slotAt(slot), this.#froms[slot]!, this.#sizes[slot]!);
    this.#froms[slot] = IN_SLOT;
  }

  #slotAt(slot: number): number {
    return this.#at + slot * SLOW_SLOT_BYTES;
  }
}
