/**
 * Users in a shard: the user of the client in each slot, and its permissions. Main checks commands before it sends
 * them; the shard checks those that no client sends as they are run: commands of scripts, commands that were blocked,
 * and keys that SORT finds.
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
  /** Rules by user: as text until they are first needed. */
  readonly #rules = new Map<string, UserRules | string>([
    [DEFAULT_USER, UserRules.ofDefault(true)],
  ]);
  /** User of each slot; undefined if none was set, as during a replay of the log. */
  readonly #users: (string | undefined)[] = [];
  /** Rows of the users in the statistics, by slot. */
  #rows = new Int32Array(64);

  constructor(sender: ReplySender, page: Page) {
    this.#sender = sender;
    this.#page = page;
  }

  /** Sets the user of the client in a slot, as sent by main. */
  introduce(slot: number, { user, userRow }: Known): void {
    this.#users[slot] = user;
    if (slot >= this.#rows.length) {
      const rows = new Int32Array(2 * slot);
      rows.set(this.#rows);
      this.#rows = rows;
    }
    this.#rows[slot] = userRow;
  }

  /** Sets the permissions of users; null for a deleted user. */
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
    // A deleted user may do nothing.
    const rules = known === undefined ? new UserRules(false) : UserRules.of(known);
    this.#rules.set(user, rules);
    return rules;
  }

  /** True when the client in a slot may run the command. */
  allows(slot: number, entry: CommandEntry, args: Arguments): boolean {
    const rules = this.#restrictionsOf(slot);
    return rules === undefined || rules.judge(entry, args) === ALLOWED;
  }

  /**
   * Returns the reason why the client in a slot may not run the command, and reports the denial to main; undefined if
   * it may.
   */
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

  /** Replies with a denial to a blocked command that its client may no longer run; returns false if it may. */
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
