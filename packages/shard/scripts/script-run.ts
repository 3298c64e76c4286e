/** Run of a script: what its calls need to know of it, what it may do, and errors for one that may not be run. */

import { type CommandError, errors, keySlot } from '#base';
import { type Arguments, type ScriptCall, scriptErrors, type ScriptFlagName } from '#commands';
import { LuaEngineError } from '#lua';
import { Request, RequestFlag } from '#link';
import type { ExecutionContext } from '../execution/context.ts';
import type { Frame } from '../frames/frame.ts';

export interface ScriptRun {
  /** The script's digest, or the function's name. */
  readonly name: string;
  readonly isFunction: boolean;
  /** Commands that write are refused. */
  readonly isReadOnly: boolean;
  /** True when the other shards are stopped for the script, so that it may access their keys. */
  readonly isExclusive: boolean;
  /**
   * True when they are stopped for the script itself, not for a transaction around it: the end of the script then
   * ends its changes in their logs.
   */
  readonly hasBarrier: boolean;
  readonly isInCluster: boolean;
  /** Slot of the keys that it has declared, -1 without any or in no cluster. */
  readonly declaredSlot: number;
  /** Slot of the keys that it has used, which has to be one; -1 before the first. */
  slot: number;
  readonly mayCrossSlots: boolean;
  /** The server is a replica, where only what its primary sends may write. */
  readonly isOnReplica: boolean;
  /** A primary had fewer good replicas than writes need when the script began. */
  readonly lacksReplicas: boolean;
  /** The data may be old, and only commands that allow for that are to run. */
  readonly isStale: boolean;
  /** Memory was over its limit, with nothing to evict, when the script began. */
  readonly isOutOfMemory: boolean;
  /** Slot of the client's connection, and the sequence of its command. */
  readonly connection: number;
  readonly sequence: number;
  /** Bits of RequestFlag that its calls inherit. */
  readonly flags: number;
  /** Unix microseconds of the first TIME, which all others of the script answer too. */
  unixUs: number | undefined;
  /** The database that its calls are in; SELECT changes it. */
  database: number;
  /** The protocol in which it gets replies; `redis.setresp` changes it. */
  protocol: 2 | 3;
  hasWritten: boolean;
  /** True if it has written on other shards, whose logs must end these changes together. */
  hasWrittenElsewhere: boolean;
  /** Commands that it has called, and those among them that main had to run. */
  calls: number;
  callsOnMain: number;
}

interface ScriptFlags {
  /** Undefined for scripts without a shebang. */
  readonly flags: ReadonlySet<ScriptFlagName> | undefined;
}

const NUMKEYS_INDEX = 2;
export const KEYS_INDEX = 3;

/** State of the server that limits what a script may do. */
export interface ScriptLimits {
  readonly isOutOfMemory: boolean;
  readonly isOnReplica: boolean;
  readonly lacksReplicas: boolean;
  readonly isStale: boolean;
  readonly slots: ScriptSlots;
}

type ScriptSlots = Pick<ScriptRun, 'isInCluster' | 'declaredSlot' | 'slot' | 'mayCrossSlots'>;

/** Slots of a script where the server is in no cluster. */
export const NO_SLOTS: ScriptSlots = {
  isInCluster: false,
  declaredSlot: -1,
  slot: -1,
  mayCrossSlots: true,
};

/** Number of keys that a command names; throws as Redis does. */
export function keyCountOf(args: Arguments, notInteger: CommandError): number {
  const count = args.roundedAt(NUMKEYS_INDEX, notInteger);
  if (count > args.count - KEYS_INDEX) throw errors.tooManyKeys;
  if (count < 0) throw errors.negativeKeyCount;
  return count;
}

/** Slots of a script's keys as it begins; main has seen to it that all that it declares are of one. */
export function scriptSlots(
  args: Arguments,
  keyCount: number,
  flags: ReadonlySet<ScriptFlagName> | undefined,
): ScriptSlots {
  const declaredSlot =
    keyCount === 0 ? -1 : keySlot(args.source, args.at(KEYS_INDEX), args.length(KEYS_INDEX));
  const mayCrossSlots = flags?.has('allow-cross-slot-keys') ?? true;
  return { isInCluster: true, declaredSlot, slot: declaredSlot, mayCrossSlots };
}

/** Command that asks for a script, and what the run needs. */
interface RunPlace {
  /** The command that runs it. */
  readonly request: Pick<Frame, 'words' | 'word'>;
  readonly context: Pick<ExecutionContext, 'connection' | 'database'>;
  readonly isExclusive: boolean;
}

/**
 * A run that begins. Each field by its name: objects that are spread into it would cost more than all else of a short
 * script.
 */
export function newRun(
  { name, isFunction, flags }: Pick<ScriptRun, 'name' | 'isFunction'> & ScriptFlags,
  call: ScriptCall,
  { isOutOfMemory, isOnReplica, lacksReplicas, isStale, slots }: ScriptLimits,
  { request: { words, word }, context, isExclusive }: RunPlace,
): ScriptRun {
  const kindWord = words[word + Request.kind]!;
  return {
    name,
    isFunction,
    isReadOnly: call.isReadOnly || flags?.has('no-writes') === true,
    isExclusive,
    hasBarrier: (kindWord & RequestFlag.exclusive) !== 0,
    isInCluster: slots.isInCluster,
    declaredSlot: slots.declaredSlot,
    slot: slots.slot,
    mayCrossSlots: slots.mayCrossSlots,
    isOnReplica,
    lacksReplicas,
    isStale,
    isOutOfMemory: isOutOfMemory && flags?.has('allow-oom') !== true,
    connection: context.connection,
    sequence: words[word + Request.sequence]!,
    flags: kindWord & (RequestFlag.noTouch | RequestFlag.traced),
    unixUs: undefined,
    database: context.database,
    protocol: 2,
    hasWritten: false,
    hasWrittenElsewhere: false,
    calls: 0,
    callsOnMain: 0,
  };
}

/** Throws where a script is not allowed now, by its flags. Without a shebang it has none, and its calls are judged. */
export function checkFlags(
  flags: ReadonlySet<ScriptFlagName> | undefined,
  { isReadOnly }: ScriptCall,
  { isOutOfMemory, isOnReplica, lacksReplicas, isStale, slots }: ScriptLimits,
): void {
  if (flags === undefined) {
    if (isStale) throw errors.primaryDown;
    return;
  }
  if (slots.isInCluster && flags.has('no-cluster')) throw scriptErrors.noCluster;
  if (isStale && !flags.has('allow-stale')) throw scriptErrors.stale;
  if (!flags.has('no-writes') && isReadOnly) throw errors.scriptMayWrite;
  if (!flags.has('no-writes') && isOnReplica) throw errors.scriptOnReplica;
  if (!flags.has('no-writes') && lacksReplicas) throw errors.noReplicas;
  if (isOutOfMemory && !flags.has('allow-oom') && !flags.has('no-writes')) {
    throw errors.scriptOutOfMemory;
  }
}

/** True for what a script can bring about: traps of the interpreter, and the end of V8's stack. */
export function isEngineFault(thrown: unknown): thrown is Error {
  if (thrown instanceof LuaEngineError || thrown instanceof RangeError) return true;
  return thrown instanceof Error && thrown.name === 'RuntimeError';
}
