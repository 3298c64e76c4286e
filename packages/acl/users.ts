/** The users of a server, by name. */

import { errors } from '#base';
import { aclFileOf, readAclFile } from './acl-file.ts';
import { mergeSelectors } from './rules/merge-selectors.ts';
import { RuleError } from './rules/rule-faults.ts';
import { hasSpaces } from './rules/selector.ts';
import { DEFAULT_USER, User } from './user.ts';
import { UserRules } from './rules/user-rules.ts';

/** Listener called before changes take effect. */
interface UsersListener {
  /** Rules of a user are about to be replaced. */
  changing(user: User, rules: UserRules): void;
  /** A user came, or its rules were replaced. */
  changed(user: User): void;
  /** A user was deleted. */
  deleted(user: User): void;
}

interface UsersOptions {
  /** True when new users may use every channel (acl-pubsub-default). */
  allowsAllChannels(): boolean;
  /** Row of a user in the statistics. */
  rowOf(name: string): number;
}

export class Users {
  readonly default: User;
  listener: UsersListener | undefined;
  readonly #options: UsersOptions;
  readonly #byName = new Map<string, User>();
  readonly #limited = new Set<User>();
  /** Users by name, in byte order; undefined if it must be rebuilt. */
  #sorted: readonly User[] | undefined;

  constructor(options: UsersOptions) {
    this.#options = options;
    this.default = this.#add(DEFAULT_USER, UserRules.ofDefault(options.allowsAllChannels()));
  }

  get(name: string): User | undefined {
    return this.#byName.get(name);
  }

  /** All users, by the bytes of their names. */
  get all(): readonly User[] {
    this.#sorted ??= [...this.#byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return this.#sorted;
  }

  get count(): number {
    return this.#byName.size;
  }

  /** Users with a rate limit. */
  get limitedCount(): number {
    return this.#limited.size;
  }

  /** Makes a user or changes one, by all of the rules or none. Throws a CommandError. */
  set(name: string, words: readonly string[]): void {
    if (hasSpaces(name)) throw errors.userNameHasSpaces;
    const merged = mergeSelectors(words);
    if ('unmatched' in merged) throw errors.selectorOpen(merged.unmatched);
    const rules = this.#rulesToChange(this.#byName.get(name));
    for (const rule of merged.rules) {
      try {
        rules.apply(rule);
      } catch (error) {
        if (!(error instanceof RuleError)) throw error;
        throw errors.badRule(shown(rule), error.message);
      }
    }
    this.#put(name, rules);
  }

  #rulesToChange(user: User | undefined): UserRules {
    const allowsAllChannels = this.#options.allowsAllChannels();
    return user?.rules.copy(allowsAllChannels) ?? new UserRules(allowsAllChannels);
  }

  /** Gives the default user a password, or none. */
  setDefaultPassword(password: string): void {
    const rules = this.#rulesToChange(this.default);
    rules.apply('resetpass');
    rules.apply(password === '' ? 'nopass' : `>${password}`);
    this.#put(DEFAULT_USER, rules);
  }

  /** Deletes users and returns how many there were. Throws a CommandError, and deletes none, for the default user. */
  delete(names: readonly string[]): number {
    if (names.includes(DEFAULT_USER)) throw errors.defaultUserStays;
    let count = 0;
    for (const name of names) {
      const user = this.#byName.get(name);
      if (user === undefined) continue;
      this.#remove(user);
      count += 1;
    }
    return count;
  }

  /** Replaces all users by those of a file's text; returns what is wrong with it, and then nothing has changed. */
  load(text: string, file: string): string | undefined {
    const allowsAllChannels = this.#options.allowsAllChannels();
    const read = readAclFile(text, { file, newRules: () => new UserRules(allowsAllChannels) });
    if ('mistakes' in read) return read.mistakes;
    const defaultRules = read.users.get(DEFAULT_USER) ?? UserRules.ofDefault(allowsAllChannels);
    for (const user of [...this.#byName.values()]) {
      if (user !== this.default && !read.users.has(user.name)) this.#remove(user);
    }
    this.#put(DEFAULT_USER, defaultRules);
    for (const [name, rules] of read.users) if (name !== DEFAULT_USER) this.#put(name, rules);
    return undefined;
  }

  /** Text of a file from which `load` makes the same users. */
  get fileText(): string {
    return aclFileOf(this.all);
  }

  #put(name: string, rules: UserRules): void {
    const user = this.#byName.get(name);
    if (user === undefined) {
      const added = this.#add(name, rules);
      this.listener?.changed(added);
      return;
    }
    this.listener?.changing(user, rules);
    user.rules = rules;
    this.#noteLimits(user);
    this.listener?.changed(user);
  }

  #add(name: string, rules: UserRules): User {
    const user = new User(name, this.#options.rowOf(name), rules);
    this.#byName.set(name, user);
    this.#sorted = undefined;
    this.#noteLimits(user);
    return user;
  }

  #noteLimits(user: User): void {
    if (user.rules.isLimited) this.#limited.add(user);
    else this.#limited.delete(user);
  }

  #remove(user: User): void {
    this.#byName.delete(user.name);
    this.#limited.delete(user);
    this.#sorted = undefined;
    user.isDeleted = true;
    this.listener?.deleted(user);
  }
}

/** Returns a rule for an error message: a password in place of a rule is redacted. */
function shown(rule: string): string {
  return /^[<>]/.test(rule) ? `${rule[0]!}(redacted)` : rule;
}
