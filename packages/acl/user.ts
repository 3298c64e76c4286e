/** A user: a name with rules. Clients keep the user that they have logged in as, whose rules may be replaced meanwhile. */

import { TokenBucket } from './token-bucket.ts';
import { UserRules } from './rules/user-rules.ts';

export const DEFAULT_USER = 'default';

export class User {
  /** A character for each byte. */
  readonly name: string;
  /** Row of the user in the statistics of all threads. */
  readonly row: number;
  /** True when the user has been deleted. */
  isDeleted = false;
  readonly commandTokens = new TokenBucket();
  readonly byteTokens = new TokenBucket();
  #rules: UserRules;
  /** True when no command of the user need be judged. */
  isUnrestricted: boolean;
  /** True when commands of the user are counted against a limit. */
  isLimited: boolean;

  constructor(name: string, row: number, rules: UserRules) {
    this.name = name;
    this.row = row;
    this.#rules = rules;
    this.isUnrestricted = rules.isUnrestricted;
    this.isLimited = rules.isLimited;
    this.#setLimits();
  }

  /** Returns a default user without any configuration. */
  static unrestricted(): User {
    return new User(DEFAULT_USER, 0, UserRules.ofDefault(true));
  }

  /** True when nothing need be asked before a command of the user. */
  get isFree(): boolean {
    return this.isUnrestricted && !this.isLimited;
  }

  get rules(): UserRules {
    return this.#rules;
  }

  set rules(rules: UserRules) {
    this.#rules = rules;
    this.isUnrestricted = rules.isUnrestricted;
    this.isLimited = rules.isLimited;
    this.#setLimits();
  }

  #setLimits(): void {
    this.commandTokens.perSecond = this.#rules.limits.commands;
    this.byteTokens.perSecond = this.#rules.limits.bytes;
  }
}
