/**
 * Slots that this cluster node serves, sent by main in order with the commands. Main checks the keys of commands;
 * undeclared keys of scripts are checked only here.
 */

import { keySlot, SLOT_COUNT } from '#base';
import { type Arguments, type CommandEntry, commandTable, findKeys } from '#commands';
import type { ServedRanges } from '#link';
import type { Keyspace } from '#store';
import type { Role } from '../replica/role.ts';
import type { OpenSlots } from './open-slots.ts';

/** Whose a slot is. */
const Owner = { other: 0, own: 1, replicated: 2, nobody: 3 } as const;

const NO_SLOT = -1;
const SWAPDB = commandTable.byName('SWAPDB');

/** Slots of the current script. */
interface ScriptSlots {
  /** Slot of all keys that it has used, -1 before the first. */
  slot: number;
  /** Slot of the keys that it has declared, which main has judged; -1 without any. */
  readonly declaredSlot: number;
  readonly mayCrossSlots: boolean;
  /** Slot of the client's connection. */
  readonly connection: number;
}

/** Part of the execution context that is looked at. */
interface KeyPlace {
  readonly keyspace: Keyspace;
  readonly connection: number;
  isOwn(key: Uint8Array, at: number, length: number): boolean;
}

export class ServedSlots {
  /** True in a cluster. */
  isOn = false;
  readonly #owners = new Uint8Array(SLOT_COUNT);
  #refused: ServedRanges['refused'] = 'all';
  readonly #openSlots: Pick<OpenSlots, 'refusalOf'>;
  readonly #role: Pick<Role, 'primary'>;

  constructor(openSlots: Pick<OpenSlots, 'refusalOf'>, role: Pick<Role, 'primary'>) {
    this.#openSlots = openSlots;
    this.#role = role;
  }

  update({ own, replicated, unbound, refused }: ServedRanges): void {
    this.isOn = true;
    this.#refused = refused;
    this.#owners.fill(Owner.other);
    for (const [ranges, owner] of [
      [own, Owner.own],
      [replicated, Owner.replicated],
      [unbound, Owner.nobody],
    ] as const) {
      for (const [first, last] of ranges) this.#owners.fill(owner, first, last + 1);
    }
  }

  /** True when the slot's keys are on this node. */
  hasHere(slot: number): boolean {
    const owner = this.#owners[slot];
    return owner === Owner.own || owner === Owner.replicated;
  }

  /** Says why a script may not call a command in a cluster; what a primary sends may do all. */
  refusalOf(
    entry: CommandEntry,
    args: Arguments,
    script: ScriptSlots,
    place: KeyPlace,
  ): string | undefined {
    if (script.connection === this.#role.primary) return undefined;
    if (entry === SWAPDB) return 'SWAPDB is not allowed in cluster mode';
    const found = findKeys(entry.command.keys, args) ?? [];
    const [first, ...others] = found.map(({ index }) =>
      keySlot(args.source, args.at(index), args.length(index)),
    );
    if (first === undefined) return undefined;
    const owner = this.#owners[first];
    if (owner === Owner.nobody) return 'Script attempted to access a slot not served';
    if (others.some((slot) => slot !== first)) {
      return `Command '${entry.lowerName}' in script attempted to access keys that don't hash to the same slot`;
    }
    const refusal = this.#downRefusal(entry) ?? this.#foreignRefusal(first, entry, script);
    return refusal ?? this.#motionRefusal(entry, args, place) ?? crossing(first, script);
  }

  #downRefusal(entry: CommandEntry): string | undefined {
    if (this.#refused === 'nothing') return undefined;
    if (this.#refused === 'all') {
      return 'Script attempted to execute a command while the cluster is down';
    }
    if (!entry.isWrite) return undefined;
    return 'Script attempted to execute a write command while the cluster is down and readonly';
  }

  #foreignRefusal(
    slot: number,
    entry: CommandEntry,
    { declaredSlot }: ScriptSlots,
  ): string | undefined {
    const owner = this.#owners[slot];
    if (owner === Owner.own) return undefined;
    // It comes here key by key, or is read of a replica: main has let it through.
    if (slot === declaredSlot) return undefined;
    const isReading = declaredSlot !== NO_SLOT && this.#owners[declaredSlot] === Owner.replicated;
    if (owner === Owner.replicated && isReading && !entry.isWrite) return undefined;
    return NOT_LOCAL;
  }

  /** Returns why keys of a slot that is migrated key by key cannot be used: they may have moved. */
  #motionRefusal(entry: CommandEntry, args: Arguments, place: KeyPlace): string | undefined {
    const [key] = findKeys(entry.command.keys, args) ?? [];
    if (key === undefined || !place.isOwn(args.source, args.at(key.index), args.length(key.index)))
      return undefined;
    const refusal = this.#openSlots.refusalOf(entry, args, place);
    if (refusal === undefined) return undefined;
    if (refusal.text.startsWith('ASK')) return NOT_LOCAL;
    return `Unable to execute command '${entry.lowerName}' in script because undeclared keys were accessed during rehashing of the slot`;
  }
}

const NOT_LOCAL = 'Script attempted to access a non local key in a cluster node';

/** Records the slot; returns an error text if the script has used another one. */
function crossing(slot: number, script: ScriptSlots): string | undefined {
  if (script.mayCrossSlots) return undefined;
  if (script.slot === NO_SLOT) script.slot = slot;
  if (script.slot === slot) return undefined;
  return 'Script attempted to access keys that do not hash to the same slot';
}
