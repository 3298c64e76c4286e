/** Plans migrations that balance the weights of groups. Pure computation: the caller runs the plan. */

import { spansOf } from '../agreement/decisions/migrations.ts';
import type { SlotSpan } from '../agreement/documents/documents.ts';

/** Node that has slots, or may have some: a primary. */
export interface Holder {
  readonly id: string;
  readonly slots: readonly number[];
}

export interface Move {
  readonly from: string;
  readonly to: string;
  readonly spans: readonly SlotSpan[];
  readonly weight: number;
}

interface Plan {
  readonly moves: readonly Move[];
  /** Weights of the holders, in their order. */
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** Share of the mean weight that is let be: moving that little is worth nothing. */
const TOLERANCE = 0.02;

/** Plans migrations; `weightOf` returns the weight of a slot. */
export function planMoves(holders: readonly Holder[], weightOf: (slot: number) => number): Plan {
  const before = holders.map(({ slots }) => slots.reduce((sum, slot) => sum + weightOf(slot), 0));
  const after = [...before];
  const mean = before.reduce((sum, weight) => sum + weight, 0) / holders.length;
  const left = holders.map(({ slots }) => [...slots].sort((one, other) => one - other));
  const moves: Move[] = [];
  const byExcess = holders.map((_, nth) => nth).sort((one, other) => before[other]! - before[one]!);
  for (const from of byExcess) {
    for (const to of byExcess.toReversed()) {
      const wanted = Math.min(after[from]! - mean, mean - after[to]!);
      if (wanted <= mean * TOLERANCE) continue;
      const taken = takeSlots(left[from]!, wanted, weightOf);
      if (taken.length === 0) continue;
      const weight = taken.reduce((sum, slot) => sum + weightOf(slot), 0);
      after[from]! -= weight;
      after[to]! += weight;
      moves.push({
        from: holders[from]!.id,
        to: holders[to]!.id,
        spans: spansOf(taken),
        weight,
      });
    }
  }
  return { moves, before, after };
}

/**
 * Takes slots from the end of a list, as many as weigh no more than is wanted; one that weighs too much stays. Slots without
 * weight go with those that they lie between, so that few ranges come of it.
 */
function takeSlots(
  slots: number[],
  wanted: number,
  weightOf: (slot: number) => number,
): readonly number[] {
  const taken: number[] = [];
  const kept: number[] = [];
  let passed: number[] = [];
  let weight = 0;
  for (let slot = slots.pop(); slot !== undefined; slot = slots.pop()) {
    const own = weightOf(slot);
    if (own === 0) {
      passed.push(slot);
      continue;
    }
    const isTaken = weight + own <= wanted;
    const isBetween = isTaken && taken.length > 0;
    (isBetween ? taken : kept).push(...passed);
    passed = [];
    (isTaken ? taken : kept).push(slot);
    if (isTaken) weight += own;
  }
  slots.push(...[...kept, ...passed].sort((one, other) => one - other));
  return taken;
}
