/**
 * Counts of users under a bounded set of labels. A label belongs to a user for ever, even after its deletion, since
 * moving counts from one series to another would decrease one and increase the other.
 */

import {
  DefaultUserReader,
  noUserCounts,
  OTHER_USERS_ROW,
  plusUserCounts,
  USER_ROWS,
  type UserCounts,
  userCountsOfRow,
  type UserPages,
} from '#stats';

const DEFAULT_USER = 'default';
/** Label of all other users together; a user of this name is counted there. */
const OTHER = 'other';
/** Longer names are counted as other: a name may have 512 MiB. */
const NAME_LENGTH_MAX = 128;

export interface LabelledCounts {
  readonly user: string;
  readonly counts: UserCounts;
}

export class UserSeries {
  readonly #pages: UserPages;
  readonly #default: DefaultUserReader;
  readonly #names: readonly string[];
  /** Rows with labels of their own end before this one. */
  readonly #end: number;

  /** `names` are those of the users with rows of their own, in the order of the rows; it may grow. */
  constructor(pages: UserPages, usersMax: number, names: readonly string[]) {
    this.#pages = pages;
    this.#default = new DefaultUserReader(pages);
    this.#names = names;
    // One of them is the default user.
    this.#end = Math.min(USER_ROWS, OTHER_USERS_ROW + usersMax);
  }

  read(): readonly LabelledCounts[] {
    const taken = new Set([DEFAULT_USER, OTHER]);
    const labelled: LabelledCounts[] = [{ user: DEFAULT_USER, counts: this.#default.read() }];
    let others = noUserCounts();
    for (let row = OTHER_USERS_ROW; row < USER_ROWS; row += 1) {
      const user = this.#names[row - OTHER_USERS_ROW - 1];
      const isOther = row === OTHER_USERS_ROW || row >= this.#end;
      // The name is on its way: what is counted until then must never be taken for another's.
      if (user === undefined && !isOther) continue;
      // Rows after the last name are empty.
      if (user === undefined && row > OTHER_USERS_ROW) break;
      const counts = userCountsOfRow(row, this.#pages);
      const isLabel = !isOther && user!.length <= NAME_LENGTH_MAX && !taken.has(user!);
      if (isLabel) {
        // Names that are no UTF-8 may read as others do.
        taken.add(user!);
        labelled.push({ user: user!, counts });
      } else {
        others = plusUserCounts(others, counts);
      }
    }
    return [...labelled, { user: OTHER, counts: others }];
  }
}
