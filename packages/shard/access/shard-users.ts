/**
 * Users in a shard: who the client in each slot is, and what it may do. Main judges commands before they come; here those are
 * judged that nobody sends: what scripts call, what has waited, the keys that SORT finds.
 */

import {
  ALLOWED,
  DEFAULT_USER,
  type DenialContext,
  denialReason,
  denialText,
  deniedObject,
  Permission,
  type ShardDenial,
  UserRules,
} from '#acl';

import { errors } from '#base';
import { type Arguments, type CommandEntry, commandTable } from '#commands';
import { encodeMessage, FrameKind, Request, RequestFlag } from '#link';
import { countError, type Page } from '#stats';
import type { Frame } from '../frames/frame.ts';
import type { ReplySender } from '../frames/reply-sender.ts';

/** A client as it was introduced. */
interface Known {
  readonly user: string;
  readonly userRow: number;
}

export class ShardUsers {
  readonly #sender: ReplySender;
  readonly #page: Page;
  /** Rules by user: as text until they are asked for. */
  readonly #rules = new Map<string, UserRules | string>([
    [DEFAULT_USER, UserRules.ofDefault(true)],
  ]);
  /** User of each slot; undefined where nobody was introduced, as while a log is done again. */
  readonly #users: (string | undefined)[] = [];
  /** Rows of the users in the statistics, by slot. */
  #rows = new Int32Array(64);

  constructor(sender: ReplySender, page: Page) {
    this.#sender = sender;
    this.#page = page;
  }

  /** Main says who the client in a slot is. */
  introduce(slot: number, { user, userRow }: Known): void {
    this.#users[slot] = user;
    if (slot >= this.#rows.length) {
      const rows = new Int32Array(2 * slot);
      rows.set(this.#rows);
      this.#rows = rows;
    }
    this.#rows[slot] = userRow;
  }

  /** Main says what users may do from now on; null of one that is gone. */
  update(rules: readonly (readonly [name: string, rules: string | null])[]): void {
    for (const [name, text] of rules) {
      if (text === null) this.#rules.delete(name);
      else this.#rules.set(name, text);
    }
  }

  /** Row of the user in a slot in the statistics. */
  rowOf(slot: number): number {
    return this.#rows[slot] ?? 0;
  }

  /** True when there is anything that the client in a slot may not do. */
  isRestricted(slot: number): boolean {
    return this.#restrictionsOf(slot) !== undefined;
  }

  /** Rules of the user in a slot; undefined when there is nothing that it may not do. */
  #restrictionsOf(slot: number): UserRules | undefined {
    const user = this.#users[slot];
    if (user === undefined) return undefined;
    const rules = this.#rulesOf(user);
    return rules.isUnrestricted ? undefined : rules;
  }

  #rulesOf(user: string): UserRules {
    const known = this.#rules.get(user);
    if (known instanceof UserRules) return known;
    // One who is gone may do nothing.
    const rules = known === undefined ? new UserRules(false) : UserRules.of(known);
    this.#rules.set(user, rules);
    return rules;
  }

  /** True when the client in a slot may run the command. */
  allows(slot: number, entry: CommandEntry, args: Arguments): boolean {
    const rules = this.#restrictionsOf(slot);
    return rules === undefined || rules.judge(entry, args) === ALLOWED;
  }

  /** Returns in words why the client in a slot may not run the command, and tells main; undefined when it may. */
  denialOf(
    slot: number,
    entry: CommandEntry,
    args: Arguments,
    context: DenialContext,
  ): string | undefined {
    const rules = this.#restrictionsOf(slot);
    const verdict = rules?.judge(entry, args) ?? ALLOWED;
    if (verdict === ALLOWED) return undefined;
    const reason = denialReason(verdict);
    const object = deniedObject(verdict, entry, args);
    const denial: ShardDenial = { connection: slot, reason, context, object };
    this.#sender.sendAhead(FrameKind.denied, encodeMessage(denial));
    return denialText(verdict, this.#users[slot]!, entry);
  }

  /** Answers a command that has waited, and that its client may not run any more; false when it may. */
  refuses(frame: Frame, entry: CommandEntry, args: Arguments, nowUs: number): boolean {
    const { words, word } = frame;
    const connection = words[word + Request.connection]!;
    if (!this.isRestricted(connection)) return false;
    const sender = this.#sender;
    sender.begin(connection, frame.sequence);
    const denial = this.denialOf(connection, entry, args, 'toplevel');
    if (denial === undefined) {
      sender.abandon();
      return false;
    }
    const error = errors.noPermission(denial);
    sender.writer.clearError();
    sender.writer.error(error);
    if ((words[word + Request.kind]! & RequestFlag.mute) !== 0) sender.discard();
    sender.end(frame.sequence, nowUs | 0);
    this.#page.rejected(entry.countedAs);
    countError(this.#page, error.text);
    return true;
  }

  /** True when the client in a slot may run the command, and read every key there is. */
  mayReadEveryKey(slot: number, args: Arguments): boolean {
    const rules = this.#restrictionsOf(slot);
    if (rules === undefined) return true;
    const entry = commandTable.find(args.source, args.at(0), args.length(0));
    return entry !== undefined && rules.allowsOnEveryKey(entry, args, Permission.read);
  }
}
