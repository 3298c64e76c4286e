/**
 * Slots that are migrated key by key. Only the shard knows, at the command's place in the order, whether a key is still
 * here: so it returns the redirect of a cluster node for keys that have moved.
 */

import { type CommandError, errors, keySlot } from '#base';
import { type Arguments, type CommandEntry, findKeys } from '#commands';
import type { OpenSlotRule, ShardRedirect } from '#link';
import type { Keyspace } from '#store';
import type { Role } from '../replica/role.ts';

const FIRST_ARGUMENT = [{ index: 1 }];

/** Part of the execution context that is looked at. */
interface KeyPlace {
  readonly keyspace: Keyspace;
  readonly connection: number;
}

interface OpenSlotsOptions {
  /** Called back for each command that is not run. */
  readonly redirected: (redirect: ShardRedirect) => void;
  /** True for a client that has come by TLS. */
  readonly isSecure: (connection: number) => boolean;
}

export class OpenSlots {
  /** True while any slot is open: nothing else is looked at before. */
  isAny = false;
  #rules: ReadonlyMap<number, OpenSlotRule> = new Map();
  readonly #role: Pick<Role, 'primary'>;
  readonly #options: OpenSlotsOptions;

  constructor(role: Pick<Role, 'primary'>, options: OpenSlotsOptions) {
    this.#role = role;
    this.#options = options;
  }

  /** Takes the rules of all slots that are open from now on. */
  update(rules: readonly OpenSlotRule[]): void {
    this.#rules = new Map(rules.map((rule) => [rule.slot, rule]));
    this.isAny = rules.length > 0;
  }

  /**
   * Returns why a command is not run here: its keys have moved, or some of them, or not all have arrived. Commands of a
   * primary always run.
   */
  refusalOf(
    entry: CommandEntry,
    args: Arguments,
    { keyspace, connection }: KeyPlace,
  ): CommandError | undefined {
    if (!this.isAny || connection === this.#role.primary) return undefined;
    const found = entry.firstArgumentIsKey
      ? FIRST_ARGUMENT
      : (findKeys(entry.command.keys, args) ?? []);
    const [first] = found;
    if (first === undefined) return undefined;
    const slot = keySlot(args.source, args.at(first.index), args.length(first.index));
    const rule = this.#rules.get(slot);
    if (rule === undefined) return undefined;
    const here = found.filter(
      ({ index }) => keyspace.peek(args.source, args.at(index), args.length(index)) !== 0,
    ).length;
    if (here === found.length) return undefined;
    // ASKING allows missing keys in an importing slot; a single one may be created here.
    if (rule.target === null && found.length === 1) return undefined;
    const target = here === 0 ? rule.target : null;
    const { redirected, isSecure } = this.#options;
    redirected({ connection, kind: target === null ? 'tryagain' : 'ask' });
    if (target === null) return errors.slotInMotion;
    return errors.ask(slot, isSecure(connection) ? target.secure : target.plain);
  }
}
