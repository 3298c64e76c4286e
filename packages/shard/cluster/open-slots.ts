/**
 * Slots that are migrated key by key. Only the shard knows, at the command's place in the order, whether a key is still
 * here: so it returns the redirect of a cluster node for keys that have moved.
 */

import { type CommandError, errors, keySlot } from '#base';
import { type Arguments, type CommandEntry, commandTable, findKeys } from '#commands';
import type { OpenSlotRule, ShardRedirect } from '#link';
import type { Keyspace } from '#store';
import type { Role } from '../replica/role.ts';

const FIRST_ARGUMENT = [{ index: 1 }];
const MOVE = commandTable.byName('MOVE');
const COPY = commandTable.byName('COPY');

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
    const { redirected, isSecure } = this.#options;
    // Its keys of one database may be on the other node, and those of another here.
    if (leavesDatabase(entry, args)) {
      redirected({ connection, kind: 'tryagain' });
      return errors.slotInMotion;
    }
    const here = found.filter(
      ({ index }) => keyspace.peek(args.source, args.at(index), args.length(index)) !== 0,
    ).length;
    if (here === found.length) return undefined;
    // ASKING allows missing keys in an importing slot; a single one may be created here.
    if (rule.target === null && found.length === 1) return undefined;
    const target = here === 0 ? rule.target : null;
    redirected({ connection, kind: target === null ? 'tryagain' : 'ask' });
    if (target === null) return errors.slotInMotion;
    return errors.ask(slot, isSecure(connection) ? target.secure : target.plain);
  }
}

/** True for a command that puts a key into another database. */
function leavesDatabase(entry: CommandEntry, args: Arguments): boolean {
  if (entry !== COPY) return entry === MOVE;
  for (let index = 3; index < args.count - 1; index += 1)
    if (args.spellsAt(index, 'DB')) return true;
  return false;
}
