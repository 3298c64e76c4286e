/**
 * Checks whether a recorded history of concurrent operations could have happened one at a time, after Wing and Gong,
 * with Lowe's memory of states already tried. A client's operations are sequential, so the progress of a search is one
 * number per client.
 */

/** One operation as its client saw it. */
export interface Operation<State> {
  /** For people. */
  readonly text: string;
  /** Moments of one clock of the recorder: before it was sent, and after its reply was there. */
  readonly calledAt: number;
  readonly returnedAt: number;
  /** The state after it, or nothing when it cannot have answered what it did in that state. */
  apply(state: State): State | undefined;
}

/** Result of a search. */
interface Verdict {
  readonly isLinearizable: boolean;
  /** The longest order found, for people. */
  readonly longest: readonly string[];
}

/**
 * Searches for an order of all operations that every reply agrees with, and in which no operation
 * comes before one that had ended when it began.
 */
export function linearize<State>(
  clients: readonly (readonly Operation<State>[])[],
  initial: State,
  stateName: (state: State) => string,
): Verdict {
  const total = clients.reduce((sum, operations) => sum + operations.length, 0);
  const taken = new Array<number>(clients.length).fill(0);
  const tried = new Set<string>();
  const order: string[] = [];
  let longest: readonly string[] = [];

  const search = (state: State): boolean => {
    if (order.length > longest.length) longest = [...order];
    if (order.length === total) return true;
    const name = `${taken.join(',')}|${stateName(state)}`;
    if (tried.has(name)) return false;
    tried.add(name);
    const next = clients.map((operations, client) => operations[taken[client]!]);
    const deadline = Math.min(...next.map((operation) => operation?.returnedAt ?? Infinity));
    return next.some((operation, client) => {
      if (operation === undefined || operation.calledAt > deadline) return false;
      const after = operation.apply(state);
      if (after === undefined) return false;
      taken[client]! += 1;
      order.push(operation.text);
      if (search(after)) return true;
      taken[client]! -= 1;
      order.pop();
      return false;
    });
  };

  return { isLinearizable: search(initial), longest };
}
