/**
 * A command with what the router asks of it on every call.
 *
 * Large because all facts that a call needs are worked out once from the definition, and each is a field.
 */

import { type Bytes, type CommandError, errors, latin1 } from '#base';
import { indexesFrom, type Arguments } from '../arguments/arguments.ts';
import type { Command, Flag, OneShardCommand } from './definition.ts';
import { isFirstArgumentOnly } from './keys.ts';

const NO_SECRETS: readonly number[] = [];

/** True for a command without other keys than its first argument, in no other database. */
function looksAtFirstOnly(command: Command): boolean {
  const otherKeys = command.route === 'oneShard' ? command.otherKeys : undefined;
  const isOne = isFirstArgumentOnly(command.keys) && otherKeys === undefined;
  return isOne && command.alsoIn === undefined && command.databaseOf === undefined;
}

export class CommandEntry {
  readonly command: Command;
  readonly id: number;
  /** The id that its calls are counted by: of a command that clients do not know by itself, its container's. */
  readonly countedAs: number;
  // Of the command, here again: all entries are of one shape, and so read faster than commands are.
  readonly name: string;
  readonly route: Command['route'];
  /** Lower case, as Redis prints names: `client|list`. */
  readonly lowerName: string;
  readonly arity: number;
  readonly isWrite: boolean;
  /** True when it writes, or has another effect besides its reply. */
  readonly mayChange: boolean;
  readonly deniesOom: boolean;
  /** Run only where the setting enable-debug-command allows it. */
  readonly isProtected: boolean;
  /** True for commands that run without authentication, regardless of ACL rules. */
  readonly needsNoUser: boolean;
  /** The one key is argument 1, so that no search is needed. */
  readonly firstArgumentIsKey: boolean;
  /** The value of that key is all that it looks at. */
  readonly looksAtFirstOnly: boolean;
  /** The argument that is looked up in the value of the first key, 0 when there is none. */
  readonly field: number;
  readonly hasKeys: boolean;
  /** Never logged as slow: EXEC, whose commands are. */
  readonly skipsSlowLog: boolean;
  /** All of it may be logged as slow, as all commands are counted. */
  readonly isPlain: boolean;
  /** Runs on main when all that its client has sent before is answered. */
  readonly awaitsReplies: boolean;
  /** A shard may put it aside, or its keys are looked for on several shards first. */
  readonly mayWait: boolean;
  readonly otherKeys: OneShardCommand['otherKeys'];
  /** Part of the command in running scripts, if it has any. */
  readonly script: OneShardCommand['script'];
  /** True when COMMAND hides its subcommands: to clients it is one command. */
  readonly isOpaque: boolean;
  readonly container: CommandEntry | undefined;
  /** Command that the name of a container alone runs, if any. */
  bare: CommandEntry | undefined;
  readonly #subcommands = new Map<string, CommandEntry>();
  readonly #subcommandList: CommandEntry[] = [];
  readonly #flags: ReadonlySet<Flag>;
  readonly #keyStride: number;

  constructor(command: Command, id: number, container?: CommandEntry) {
    this.command = command;
    this.id = id;
    this.name = command.name;
    this.route = command.route;
    this.lowerName = command.name.toLowerCase();
    this.arity = command.arity;
    this.#flags = new Set(command.flags);
    this.isWrite = this.#flags.has('write');
    this.mayChange = this.isWrite || this.#flags.has('may_replicate');
    this.deniesOom = this.#flags.has('denyoom');
    this.isProtected = command.isProtected === true;
    this.needsNoUser = this.#flags.has('no_auth');
    this.firstArgumentIsKey = isFirstArgumentOnly(command.keys);
    this.field = command.field ?? 0;
    this.skipsSlowLog = this.#flags.has('skip_slowlog');
    this.isPlain = !this.skipsSlowLog && command.secret === undefined;
    this.hasKeys = command.keys.specs.some((spec) => spec.notKey !== true);
    this.mayWait =
      command.route === 'oneShard' &&
      (this.#flags.has('blocking') || command.acrossShards !== undefined);
    this.awaitsReplies = command.route === 'onMain' && command.sessionOnly !== true;
    this.otherKeys = command.route === 'oneShard' ? command.otherKeys : undefined;
    this.script = command.route === 'oneShard' ? command.script : undefined;
    this.looksAtFirstOnly = container === undefined && looksAtFirstOnly(command);
    this.isOpaque = command.route === 'container' && command.opaque === true;
    this.container = container;
    this.#keyStride = command.route === 'byKey' ? command.keyStride : 1;
    if (command.name === container?.name) {
      container.bare = this;
    } else if (container !== undefined) {
      container.#subcommands.set(command.name.slice(command.name.indexOf('|') + 1), this);
      container.#subcommandList.push(this);
    }
    this.countedAs = this.isHidden ? container!.id : id;
  }

  has(flag: Flag): boolean {
    return this.#flags.has(flag);
  }

  /** Indexes of the arguments that are never logged. */
  secretsOf(args: Arguments): readonly number[] {
    const { secret } = this.command;
    if (secret === undefined) return NO_SECRETS;
    if (secret !== 'all') return secret(args);
    return indexesFrom(this.container === undefined ? 1 : 2, args.count);
  }

  get subcommands(): readonly CommandEntry[] {
    return this.#subcommandList;
  }

  /** Subcommands that COMMAND reports. */
  get shownSubcommands(): readonly CommandEntry[] {
    return this.isOpaque ? [] : this.subcommands;
  }

  /** Clients know the command only as part of its container. */
  get isHidden(): boolean {
    const { container } = this;
    return container !== undefined && (container.isOpaque || container.bare === this);
  }

  /** The name clients know it by, in lower case: a hidden one by that of its container. */
  get knownName(): string {
    return this.isHidden ? this.container!.lowerName : this.lowerName;
  }

  /** The subcommand a client named, in any case. */
  subcommand(bytes: Bytes, at: number, length: number): CommandEntry | undefined {
    return this.#subcommands.get(latin1(bytes, at, length).toUpperCase());
  }

  /**
   * True when a call with `count` arguments (the names included) is acceptable. The arguments that belong to a key must
   * be whole, or the parts of a split command could not be.
   */
  admits(count: number): boolean {
    if (this.#keyStride > 1 && (count - 1) % this.#keyStride !== 0) return false;
    return this.hasArity(count);
  }

  /** True when the arity allows `count` arguments. */
  hasArity(count: number): boolean {
    if (this.arity < 0 || this.command.admitsMore === true) return count >= Math.abs(this.arity);
    return count === this.arity;
  }

  /** Returns the error to answer when `admits` says no. */
  wrongArguments(args: Arguments): CommandError {
    const { container } = this;
    if (container?.isOpaque !== true) return errors.wrongArguments(this.lowerName);
    return errors.subcommandSyntax(args.latin1(1), container.name);
  }

  /** Returns the error to answer when a container has no such subcommand. */
  unknownSubcommand(name: string): CommandError {
    const { name: container } = this.command;
    return this.isOpaque
      ? errors.subcommandSyntax(name, container)
      : errors.unknownSubcommand(name, container);
  }
}
