/** Ends loans: values that commands have changed, and those that are used enough, come back to memory. */
import type { Keyspace } from '../keyspace/keyspace.ts';
import type { Databases } from '../keyspace/databases.ts';
import type { Ref } from '../memory/segment.ts';
import type { Loan } from '../warm/loan.ts';

/** Ends all loans that no command waits for. `hasRoom`: memory is not full, so used values may stay in memory. */
export function settleLoans(store: Databases, hasRoom: boolean): void {
  const { tier } = store;
  for (const [number, loan] of tier.loans) {
    if (loan.awaited > 0) continue;
    const keyspace = keyspaceOf(store, loan.owner);
    const ref = keyspace === undefined ? 0 : warmRef(keyspace, loan, number);
    if (ref === 0 || keyspace === undefined || loan.failure !== undefined) {
      tier.loans.delete(number);
      continue;
    }
    // What was changed is nowhere else.
    if (loan.isWritten || hasRoom || isWorthMemory(store, keyspace, ref)) keyspace.unspill(ref);
    else tier.loans.delete(number);
  }
}

/** Returns the database of such contents; undefined when they were dropped. */
export function keyspaceOf(store: Databases, owner: number): Keyspace | undefined {
  return store.databases.find(({ contents }) => contents.records.warmOwner === owner);
}

/** The record whose value it still is; 0 when there is none. */
function warmRef(keyspace: Keyspace, { keyBytes, keyAt, keyLength }: Loan, number: number): Ref {
  const ref = keyspace.lookUp(keyBytes, keyLength, keyAt);
  return ref !== 0 && keyspace.isWarm(ref) && keyspace.warmNumber(ref) === number ? ref : 0;
}

/** True when a value that was used is to stay in memory: under tiered-lfu only if it is used more than what goes. */
function isWorthMemory(store: Databases, keyspace: Keyspace, ref: Ref): boolean {
  // No other value could make room for it: reads would have keys evicted.
  if (store.tier.isFailing) return false;
  if (!store.countsUses) return true;
  // The use at hand does not count: a scan that reads everything once turns nothing over.
  return keyspace.frequency(ref) > store.tier.victimFrequency + 1;
}
