/**
 * Finds the consistent cut of all shards' logs, when each of them has ended somewhere.
 *
 * A transaction over several shards is on all of them or on none. Where one log has it and another has ended before,
 * it is given to the other, if all that it rests on is there: what that shard had logged when the transaction took
 * part. If not, a transaction before it is on no disk, and its traces are in what this one did: then the log that has
 * it is read only up to there, and so on until nothing rests on what is missing (a consistent cut: Chandy and
 * Lamport, "Distributed Snapshots", 1985).
 */

/** Note of a transaction over several shards: what its record says, in the order of its log. */
export interface TransactionNote {
  /** As `transactionId` makes it. */
  readonly id: number;
  /** The shards that took part, a bit each. */
  readonly shards: number;
  /** Unix milliseconds at which it was done. */
  readonly timeMs: number;
  /** True when it counts only where all that took part have it by themselves: each has only its own share of it. */
  readonly needsAll: boolean;
  /** The segment that it is in, and how many transactions of that are before it. */
  readonly segment: number;
  readonly before: number;
  /** Shards, and how many transactions of the same segment were in their logs when they took part. */
  readonly rests: readonly (readonly [shard: number, transactions: number])[];
}

/** End of a shard's log. */
export interface LogEnd {
  readonly notes: readonly TransactionNote[];
  /** The largest id of those that are noted no more; what is older is taken for present. */
  readonly forgotten: number;
  /** The last segment, and how many transactions it has. */
  readonly segment: number;
  readonly transactions: number;
  readonly timeMs: number;
}

export interface Agreement {
  /** Per shard: the transaction before which its log must end; undefined where all of it counts. */
  readonly stops: readonly (number | undefined)[];
  /** Transactions that are to be given: by a shard that has them, in order; which shards lack them. */
  readonly missing: ReadonlyMap<number, ReadonlyMap<number, readonly number[]>>;
}

/**
 * A log that has stopped this long before another was failing, and said so: what others have done since is not thrown
 * away for it.
 */
const CUT_MS_MAX = 60_000;

export function agree(ends: readonly LogEnd[]): Agreement {
  const cuts = ends.map(({ notes }) => notes.length);
  const places = ends.map(({ notes }) => new Map(notes.map(({ id }, nth) => [id, nth])));
  const has: Has = (shard, id) =>
    id <= ends[shard]!.forgotten || (places[shard]!.get(id) ?? Infinity) < cuts[shard]!;
  makeConsistent(cuts, ends, has);
  return {
    stops: cuts.map((cut, shard) => ends[shard]!.notes[cut]?.id),
    missing: missingTransactions(cuts, ends, has),
  };
}

/** True when a transaction is in what counts of a shard's log. */
type Has = (shard: number, id: number) => boolean;

/** Takes off how many notes of each shard count until nothing rests on what is missing. */
function makeConsistent(cuts: number[], ends: readonly LogEnd[], has: Has): void {
  const reaches = (shard: number, segment: number, transactions: number): boolean => {
    const end = ends[shard];
    if (end === undefined) return true;
    const cut = end.notes[cuts[shard]!];
    const at = cut?.segment ?? end.segment;
    return segment < at || (segment === at && transactions <= (cut?.before ?? end.transactions));
  };
  const stands = (note: TransactionNote): boolean =>
    note.rests.every(([shard, transactions]) => reaches(shard, note.segment, transactions)) &&
    (!note.needsAll || shardsOf(note.shards, ends.length).every((shard) => has(shard, note.id)));
  for (let isStable = false; !isStable;) {
    isStable = true;
    for (const [shard, { notes, timeMs }] of ends.entries()) {
      const fallen = notes.findIndex(
        (note, nth) => nth < cuts[shard]! && note.timeMs >= timeMs - CUT_MS_MAX && !stands(note),
      );
      if (fallen < 0) continue;
      cuts[shard] = fallen;
      isStable = false;
    }
  }
}

function missingTransactions(
  cuts: readonly number[],
  ends: readonly LogEnd[],
  has: Has,
): Map<number, Map<number, number[]>> {
  const missing = new Map<number, Map<number, number[]>>();
  const seen = new Set<number>();
  for (const [giver, { notes }] of ends.entries()) {
    for (const { id, shards, needsAll } of notes.slice(0, cuts[giver])) {
      if (needsAll || seen.has(id)) continue;
      seen.add(id);
      const lacking = shardsOf(shards, ends.length).filter((shard) => !has(shard, id));
      if (lacking.length === 0) continue;
      const ofGiver = missing.get(giver) ?? new Map<number, number[]>();
      missing.set(giver, ofGiver.set(id, lacking));
    }
  }
  return missing;
}

function shardsOf(mask: number, shards: number): readonly number[] {
  return Array.from({ length: shards }, (_, shard) => shard).filter(
    (shard) => (mask & (1 << shard)) !== 0,
  );
}
