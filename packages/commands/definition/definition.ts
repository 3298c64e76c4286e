/**
 * Definition of a command. One definition per command; everything said about commands anywhere is derived from it.
 *
 * The constructor names the route, which decides the context that the handler gets and whether parts must be merged.
 */

import type { Bytes } from '#base';
import type { Arguments } from '../arguments/arguments.ts';
import type { MainContext, ShardContext } from '../contexts/contexts.ts';
import type { Keys } from './keys.ts';
import type { Merge } from './merge.ts';

/** Redis' command flags, as COMMAND INFO spells them. */
export type Flag =
  | 'write'
  | 'readonly'
  | 'denyoom'
  | 'admin'
  | 'pubsub'
  | 'noscript'
  | 'blocking'
  | 'loading'
  | 'stale'
  | 'skip_monitor'
  | 'skip_slowlog'
  | 'asking'
  | 'fast'
  | 'no_auth'
  | 'may_replicate'
  | 'no_async_loading'
  | 'no_multi'
  | 'no_mandatory_keys'
  | 'allow_busy';

export type Group =
  | 'generic'
  | 'string'
  | 'list'
  | 'set'
  | 'sorted-set'
  | 'hash'
  | 'stream'
  | 'pubsub'
  | 'transactions'
  | 'connection'
  | 'server'
  | 'scripting'
  | 'hyperloglog'
  | 'cluster'
  | 'geo'
  | 'bitmap';

/** One argument, for COMMAND DOCS. */
export interface ArgumentDoc {
  name: string;
  type:
    | 'string'
    | 'integer'
    | 'double'
    | 'key'
    | 'pattern'
    | 'unix-time'
    | 'pure-token'
    | 'oneof'
    | 'block';
  /** The name that is shown, when another. */
  shown?: string;
  token?: string;
  since?: string;
  /** Version from which another form is preferred. */
  deprecatedSince?: string;
  optional?: boolean;
  multiple?: boolean;
  multipleToken?: boolean;
  /** Index of the key spec of the argument. Default: the position of the argument among the keys. */
  keySpec?: number;
  arguments?: readonly ArgumentDoc[];
}

/** Fields of every definition. */
export interface CommandHead {
  /** Upper case; a subcommand is `CONTAINER|NAME`. */
  name: string;
  /** One sentence, our own. */
  summary: string;
  since: string;
  complexity: string;
  group: Group;
  /** Redis' convention: counts the name (and a subcommand's); negative = at least. */
  arity: number;
  /** True for commands that accept words unknown to Redis beyond their arity. */
  admitsMore?: boolean;
  flags: readonly Flag[];
  keys: Keys;
  args: readonly ArgumentDoc[];
  /** ACL categories that do not follow from flags and group. */
  acl?: { add?: readonly string[]; drop?: readonly string[] };
  /** Redis' tips besides the policies, which follow from the route where they are not among these; none at all if empty. */
  tips?: readonly string[];
  deprecated?: { since: string; replacedBy: string };
  /** Version and change, in our words. */
  history?: readonly (readonly [version: string, change: string])[];
  /** Arguments that name channels: the first, or all; or patterns of them. Those of UNSUBSCRIBE need no permission. */
  channels?: 'first' | 'all' | 'patterns';
  /** Made for the server's own developers; COMMAND DOCS says `syscmd`. */
  isInternal?: boolean;
  /** Run only where the setting enable-debug-command allows it, as it disturbs the server or its data. */
  isProtected?: boolean;
  /** Arguments that hold secrets, which are never logged: `all` but the name, or chosen by the arguments. */
  secret?: 'all' | ((args: Arguments) => readonly number[]);
  /**
   * The argument that is added to the key whose spec says `insert`, where that is a set: a shard that lends a large one
   * lends no more of it than this.
   */
  inserts?: number;
  /** The argument that is the first field or member that it looks up in the value of its first key. */
  field?: number;
  /**
   * True for commands that read no values despite their key specs: only metadata of keys, or they move values as a
   * whole.
   */
  leavesValues?: true;
  /** The database that keys of spec `spec` are in, when not the client's (COPY ... DB). */
  databaseOf?: (spec: number, args: Arguments, selected: number) => number;
  /** Another database in which it touches the same keys (MOVE). */
  alsoIn?: (args: Arguments) => number;
}

/**
 * Part of a command in running scripts: it has the script's source, or its digest, as argument 1; the name of a function; or
 * the source of a script that is only kept, as argument 2.
 */
type ScriptRole = 'source' | 'digest' | 'function' | 'load';

export interface OneShardCommand extends CommandHead {
  route: 'oneShard';
  /** Part of the command in running scripts, if it has any. */
  script?: ScriptRole;
  /**
   * Treatment of keys on several shards: lent to one of them (the default); `first`, for a command that acts on the
   * first of its keys that exists: by finding out which shard has that one, and running it there; `each`, for one that
   * answers an item (RESP3: a map's) for each key: by running it on all of them.
   */
  acrossShards?: 'lend' | 'first' | 'each';
  /** True when these arguments of a command with the flag `blocking` ask to wait, where not all do (XREAD). */
  waits?(args: Arguments): boolean;
  /** Further keys that it reads, which depend on values of its keys (SORT BY). */
  otherKeys?: {
    /** True when the arguments ask for any such keys. */
    areNamed(args: Arguments): boolean;
    /** Returns them without side effects of the look-up; throws the errors of the command. */
    of(context: ShardContext, args: Arguments): readonly Bytes[];
  };
  run(context: ShardContext, args: Arguments): void;
}

export interface ByKeyCommand<Part> extends CommandHead {
  route: 'byKey';
  /** Number of arguments that belong to each key, the key included. */
  keyStride: number;
  /** Runs on the keys of one shard: all arguments from 1 on. */
  run(context: ShardContext, args: Arguments): Part;
  merge: Merge<Part>;
}

export interface EveryShardCommand<Part> extends CommandHead {
  route: 'everyShard';
  run(context: ShardContext, args: Arguments): Part;
  merge: Merge<Part>;
}

export interface OnMainCommand extends CommandHead {
  route: 'onMain';
  /**
   * Concerns nothing but its own connection: it is run though commands before it are still under way in shards. All
   * others see what those have done, and are seen by those behind.
   */
  sessionOnly?: true;
  /** True for a command with keys that accesses shards through its own port. */
  looksUpKeys?: true;
  /** The context holds every port of the family that declares the command. */
  run(context: MainContext, args: Arguments): void;
}

/** EXEC: the router runs what the client has queued. */
interface ExecCommand extends CommandHead {
  route: 'exec';
}

/** A command that is only a name for its subcommands. */
interface ContainerCommand extends CommandHead {
  route: 'container';
  /** COMMAND shows no subcommands, as Redis knows none here (DEBUG); they are one command to clients. */
  opaque?: boolean;
  /** Command that the name alone runs, where there is one (COMMAND). */
  bare?: OnMainCommand;
  subcommands: readonly Command[];
}

export type Command =
  | OneShardCommand
  // A list of definitions cannot name each one's part; `byKey` and `everyShard` have checked it.
  | ByKeyCommand<never>
  | EveryShardCommand<never>
  | OnMainCommand
  | ExecCommand
  | ContainerCommand;

export function oneShard(definition: Omit<OneShardCommand, 'route'>): OneShardCommand {
  return { ...definition, route: 'oneShard' };
}

export function byKey<Part>(
  definition: Omit<ByKeyCommand<Part>, 'route' | 'keyStride'> & { keyStride?: number },
): ByKeyCommand<never> {
  return { keyStride: 1, ...definition, route: 'byKey' } as unknown as ByKeyCommand<never>;
}

export function everyShard<Part>(
  definition: Omit<EveryShardCommand<Part>, 'route'>,
): EveryShardCommand<never> {
  return { ...definition, route: 'everyShard' } as unknown as EveryShardCommand<never>;
}

/** `Context` is the family's own: `MainContext` and the ports it declares. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- it types the handler where it is written
export function onMain<Context extends MainContext>(
  definition: Omit<OnMainCommand, 'route' | 'run'> & {
    run(context: Context, args: Arguments): void;
  },
): OnMainCommand {
  return { ...definition, route: 'onMain' };
}

export function exec(definition: Omit<ExecCommand, 'route'>): ExecCommand {
  return { ...definition, route: 'exec' };
}

export function container(
  definition: Omit<ContainerCommand, 'route' | 'keys' | 'args'>,
): ContainerCommand {
  return { keys: { specs: [] }, args: [], ...definition, route: 'container' };
}
