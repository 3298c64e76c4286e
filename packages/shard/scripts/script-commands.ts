/**
 * `redis.call` and `redis.pcall`: commands that a script calls. They run here where their keys are here; what is main's or
 * other shards' matter is main's to run.
 */

import { type Bytes, type Clock, type CommandError, errors, keyName } from '#base';
import { type Arguments, type CommandEntry, commandTable, findKeys, scriptErrors } from '#commands';
import { type LuaEngine, LuaType, type LuaVm } from '#lua';
import { AT, countError, type Page } from '#stats';
import { frameBytes, Request, RequestFlag, ScriptRequest, type ScriptControl } from '#link';
import type { ShardUsers } from '../access/shard-users.ts';
import type { ServedSlots } from '../cluster/served-slots.ts';
import type { ExecutionContext } from '../execution/context.ts';
import type { Executor } from '../execution/executor.ts';
import type { ReplySender } from '../frames/reply-sender.ts';
import type { KeyLocks } from '../multi-shard/key-locks.ts';
import { CalledFrame } from './called-frame.ts';
import { localCommand } from './local-commands.ts';
import type { MainRequests } from './main-requests.ts';
import { numberText } from './number-text.ts';
import type { ShardRequests } from './shard-requests.ts';
import type { ScriptRun } from './script-run.ts';

/** Answered where a script that was taken to stay on its keys does not: the server's fault, and no harm to the data. */
const elsewhere = 'Script touches a key of another shard, though its text did not show it';

/** Offset of a string's bytes in its object. */
const STRING_BYTES = 16;

interface ScriptCommandsOptions {
  readonly executor: Executor;
  readonly users: ShardUsers;
  readonly context: ExecutionContext;
  readonly sender: ReplySender;
  readonly keyLocks: KeyLocks;
  readonly control: ScriptControl;
  readonly mainRequests: MainRequests;
  readonly shardRequests: ShardRequests | undefined;
  readonly servedSlots: ServedSlots;
  readonly page: Page;
  readonly clock: Clock;
}

export class ScriptCommands {
  /** True when scripts may call commands that refuse them. */
  mayCallAll = false;
  /** True while main wants to see what is called: a client monitors, or tracks keys. */
  areWatched = false;
  /** Current run. */
  run: ScriptRun | undefined;
  readonly #options: ScriptCommandsOptions;
  readonly #frame = new CalledFrame();
  readonly #numbers: string[] = [];

  constructor(options: ScriptCommandsOptions) {
    this.#options = options;
  }

  /** Implements `redis.call`, where an error ends the script, and `redis.pcall`, which returns it. */
  call(engine: LuaEngine, L: number, raises: boolean): number {
    const { vm } = engine;
    const fault = this.#read(L, vm);
    const entry = fault ?? this.#find();
    const refusal = typeof entry === 'string' ? entry : this.#refusal(entry);
    if (typeof entry === 'string' || refusal !== undefined) {
      engine.errors.push(L, refusal ?? '');
      if (fault === undefined) {
        // It is counted where commands are.
        vm.api.lua_pushboolean(L, 1);
        vm.setField(L, 'ignore_error_stats_update');
        countError(this.#options.page, scriptErrors.raised(refusal ?? ''));
        if (typeof entry !== 'string') this.#options.page.rejected(entry.countedAs);
      }
      if (raises) vm.raise(L);
      return 1;
    }
    const isError = this.#run(L, engine, entry);
    // Commands take longer than instructions, by the count of which a script is interrupted.
    if (this.#options.control.mustStop) vm.interruptSoon(L);
    if (isError && raises) vm.raise(L);
    return 1;
  }

  /** `redis.acl_check_cmd`: true when the script's client may run the command; undefined when there is none such. */
  mayRun(engine: LuaEngine, L: number): boolean | undefined {
    if (this.#read(L, engine.vm) !== undefined) return undefined;
    const entry = this.#named();
    if (entry === undefined) return undefined;
    return this.#options.users.allows(this.run!.connection, entry, this.#argumentsOf(entry));
  }

  /** `redis.setresp`. */
  setProtocol(protocol: 2 | 3): void {
    this.run!.protocol = protocol;
  }

  /** Writes the arguments to the frame; returns an error text if they are invalid. */
  #read(L: number, vm: LuaVm): string | undefined {
    const count = vm.count(L);
    if (count === 0) return 'Please specify at least one argument for this redis lib call';
    let total = 0;
    this.#numbers.length = 0;
    for (let nth = 1; nth <= count; nth += 1) {
      const value = vm.argument(L, nth);
      const type = vm.typeAt(value);
      if (type === LuaType.String) {
        total += vm.lengthOf(vm.objectAt(value));
      } else if (type === LuaType.Number) {
        const text = numberText(vm.numberAt(value));
        this.#numbers.push(text);
        total += text.length;
      } else {
        return 'Lua redis lib command arguments must be strings or integers';
      }
    }
    const frame = this.#frame;
    frame.begin(count, total);
    let number = 0;
    for (let nth = 1; nth <= count; nth += 1) {
      const value = vm.argument(L, nth);
      if (vm.typeAt(value) === LuaType.Number) {
        frame.addText(this.#numbers[number]!);
        number += 1;
        continue;
      }
      const object = vm.objectAt(value);
      frame.add(vm.bytes, object + STRING_BYTES, vm.lengthOf(object));
    }
    return undefined;
  }

  /** Command of the frame; the container if there is no subcommand. */
  #named(): CommandEntry | undefined {
    const { bytes, bodyAt, count, words } = this.#frame;
    const span = Request.spans;
    const top = commandTable.find(bytes, bodyAt + words[span]!, words[span + 1]!);
    if (top?.route !== 'container') return top;
    if (count === 1) return top.bare ?? top;
    return top.subcommand(bytes, bodyAt + words[span + 2]!, words[span + 3]!);
  }

  /** Command of the frame, or an error text. */
  #find(): CommandEntry | string {
    const { count } = this.#frame;
    const entry = this.#named();
    if (entry === undefined) return 'Unknown Redis command called from script';
    if (entry.route === 'container')
      return 'Wrong number of args calling Redis command from script';
    if (!entry.hasArity(count)) return 'Wrong number of args calling Redis command from script';
    return entry;
  }

  /** Says why the script may not call the command; notes that it writes where it does. */
  #refusal(entry: CommandEntry): string | undefined {
    const run = this.run!;
    if (entry.has('noscript') && !this.mayCallAll)
      return 'This Redis command is not allowed from script';
    if (run.isStale && !entry.has('stale')) return 'Can not execute the command on a stale replica';
    const denial = this.#denialOf(entry);
    if (denial !== undefined) return denial;
    if (run.isReadOnly && entry.mayChange) {
      return 'Write commands are not allowed from read-only scripts.';
    }
    if (!run.isExclusive && entry.route === 'everyShard') return elsewhere;
    const error = entry.isWrite ? writeError(run, entry) : undefined;
    if (error !== undefined) return asRaised(error);
    const refusal = this.#slotRefusal(entry);
    if (refusal !== undefined) return refusal;
    return entry.isWrite ? this.#beginWrite(entry) : undefined;
  }

  /** Says why the command's keys are not to be used by this script on this node of a cluster. */
  #slotRefusal(entry: CommandEntry): string | undefined {
    const { servedSlots, context } = this.#options;
    if (!servedSlots.isOn) return undefined;
    return servedSlots.refusalOf(entry, this.#argumentsOf(entry), this.run!, context);
  }

  /** Records that the script writes; returns an error text if it may not. */
  #beginWrite(entry: CommandEntry): string | undefined {
    const run = this.run!;
    if (!run.hasWritten) {
      // Stopped before it has written: the hook ends it with the next instruction.
      if (!this.#options.control.write()) return 'Script killed by user with SCRIPT KILL...';
      run.hasWritten = true;
    }
    // Of a key and what belongs to it a part is missing.
    if (!entry.admits(this.#frame.count)) return asRaised(errors.wrongArguments(entry.lowerName));
    return undefined;
  }

  /** Says why the script's client may not call the command. */
  #denialOf(entry: CommandEntry): string | undefined {
    const { users } = this.#options;
    const { connection } = this.run!;
    if (!users.isRestricted(connection)) return undefined;
    const denial = users.denialOf(connection, entry, this.#argumentsOf(entry), 'lua');
    return denial === undefined ? undefined : asRaised(scriptErrors.denied(denial));
  }

  /** Arguments of the command that the frame has. */
  #argumentsOf(entry: CommandEntry): Arguments {
    this.#complete(entry);
    const { executor } = this.#options;
    executor.point(this.#frame.frame);
    return executor.args;
  }

  #complete(entry: CommandEntry): void {
    const run = this.run!;
    this.#frame.end({
      command: entry.id,
      flags: run.flags | (run.protocol === 3 ? RequestFlag.resp3 : 0),
      database: run.database,
      connection: run.connection,
      sequence: run.sequence,
    });
  }

  /** Runs the command and pushes its reply; true when that is an error. */
  #run(L: number, engine: LuaEngine, entry: CommandEntry): boolean {
    const { executor } = this.#options;
    const run = this.run!;
    this.#complete(entry);
    run.calls += 1;
    if (this.areWatched) this.#options.mainRequests.notify(ScriptRequest.called, this.#bytes);
    if ((run.flags & RequestFlag.traced) === 0) return this.#runFrame(L, engine, entry);
    const sinceUs = this.#options.clock.nowUs();
    const isError = this.#runFrame(L, engine, entry);
    executor.traced.called(entry.id, sinceUs);
    return isError;
  }

  /** Runs the command that the frame has, here or on main. */
  #runFrame(L: number, engine: LuaEngine, entry: CommandEntry): boolean {
    const { executor, sender, context } = this.#options;
    const { frame } = this.#frame;
    const run = this.run!;
    if (entry.route === 'onMain') {
      executor.point(frame);
      const { length } = context.store.databases;
      const isLocal = localCommand(entry, executor.args, run, sender.writer, length);
      if (!isLocal) return this.#askMain(L, engine, entry);
      executor.answeredHere(entry);
      return this.#push(L, engine);
    }
    if (entry.route === 'everyShard') return this.#askMain(L, engine, entry);
    executor.point(frame);
    if (!this.#isHere(entry, executor.args)) {
      if (run.isExclusive) return this.#askElsewhere(L, engine, entry);
      engine.errors.push(L, elsewhere);
      return true;
    }
    executor.runCalled(frame);
    return this.#push(L, engine);
  }

  /** True when all keys of the command are here, or come here: they are waited for while others have them. */
  #isHere(entry: CommandEntry, args: Arguments): boolean {
    const { context, keyLocks, mainRequests } = this.#options;
    if (context.shardCount > 1) {
      const isElsewhere = entry.otherKeys?.areNamed(args) === true || !this.#areOwn(entry, args);
      if (isElsewhere) return false;
    }
    if (!keyLocks.isUnderWay) return true;
    const { database } = this.run!;
    const names = (findKeys(entry.command.keys, args) ?? []).map(({ index }) =>
      keyName(database, args.source, args.at(index), args.length(index)),
    );
    const isFree = (): boolean => !names.some((name) => keyLocks.isKept(name));
    if (isFree()) return true;
    mainRequests.wait(isFree);
    this.#options.executor.point(this.#frame.frame);
    return true;
  }

  /** True when all keys of the command belong to this shard. */
  #areOwn(entry: CommandEntry, args: Arguments): boolean {
    const { context } = this.#options;
    const { source } = args;
    if (entry.firstArgumentIsKey) return context.isOwn(source, args.at(1), args.length(1));
    const found = findKeys(entry.command.keys, args) ?? [];
    return found.every(({ index }) => context.isOwn(source, args.at(index), args.length(index)));
  }

  /** Runs a command on the shard that has all its keys, or else through main. */
  #askElsewhere(L: number, engine: LuaEngine, entry: CommandEntry): boolean {
    const { shardRequests } = this.#options;
    const owner = shardRequests === undefined ? -1 : this.#ownerOf(entry);
    if (shardRequests === undefined || owner < 0) return this.#askMain(L, engine, entry);
    const reply = this.#away(entry, () => shardRequests.request(owner, this.#bytes));
    if (reply === undefined) return this.#askMain(L, engine, entry);
    return engine.pushReply(L, reply, 0, reply.length);
  }

  /** Returns the other shard that has all keys of the command and is stopped for this script; -1 if there is none. */
  #ownerOf(entry: CommandEntry): number {
    const { context, executor } = this.#options;
    const { args } = executor;
    if (!this.run!.hasBarrier || entry.otherKeys?.areNamed(args) === true) return -1;
    const { source } = args;
    const owners = (findKeys(entry.command.keys, args) ?? []).map(({ index }) =>
      context.ownerOf(source, args.at(index), args.length(index)),
    );
    const [owner = -1, ...others] = owners;
    return others.every((other) => other === owner) ? owner : -1;
  }

  #askMain(L: number, engine: LuaEngine, entry: CommandEntry): boolean {
    const { mainRequests } = this.#options;
    const reply = this.#away(entry, () => mainRequests.request(ScriptRequest.command, this.#bytes));
    this.#options.page.values[AT.scriptAsks]! += 1;
    this.run!.callsOnMain += 1;
    return engine.pushReply(L, reply, 0, reply.length);
  }

  /** Performs work for which the shard is stopped: time is frozen for the script, on all shards if it runs alone. */
  #away<Result>(entry: CommandEntry, act: () => Result): Result {
    const { context, shardRequests } = this.#options;
    const { nowMs } = context;
    // Noted first: it may be half done when it fails.
    if (entry.route !== 'onMain' && entry.mayChange) this.run!.hasWrittenElsewhere = true;
    if (this.run!.hasBarrier) shardRequests?.holdTime(nowMs);
    context.turn.time.hold(() => nowMs);
    try {
      return act();
    } finally {
      context.turn.time.hold(undefined);
      context.turn.time.set(nowMs);
    }
  }

  /** Bytes of the current frame. */
  get #bytes(): Bytes {
    const { bytes, words } = this.#frame;
    return bytes.subarray(0, frameBytes(words[Request.bytes]!));
  }

  /** Pushes the reply that the writer has, and forgets it. */
  #push(L: number, engine: LuaEngine): boolean {
    const { sender } = this.#options;
    const { bytes, at, length } = sender.replyBehindMark();
    const isError = engine.pushReply(L, bytes, at, length);
    sender.rewind();
    return isError;
  }

  /** Gives long memory back. */
  letGo(): void {
    this.#frame.letGo();
  }
}

/** Error with its code, as scripts raise it. */
function asRaised({ text }: CommandError): string {
  return `-${text}`;
}

/** Returns why a command may not write now; a script that has written may continue to, except on a replica. */
function writeError(run: ScriptRun, entry: CommandEntry): CommandError | undefined {
  if (run.isOnReplica) return errors.readOnlyReplica;
  if (run.hasWritten) return undefined;
  if (run.lacksReplicas) return errors.noReplicas;
  return entry.deniesOom && run.isOutOfMemory ? errors.outOfMemory : undefined;
}
