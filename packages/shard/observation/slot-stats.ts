/** Time and bytes of commands by the slots of their keys. While they are not wanted, a command costs nothing. */

import { keySlot, SLOT_COUNT } from '#base';
import { type Arguments, type CommandEntry, findKeys } from '#commands';
import type { SlotFigures } from '#stats';
import type { Store } from '#store';

interface Counts {
  readonly us: Float64Array;
  readonly inputBytes: Float64Array;
  readonly outputBytes: Float64Array;
}

export class SlotStats {
  isOn = false;
  /** Undefined before anybody wants them. */
  #counts: Counts | undefined;

  /** Switches counting on or off; existing counts stay. */
  apply(isOn: boolean): void {
    this.isOn = isOn;
    if (isOn) this.#counts ??= newCounts();
  }

  /** Counts a command that a client has sent. */
  executed(entry: CommandEntry, args: Arguments, us: number, outputBytes: number): void {
    const slot = slotOfKeys(entry, args);
    if (slot < 0 || this.#counts === undefined) return;
    const counts = this.#counts;
    counts.us[slot] = counts.us[slot]! + us;
    counts.inputBytes[slot] = counts.inputBytes[slot]! + requestBytes(args);
    counts.outputBytes[slot] = counts.outputBytes[slot]! + outputBytes;
  }

  /** Resets the counts (CONFIG RESETSTAT). */
  reset(): void {
    if (this.#counts !== undefined) this.#counts = newCounts();
  }

  /** Forgets slots that are another node's now. */
  keep(isKept: (slot: number) => boolean): void {
    const counts = this.#counts;
    if (counts === undefined) return;
    for (let slot = 0; slot < SLOT_COUNT; slot += 1) {
      if (isKept(slot)) continue;
      counts.us[slot] = 0;
      counts.inputBytes[slot] = 0;
      counts.outputBytes[slot] = 0;
    }
  }

  /** Figures of the slots from the first to the last that have any. */
  figures(store: Store, first: number, last: number): readonly SlotFigures[] {
    const counts = this.#counts;
    const figures: SlotFigures[] = [];
    for (let slot = first; slot <= last; slot += 1) {
      const [count, us] = [keysInAll(store, slot), counts?.us[slot] ?? 0];
      const [input, output] = [counts?.inputBytes[slot] ?? 0, counts?.outputBytes[slot] ?? 0];
      if (count + us + input + output > 0) figures.push([slot, count, us, input, output]);
    }
    return figures;
  }
}

function keysInAll({ databases }: Store, slot: number): number {
  return databases.reduce((sum, keyspace) => sum + (keyspace.keysOfSlot(slot) ?? 0), 0);
}

function newCounts(): Counts {
  return {
    us: new Float64Array(SLOT_COUNT),
    inputBytes: new Float64Array(SLOT_COUNT),
    outputBytes: new Float64Array(SLOT_COUNT),
  };
}

/** Slot of a command's keys, all of which are of one; -1 without any. */
export function slotOfKeys(entry: CommandEntry, args: Arguments): number {
  if (entry.firstArgumentIsKey) return args.firstKeySlot;
  if (!entry.hasKeys) return -1;
  const [first] = findKeys(entry.command.keys, args) ?? [];
  return first === undefined
    ? -1
    : keySlot(args.source, args.at(first.index), args.length(first.index));
}

/** Bytes of a request as clients send it: the arguments with their lengths, and the number of them. */
function requestBytes(args: Arguments): number {
  let bytes = 3 + digits(args.count);
  for (let index = 0; index < args.count; index += 1) {
    const length = args.length(index);
    bytes += 5 + digits(length) + length;
  }
  return bytes;
}

function digits(number: number): number {
  let count = 1;
  for (let rest = number; rest >= 10; rest /= 10) count += 1;
  return count;
}
