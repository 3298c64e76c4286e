/** Reads slots, and ranges of them, from the arguments of CLUSTER subcommands. */

import { CommandError, errors, SLOT_COUNT } from '#base';
import type { Arguments } from '../arguments/arguments.ts';

export const invalidSlot = new CommandError('ERR Invalid or out of range slot');

/** Reads the next argument as a slot; throws `error` if it is none. */
export function readSlot(args: Arguments, error: CommandError): number {
  const slot = args.integer(error);
  if (slot < 0 || slot >= SLOT_COUNT) throw error;
  return slot;
}

/** Reads the remaining arguments as slots, each at most once. */
export function readSlots(args: Arguments): readonly number[] {
  const slots: number[] = [];
  while (args.more) slots.push(readSlot(args, invalidSlot));
  return distinct(slots);
}

/** Reads the remaining arguments as first and last slots of ranges; `name` is that of the command in errors. */
export function readRanges(args: Arguments, name: string): readonly number[] {
  if (args.left === 0 || args.left % 2 === 1) throw errors.wrongArguments(name);
  const slots: number[] = [];
  while (args.more) readRange(args, slots);
  return distinct(slots);
}

function readRange(args: Arguments, slots: number[]): void {
  const first = readSlot(args, invalidSlot);
  const last = readSlot(args, invalidSlot);
  if (first > last) {
    throw new CommandError(
      `ERR start slot number ${first} is greater than end slot number ${last}`,
    );
  }
  for (let slot = first; slot <= last; slot += 1) slots.push(slot);
}

function distinct(slots: readonly number[]): readonly number[] {
  const seen = new Set<number>();
  for (const slot of slots) {
    if (seen.has(slot)) throw new CommandError(`ERR Slot ${slot} specified multiple times`);
    seen.add(slot);
  }
  return slots;
}
