/**
 * Attempts of a recovery at a start, one after the other: the newest snapshot and its log, the snapshot before it
 * where one is damaged, and at last, where that is asked for, what is left of the newest.
 */

import { refusalOf, type DataFolder, type RecoveryPlan } from './folder/data-folder.ts';

/** A file is not what it was written as. */
export interface RecoveryProblem {
  readonly isSnapshot: boolean;
  readonly message: string;
}

export function isProblem(outcome: object): outcome is RecoveryProblem {
  return 'isSnapshot' in outcome;
}

export class RecoveryAttempts {
  readonly #folder: DataFolder;
  readonly #anyway: boolean;
  #nth = 0;
  #damaged: string | undefined;
  /** Plan of what to read now. */
  plan: RecoveryPlan;

  /** With `anyway` what is left of a damaged snapshot is better than nothing. Throws a DataFolderError. */
  constructor(folder: DataFolder, anyway: boolean) {
    this.#folder = folder;
    this.#anyway = anyway;
    this.plan = folder.plan(0);
  }

  /** Returns why this is not the first try, and what `is` done instead (tried, used); undefined at the first. */
  remark(is: string): string | undefined {
    if (this.#damaged === undefined) return undefined;
    const instead = this.plan.salvages
      ? 'the readable part of the newest is used'
      : `the one before is ${is}`;
    return `${this.#damaged}; ${instead}`;
  }

  /** Moves to the next attempt after one that could not be read, or throws a DataFolderError with the reason. */
  failed({ isSnapshot, message }: RecoveryProblem): void {
    if (!isSnapshot || this.plan.salvages) throw refusalOf(message);
    this.#damaged = message;
    this.#nth += 1;
    this.plan = this.#next(message);
  }

  #next(damaged: string): RecoveryPlan {
    const folder = this.#folder;
    try {
      if (this.#nth <= folder.snapshots.length) return folder.plan(this.#nth);
    } catch {
      // There is a gap, say: all is well with the log, if only the snapshot were.
    }
    if (this.#anyway) return folder.plan(0, true);
    const lack = 'There is neither another snapshot nor a complete log to use instead';
    throw refusalOf(`${damaged}. ${lack}`);
  }
}
