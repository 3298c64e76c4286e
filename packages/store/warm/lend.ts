/** Has warm values at hand: those that were fetched for a command, and those that are read only now. */
import { type Bytes, CommandError } from '#base';
import { failedLoan, loanOf, nameLoan, type Loan } from './loan.ts';
import type { WarmTier } from './warm-tier.ts';

/** The value of that number; throws the error of one that cannot be read. */
export function lend(tier: WarmTier, owner: number, number: number): Loan {
  const loan = tier.loans.get(number) ?? readNow(tier, owner, number);
  if (loan.failure !== undefined) throw loan.failure;
  if (tier.isWriting()) loan.isWritten = true;
  return loan;
}

/** Creates the loan of a value that was read, or of the error; the value may be unused by then. */
export function arrived(
  tier: WarmTier,
  owner: number,
  number: number,
  entry: Bytes | CommandError,
): Loan {
  const known = tier.loans.get(number);
  if (known !== undefined) return known;
  const isFailure = entry instanceof CommandError;
  const loan = isFailure ? failedLoan(owner, entry) : loanOf(owner, entry);
  const name = tier.nameOf(number);
  if (name !== undefined) nameLoan(loan, name);
  if (!tier.isReleased(number)) tier.loans.set(number, loan);
  return loan;
}

/** The value was not requested before: the shard blocks until it is read. */
function readNow(tier: WarmTier, owner: number, number: number): Loan {
  tier.counts.add('tierFetches', 1);
  return arrived(tier, owner, number, tier.entryNow(number));
}
