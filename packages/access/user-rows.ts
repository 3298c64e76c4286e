/** Gives users their rows in the statistics, and knows whose each row is. */

import { DEFAULT_USER } from '#acl';
import { DEFAULT_USER_ROW, OTHER_USERS_ROW, USER_ROWS } from '#stats';

const FIRST_ROW = OTHER_USERS_ROW + 1;

export class UserRows {
  readonly #rows = new Map<string, number>([[DEFAULT_USER, DEFAULT_USER_ROW]]);
  #next = FIRST_ROW;
  readonly #given: (name: string) => void;

  /** `given` is called with the name of each row, in the order of the rows. */
  constructor(given: (name: string) => void) {
    this.#given = given;
  }

  /**
   * Returns the row of a user, or that of all others when there are no more rows. A name keeps its row after the
   * deletion of its user: its counts are still reported, and threads may still count for it.
   */
  of(name: string): number {
    const known = this.#rows.get(name);
    if (known !== undefined) return known;
    if (this.#next >= USER_ROWS) return OTHER_USERS_ROW;
    const row = this.#next;
    this.#next += 1;
    this.#rows.set(name, row);
    this.#given(name);
    return row;
  }

  /** True when there was ever a user beside the default one. */
  get hasOthers(): boolean {
    return this.#next > FIRST_ROW;
  }

  /** Rows that were given, but for the default user's. */
  get taken(): readonly number[] {
    const rows = [OTHER_USERS_ROW];
    for (let row = FIRST_ROW; row < this.#next; row += 1) rows.push(row);
    return rows;
  }
}
