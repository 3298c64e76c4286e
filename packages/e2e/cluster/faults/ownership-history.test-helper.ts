/**
 * Acknowledgements of writes by node: no two primaries acknowledge writes of one slot. A primary has its role in an
 * epoch of its group, which is read from the node directly before and after the write, so an acknowledgement belongs to
 * one epoch. No write of an earlier epoch starts after one of a later epoch was acknowledged, and an epoch has one
 * node. A slot changes its group at most as often as it was moved.
 */

interface Acknowledgement {
  readonly node: string;
  readonly group: string;
  readonly epoch: number;
  readonly slot: string;
  readonly calledAt: number;
  readonly returnedAt: number;
}

/** Span of time in which one group must have had a slot. */
interface Tenure {
  readonly group: string;
  fromMs: number;
  toMs: number;
}

export class OwnershipHistory {
  readonly #acknowledged: Acknowledgement[] = [];

  note(acknowledgement: Acknowledgement): void {
    this.#acknowledged.push(acknowledgement);
  }

  get count(): number {
    return this.#acknowledged.length;
  }

  /** Time at which a write that was sent since a moment was acknowledged first in a group; undefined before. */
  firstSince(group: string, sinceMs: number): number | undefined {
    const later = this.#acknowledged.filter(
      (each) => each.group === group && each.calledAt >= sinceMs,
    );
    return later.length === 0 ? undefined : Math.min(...later.map(({ returnedAt }) => returnedAt));
  }

  /** Returns the faults; `movesOf` returns how often a slot was moved. */
  faults(movesOf: (slot: string) => number): string[] {
    const faults: string[] = [];
    for (const [group, acknowledged] of byName(this.#acknowledged, ({ group: name }) => name)) {
      faults.push(...epochFaults(group, acknowledged));
    }
    for (const [slot, acknowledged] of byName(this.#acknowledged, (each) => each.slot)) {
      const changes = changesOf(acknowledged);
      const moves = movesOf(slot);
      if (changes > moves) {
        faults.push(`slot of ${slot}: went ${changes} times from group to group in ${moves} moves`);
      }
    }
    return faults;
  }
}

function byName(
  acknowledged: readonly Acknowledgement[],
  nameOf: (each: Acknowledgement) => string,
): Map<string, Acknowledgement[]> {
  const found = new Map<string, Acknowledgement[]>();
  for (const each of acknowledged) {
    const name = nameOf(each);
    const known = found.get(name);
    if (known === undefined) found.set(name, [each]);
    else known.push(each);
  }
  return found;
}

function epochFaults(group: string, acknowledged: readonly Acknowledgement[]): string[] {
  const faults: string[] = [];
  const epochs = [...byName(acknowledged, ({ epoch }) => String(epoch))]
    .map(([, each]) => each)
    .sort(([one], [other]) => one!.epoch - other!.epoch);
  /** Last write that was sent in any of the epochs before. */
  let latest: Acknowledgement | undefined;
  for (const each of epochs) {
    const nodes = new Set(each.map(({ node }) => node));
    const [{ epoch } = { epoch: 0 }] = each;
    if (nodes.size > 1) faults.push(`${group}: epoch ${epoch} has ${[...nodes].join(' and ')}`);
    const first = each.reduce((a, b) => (b.returnedAt < a.returnedAt ? b : a));
    if (latest !== undefined && latest.calledAt > first.returnedAt) {
      faults.push(
        `${group}: ${latest.node} took a write in epoch ${latest.epoch} at ${latest.calledAt.toFixed(1)}, ` +
          `and ${first.node} had acknowledged one in epoch ${epoch} at ${first.returnedAt.toFixed(1)}`,
      );
    }
    for (const one of each)
      if (latest === undefined || one.calledAt > latest.calledAt) latest = one;
  }
  return faults;
}

/** Returns the minimum number of moves of a slot between groups. */
function changesOf(acknowledged: readonly Acknowledgement[]): number {
  const tenures: Tenure[] = [];
  for (const each of acknowledged.toSorted((a, b) => a.returnedAt - b.returnedAt)) {
    const { group, calledAt, returnedAt } = each;
    const isReported = tenures.some(
      (tenure) => tenure.group === group && tenure.fromMs <= returnedAt && tenure.toMs >= calledAt,
    );
    if (isReported) continue;
    const last = tenures.at(-1);
    if (last !== undefined) last.toMs = returnedAt;
    tenures.push({ group, fromMs: returnedAt, toMs: Infinity });
  }
  return Math.max(0, tenures.length - 1);
}
