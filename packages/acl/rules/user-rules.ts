/**
 * All that is set for a user: whether it may log in and how, what it may do, how much of it. Made by rules, one after the
 * other; once it belongs to a user it is never changed, but replaced.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import { untilNul } from '#base';
import type { Arguments, CommandEntry } from '#commands';
import { mergeSelectors } from './merge-selectors.ts';
import { RuleError } from './rule-faults.ts';
import { Selector } from './selector.ts';
import { quoteWord, splitWords } from './split-words.ts';
import { ALLOWED, Denied, denial, graver, type Verdict } from '../verdict.ts';

const HASH = /^[0-9a-f]{64}$/;
/** `ratelimit:cps=100`. */
const RATE_LIMIT = /^ratelimit:(cps|bps)=([1-9]\d{0,14})$/i;

/** Limits per second; 0 for none. */
interface RateLimits {
  readonly commands: number;
  readonly bytes: number;
}

const NO_LIMITS: RateLimits = { commands: 0, bytes: 0 };

export class UserRules {
  isEnabled = false;
  /** Any password will do. */
  needsNoPassword = false;
  skipsSanitizing = false;
  limits = NO_LIMITS;
  /** SHA-256 of each password, in hexadecimal digits. */
  #passwords = new Set<string>();
  #selectors: readonly Selector[];
  readonly #channelsByDefault: boolean;
  #description: string | undefined;

  /** `allowsAllChannels` is the value of acl-pubsub-default. */
  constructor(allowsAllChannels: boolean) {
    this.#channelsByDefault = allowsAllChannels;
    this.#selectors = [new Selector(allowsAllChannels)];
  }

  /** Returns the rules of the default user. */
  static ofDefault(allowsAllChannels: boolean): UserRules {
    const rules = new UserRules(allowsAllChannels);
    for (const rule of ['+@all', '~*', '&*', 'on', 'nopass']) rules.apply(rule);
    return rules;
  }

  /** Parses rules from a line; throws a {@link RuleError}. */
  static of(line: string): UserRules {
    const rules = new UserRules(false);
    const merged = mergeSelectors(line.split(' '));
    if ('unmatched' in merged) throw new RuleError('syntax');
    for (const rule of merged.rules) rules.apply(rule);
    return rules;
  }

  /** Returns a copy for changes; `allowsAllChannels` is the current value of acl-pubsub-default. */
  copy(allowsAllChannels: boolean): UserRules {
    const copy = new UserRules(allowsAllChannels);
    copy.isEnabled = this.isEnabled;
    copy.needsNoPassword = this.needsNoPassword;
    copy.skipsSanitizing = this.skipsSanitizing;
    copy.limits = this.limits;
    copy.#passwords = new Set(this.#passwords);
    copy.#selectors = this.#selectors.map((selector) => selector.copy());
    return copy;
  }

  get passwords(): readonly string[] {
    return [...this.#passwords];
  }

  get root(): Selector {
    return this.#selectors[0]!;
  }

  /** Selectors beside the root. */
  get others(): readonly Selector[] {
    return this.#selectors.slice(1);
  }

  get selectors(): readonly Selector[] {
    return this.#selectors;
  }

  /** True when the user may do everything. */
  get isUnrestricted(): boolean {
    return this.#selectors.some(({ isUnrestricted }) => isUnrestricted);
  }

  get isLimited(): boolean {
    return this.limits !== NO_LIMITS;
  }

  /** Applies a rule (a character for each byte); throws a {@link RuleError}. */
  apply(rule: string): void {
    if (rule === '') return;
    this.#description = undefined;
    if (this.#applyWord(untilNul(rule).toLowerCase())) return;
    const limit = RATE_LIMIT.exec(rule);
    if (limit !== null) this.#limit(limit[1]!.toLowerCase(), Number(limit[2]));
    else if (rule.startsWith('>') || rule.startsWith('#')) this.#addPassword(hashOf(rule));
    else if (rule.startsWith('<') || rule.startsWith('!')) this.#removePassword(hashOf(rule));
    else if (rule.startsWith('(') && rule.endsWith(')')) this.#addSelector(rule.slice(1, -1));
    else this.root.apply(rule);
  }

  #applyWord(word: string): boolean {
    switch (word) {
      case 'on':
      case 'off':
        this.isEnabled = word === 'on';
        return true;
      case 'skip-sanitize-payload':
      case 'sanitize-payload':
        this.skipsSanitizing = word === 'skip-sanitize-payload';
        return true;
      case 'nopass':
      case 'resetpass':
        this.needsNoPassword = word === 'nopass';
        this.#passwords.clear();
        return true;
      case 'resetratelimit':
        this.limits = NO_LIMITS;
        return true;
      case 'clearselectors':
        this.#selectors = [this.root];
        return true;
      case 'reset':
        this.#reset();
        return true;
      default:
        return false;
    }
  }

  #reset(): void {
    this.isEnabled = false;
    this.needsNoPassword = false;
    this.skipsSanitizing = false;
    this.limits = NO_LIMITS;
    this.#passwords.clear();
    this.#selectors = [new Selector(this.#channelsByDefault)];
  }

  #limit(kind: string, perSecond: number): void {
    const { commands, bytes } = this.limits;
    this.limits = kind === 'cps' ? { commands: perSecond, bytes } : { commands, bytes: perSecond };
  }

  #addPassword(hash: string): void {
    this.#passwords.add(hash);
    this.needsNoPassword = false;
  }

  #removePassword(hash: string): void {
    if (!this.#passwords.delete(hash)) throw new RuleError('noSuchPassword');
  }

  #addSelector(text: string): void {
    const selector = new Selector(this.#channelsByDefault);
    for (const rule of splitWords(text) ?? []) selector.apply(rule);
    this.#selectors = [...this.#selectors, selector];
  }

  /** All rules as ACL LIST shows them. A character for each byte. */
  get description(): string {
    this.#description ??= this.#text(({ description }) => description);
    return this.#description;
  }

  /** All rules in one line: applied to a new user, they make the same one. In selectors, words are in quotes that need them. */
  get line(): string {
    return this.#text(({ words }) => words.map(quoteWord).join(' '));
  }

  #text(describe: (selector: Selector) => string): string {
    return [
      ...this.flags,
      ...this.limitRules,
      ...this.passwords.map((hash) => `#${hash}`),
      this.root.description,
      ...this.others.map((selector) => `(${describe(selector)})`),
    ].join(' ');
  }

  get flags(): readonly string[] {
    return [
      this.isEnabled ? 'on' : 'off',
      ...(this.needsNoPassword ? ['nopass'] : []),
      this.skipsSanitizing ? 'skip-sanitize-payload' : 'sanitize-payload',
    ];
  }

  get limitRules(): readonly string[] {
    const { commands, bytes } = this.limits;
    return [
      ...(commands > 0 ? [`ratelimit:cps=${commands}`] : []),
      ...(bytes > 0 ? [`ratelimit:bps=${bytes}`] : []),
    ];
  }

  /** True when the password (a character for each byte) is accepted. Its duration reveals nothing about the passwords. */
  accepts(password: string): boolean {
    if (!this.isEnabled) return false;
    if (this.needsNoPassword) return true;
    const hash = Buffer.from(sha256(password), 'latin1');
    let isGood = false;
    for (const known of this.#passwords) {
      if (timingSafeEqual(hash, Buffer.from(known, 'latin1'))) isGood = true;
    }
    return isGood;
  }

  /** Judges a command with its arguments: allowed when one selector allows it, else the gravest reason of all. */
  judge(entry: CommandEntry, args: Arguments): Verdict {
    const verdict = this.root.judge(entry, args);
    return verdict === ALLOWED || this.#selectors.length === 1
      ? verdict
      : this.#judgeByAll(entry, args);
  }

  #judgeByAll(entry: CommandEntry, args: Arguments): Verdict {
    let worst = denial(Denied.command);
    for (const selector of this.#selectors) {
      const verdict = selector.judge(entry, args);
      if (verdict === ALLOWED) return ALLOWED;
      worst = graver(verdict, worst);
    }
    return worst;
  }

  /** True when a selector allows the command and has `permissions` on every key (SORT ... BY). */
  allowsOnEveryKey(entry: CommandEntry, args: Arguments, permissions: number): boolean {
    return this.#selectors.some(
      (selector) => selector.judge(entry, args) === ALLOWED && selector.allowsEveryKey(permissions),
    );
  }

  get allowsAllChannels(): boolean {
    return this.#selectors.some(({ allowsAllChannels }) => allowsAllChannels);
  }

  /** Patterns of channels of all selectors. */
  get channels(): readonly string[] {
    return this.#selectors.flatMap(({ channels }) => channels);
  }
}

function hashOf(rule: string): string {
  const text = rule.slice(1);
  if (rule.startsWith('>') || rule.startsWith('<')) return sha256(text);
  if (!HASH.test(text)) throw new RuleError('hashMalformed');
  return text;
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'latin1').digest('hex');
}
