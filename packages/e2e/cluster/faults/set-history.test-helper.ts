/** Sets under writes: members that must be there at the end, those that may be, and those that must not. */

/** Knowledge of a client about a write. Confirmed is one that WAIT has seen on a replica; refused is one that an error has answered. */
export type Outcome = 'confirmed' | 'perhaps' | 'refused';

export class SetHistory {
  readonly #outcomes = new Map<string, Map<string, Outcome>>();

  /** Notes a member, which no other write has. */
  note(key: string, member: string, outcome: Outcome): void {
    let members = this.#outcomes.get(key);
    if (members === undefined) {
      members = new Map();
      this.#outcomes.set(key, members);
    }
    members.set(member, outcome);
  }

  get keys(): readonly string[] {
    return [...this.#outcomes.keys()];
  }

  count(outcome: Outcome): number {
    let count = 0;
    for (const members of this.#outcomes.values()) {
      for (const each of members.values()) if (each === outcome) count += 1;
    }
    return count;
  }

  /** Returns the faults of a set: lost members, and members that were never written. */
  faults(key: string, found: ReadonlySet<string>): string[] {
    const members = this.#outcomes.get(key) ?? new Map<string, Outcome>();
    const faults: string[] = [];
    for (const [member, outcome] of members) {
      if (outcome === 'confirmed' && !found.has(member)) faults.push(`${key}: ${member} is lost`);
    }
    for (const member of found) {
      const outcome = members.get(member);
      if (outcome === undefined) faults.push(`${key}: ${member} was written by nobody`);
      if (outcome === 'refused') faults.push(`${key}: ${member} is there, and was refused`);
    }
    return faults;
  }
}
