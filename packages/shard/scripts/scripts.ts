/**
 * Lua in a shard: scripts by their digests, and libraries of functions. The engine is made when the first of them comes, and
 * thrown away when its memory has grown or when something has broken it; then all is compiled again as it is needed.
 */

import {
  asBuffer,
  assert,
  type Bytes,
  type Clock,
  CommandError,
  errors,
  NamedDigests,
  SourceDigests,
} from '#base';
import {
  type Arguments,
  type LibraryDetails,
  type RestorePolicy,
  type ScriptCall,
  scriptErrors,
  type ScriptFlagName,
  scriptShebang,
  type ShardScripts,
  type ShardSettings,
} from '#commands';
import { LuaEngine, type ScriptError } from '#lua';
import { ScriptRequest, type ScriptControl } from '#link';
import { AT, countError, type Page } from '#stats';
import type { ShardUsers } from '../access/shard-users.ts';
import type { ServedSlots } from '../cluster/served-slots.ts';
import type { ExecutionContext } from '../execution/context.ts';
import type { Executor } from '../execution/executor.ts';
import type { ReplySender } from '../frames/reply-sender.ts';
import type { KeyLocks } from '../multi-shard/key-locks.ts';
import { ArgumentRange } from './argument-range.ts';
import { countLuaMemory } from './lua-memory.ts';
import { Libraries, type LoadedFunction } from './libraries.ts';
import type { MainRequests } from './main-requests.ts';
import { ScriptCommands } from './script-commands.ts';
import { runningFunctions } from './script-functions.ts';
import type { ShardRequests } from './shard-requests.ts';
import {
  checkFlags,
  isEngineFault,
  KEYS_INDEX,
  keyCountOf,
  newRun,
  NO_SLOTS,
  scriptSlots,
  type ScriptLimits,
  type ScriptRun,
} from './script-run.ts';
import { ScriptStats, type ScriptCounts } from './script-stats.ts';

const CHUNK_NAME = '@user_script';
const DIGEST_LENGTH = 40;
/** Memory in bytes beyond which an engine is discarded after its script. */
const ENGINE_BYTES_KEPT = 48 * 1024 * 1024;
const KILLED = 'Script killed by user with SCRIPT KILL...';

interface ScriptsOptions {
  readonly executor: Executor;
  readonly users: ShardUsers;
  readonly context: ExecutionContext;
  readonly sender: ReplySender;
  readonly keyLocks: KeyLocks;
  readonly control: ScriptControl;
  /** Position in the ring after the current frame. */
  placeBehind(): number;
  readonly mainRequests: MainRequests;
  /** Undefined where scripts reach other shards by way of main only. */
  readonly shardRequests: ShardRequests | undefined;
  readonly servedSlots: ServedSlots;
  readonly page: Page;
  readonly clock: Clock;
  /** Memory is over its limit, and nothing can be evicted. */
  isOutOfMemory(): boolean;
  /** The server is a replica, and the client in that slot may not write. */
  refusesWrites(slot: number): boolean;
  /** A primary has fewer good replicas than writes need. */
  lacksReplicas(): boolean;
  /** The data of a replica may be old, and are not to be seen then. */
  isStale(): boolean;
}

/** Script or function that can be run. */
interface Runnable {
  /** The script's digest, or the function's name. */
  readonly name: string;
  readonly isFunction: boolean;
  /** Name by which its runs are counted: with the library, for a function. */
  readonly fullName: string;
  readonly sourceBytes: number;
  /** Reference in the engine. */
  readonly ref: number;
  /** Undefined for scripts without a shebang. */
  readonly flags: ReadonlySet<ScriptFlagName> | undefined;
}

/** Run whose reply is to be written. */
interface EndedRun {
  readonly runnable: Runnable;
  readonly run: ScriptRun;
  readonly error: ScriptError | undefined;
  readonly counts: ScriptCounts;
}

export class Scripts implements ShardScripts {
  readonly stats = new ScriptStats();
  readonly #options: ScriptsOptions;
  readonly #commands: ScriptCommands;
  readonly #libraries: Libraries;
  readonly #sources = new Map<string, Bytes>();
  readonly #digests = new SourceDigests();
  readonly #named = new NamedDigests();
  readonly #compiled = new Map<string, Runnable>();
  #engine: LuaEngine | undefined;
  /** Takes the reply of a script. */
  readonly #sink = {
    append: (bytes: Uint8Array, at: number, length: number): void => {
      this.#options.context.reply.raw(bytes, at, length);
    },
    failed: (message: string, isCounted: boolean): void => {
      this.#countError(message, isCounted);
    },
  };

  constructor(options: ScriptsOptions) {
    this.#options = options;
    this.#commands = new ScriptCommands(options);
    this.#libraries = new Libraries({
      engine: () => this.#theEngine(),
      log: (level, message) => {
        this.#log(level, message);
      },
      counted: (libraries, functions, bytes) => {
        options.page.values[AT.libraries] = libraries;
        options.page.values[AT.functions] = functions;
        options.page.values[AT.libraryBytes] = bytes;
      },
    });
  }

  get mayCallAll(): boolean {
    return this.#commands.mayCallAll;
  }

  set mayCallAll(value: boolean) {
    this.#commands.mayCallAll = value;
  }

  /** True while main wants to see the commands that scripts call. */
  set areCallsWatched(value: boolean) {
    this.#commands.areWatched = value;
  }

  // Scripts.

  /** Main has sent the source of a script that is to be run by its digest. */
  learnFrom(message: Bytes): void {
    const digest = asBuffer(message).toString('latin1', 0, DIGEST_LENGTH);
    this.#sources.set(digest, message.subarray(DIGEST_LENGTH));
  }

  /** Forgets one script, or all. */
  forget(digest: string | null): void {
    if (digest !== null) {
      this.#sources.delete(digest);
      this.#release(digest);
      return;
    }
    this.#sources.clear();
    this.#digests.clear();
    // The libraries are loaded into a new engine when they are needed.
    this.#dropEngine();
  }

  eval(args: Arguments, call: ScriptCall): void {
    if (call.isNamed && args.length(1) !== DIGEST_LENGTH) throw errors.noScript;
    const keyCount = keyCountOf(args, errors.notInteger);
    const digest = call.isNamed ? this.#namedIn(args) : this.#keepSource(args, 1);
    const script = this.#find(digest, call.isNamed);
    this.#run(script, args, keyCount, call);
  }

  load(args: Arguments, index: number): string {
    const digest = this.#keepSource(args, index);
    this.#find(digest, false);
    return digest;
  }

  #namedIn(args: Arguments): string {
    const digest = this.#named.of(args.source, args.at(1), args.length(1));
    if (digest === undefined) throw errors.noScript;
    return digest;
  }

  #keepSource(args: Arguments, index: number): string {
    const at = args.at(index);
    const length = args.length(index);
    const digest = this.#digests.of(args.source, at, length);
    if (!this.#sources.has(digest)) {
      this.#sources.set(digest, Uint8Array.from(args.source.subarray(at, at + length)));
    }
    return digest;
  }

  /** A script, compiled; throws a CommandError. */
  #find(digest: string, isNamed: boolean): Runnable {
    const compiled = this.#compiled.get(digest);
    if (compiled !== undefined) return compiled;
    const source = this.#sources.get(digest);
    if (source === undefined) throw errors.noScript;
    try {
      return this.#compile(digest, source);
    } catch (error) {
      // What does not compile is not known.
      this.#sources.delete(digest);
      this.#options.mainRequests.notify(ScriptRequest.forget, Buffer.from(digest, 'latin1'));
      throw isNamed && error instanceof CommandError ? errors.noScript : error;
    }
  }

  #compile(digest: string, source: Bytes): Runnable {
    assert(digest.length === DIGEST_LENGTH, 'a digest has 40 digits');
    const { flags, length } = scriptShebang(asBuffer(source).toString('latin1'));
    const engine = this.#theEngine();
    const ref = engine.eval.compile(source.subarray(length), CHUNK_NAME);
    if (typeof ref === 'string') {
      throw scriptErrors.notCompiled(ref);
    }
    const compiled = {
      name: digest,
      isFunction: false,
      fullName: digest,
      sourceBytes: source.length,
      ref,
      flags,
    };
    this.#compiled.set(digest, compiled);
    this.#countMemory();
    return compiled;
  }

  #release(digest: string): void {
    const compiled = this.#compiled.get(digest);
    this.#compiled.delete(digest);
    if (compiled !== undefined) this.#engine?.eval.release(compiled.ref);
  }

  // Libraries.

  call(args: Arguments, call: ScriptCall): void {
    const found = this.#libraries.functionOf(args.latin1(1));
    if (found === undefined) throw scriptErrors.noFunction;
    const keyCount = keyCountOf(args, scriptErrors.badKeyCount);
    this.#run(asRunnable(found), args, keyCount, call);
  }

  loadLibrary(code: string, replaces: boolean): string {
    try {
      return this.#libraries.load(code, replaces);
    } finally {
      this.#countMemory();
    }
  }

  deleteLibrary(name: string): boolean {
    return this.#libraries.delete(name);
  }

  /** Removes all libraries and their state in Lua: the next one gets a new engine. */
  flushLibraries(): void {
    this.#libraries.flush();
    if (this.#commands.run === undefined) this.#dropEngine();
  }

  restoreLibraries(codes: readonly string[], policy: RestorePolicy): void {
    try {
      this.#libraries.restore(codes, policy);
    } finally {
      this.#countMemory();
    }
  }

  get libraries(): readonly LibraryDetails[] {
    return this.#libraries.all;
  }

  get readOnlyFunctions(): readonly string[] {
    return this.#libraries.readOnlyNames;
  }

  get statelessFunctions(): readonly string[] {
    return this.#libraries.statelessNames;
  }

  #log(level: number, message: string): void {
    const line = Buffer.concat([Buffer.from([level]), Buffer.from(message, 'latin1')]);
    this.#options.mainRequests.notify(ScriptRequest.log, line);
  }

  // Runs.

  #run(runnable: Runnable, args: Arguments, keyCount: number, call: ScriptCall): void {
    const { executor, page, control, context, clock, servedSlots } = this.#options;
    const limits: ScriptLimits = {
      isOutOfMemory: this.#options.isOutOfMemory(),
      isOnReplica: this.#options.refusesWrites(context.connection),
      lacksReplicas: this.#options.lacksReplicas(),
      isStale: this.#options.isStale(),
      slots: servedSlots.isOn ? scriptSlots(args, keyCount, runnable.flags) : NO_SLOTS,
    };
    checkFlags(runnable.flags, call, limits);
    const { pointed, pointedSpans } = executor;
    assert(pointed !== undefined, 'a command is at hand');
    const { protocol } = context.reply;
    const isExclusive = context.shardCount === 1 || this.#options.keyLocks.isStopped;
    const run = newRun(runnable, call, limits, { request: pointed, context, isExclusive });
    const keys = new ArgumentRange(args, KEYS_INDEX, keyCount);
    const rest = new ArgumentRange(args, KEYS_INDEX + keyCount, args.count - KEYS_INDEX - keyCount);
    const engine = this.#theEngine();
    const { values } = page;
    const counts = this.stats.of(runnable);
    const startUs = executor.nowUs;
    control.begin(runnable.isFunction, this.#options.placeBehind());
    values[AT.scriptSinceUs] = executor.nowUs;
    values[AT.scriptLine] = 0;
    this.#commands.run = run;
    let error: ScriptError | undefined;
    try {
      error = runnable.isFunction
        ? engine.runFunction(runnable.ref, keys, rest)
        : engine.runScript(runnable.ref, keys, rest);
    } catch (thrown) {
      this.#failed(counts, false);
      this.#broken(thrown);
    } finally {
      this.#commands.run = undefined;
      executor.point(pointed, pointedSpans);
      context.reply.protocol = protocol;
      values[AT.scriptSinceUs] = 0;
      control.end();
      values[AT.scriptRuns]! += 1;
      values[AT.scriptCalls]! += run.calls;
      const us = clock.nowUs() - startUs;
      values[AT.scriptUs]! += us;
      counts.ended(run, keyCount, us);
      this.#countMemory();
    }
    this.#answer(engine, { runnable, run, error, counts });
  }

  #answer(engine: LuaEngine, { runnable, run, error, counts }: EndedRun): void {
    const { name, isFunction } = runnable;
    const { reply } = this.#options.context;
    const environment = isFunction ? engine.functions : engine.eval;
    try {
      reply.errorText = null;
      if (error === undefined) {
        engine.writeReply(environment.L, this.#sink, {
          client: reply.protocol,
          script: run.protocol,
        });
      } else {
        engine.writeError(this.#sink, error, name);
        this.#failed(counts, error.message.endsWith(KILLED));
      }
    } catch (thrown) {
      this.#broken(thrown);
    }
    engine.finish(environment);
    this.#commands.letGo();
    if (run.hasWrittenElsewhere) this.#options.mainRequests.finish(run.hasBarrier);
    if (engine.memoryBytes > ENGINE_BYTES_KEPT) this.#dropEngine();
  }

  /** Counts an error in a reply: the executor counts one, by `errorText`, and a command's own has been counted. */
  #countError(message: string, isCounted: boolean): void {
    const { context, page, executor } = this.#options;
    const { reply } = context;
    if (isCounted) page.failed(executor.entryOf(executor.pointed!).countedAs);
    else if (reply.errorText === null) reply.errorText = message;
    else countError(page, message);
  }

  /** Counts the error by which a run has ended. */
  #failed(counts: ScriptCounts, isKilled: boolean): void {
    const { values } = this.#options.page;
    values[AT.scriptErrors]! += 1;
    if (isKilled) values[AT.scriptsKilled]! += 1;
    counts.failed(isKilled);
  }

  /** The engine is not to be trusted any more: the script has failed, and the next one gets a new engine. */
  #broken(thrown: unknown): never {
    this.#dropEngine();
    if (isEngineFault(thrown)) throw scriptErrors.broken(thrown.message);
    throw thrown;
  }

  #dropEngine(): void {
    this.#engine = undefined;
    this.#countMemory();
    this.#compiled.clear();
    this.#libraries.unload();
  }

  #countMemory(): void {
    countLuaMemory(this.#options.page, this.#engine);
  }

  /** Holds for a script that runs too: memory that it has it keeps. */
  apply(settings: ShardSettings): void {
    if (this.#engine === undefined) return;
    this.#engine.vm.memoryLimitBytes = settings.number('scripting.memory-limit');
  }

  #theEngine(): LuaEngine {
    this.#engine ??= this.#newEngine();
    return this.#engine;
  }

  #newEngine(): LuaEngine {
    const { control, context } = this.#options;
    const redisVersion = context.settings.string('server.reported-redis-version');
    const [major = 0, minor = 0, patch = 0] = redisVersion.split('.').map(Number);
    // The functions are made before the engine is, and called after.
    const engine: LuaEngine = new LuaEngine({
      memoryLimitBytes: context.settings.number('scripting.memory-limit'),
      version: redisVersion,
      versionNumber: (major << 16) | (minor << 8) | patch,
      tableNames: ['redis', 'server'],
      running: runningFunctions({
        engine: () => engine,
        commands: this.#commands,
        log: (level, message) => {
          this.#log(level, message);
        },
      }),
      loading: this.#libraries.loadingFunctions(() => engine),
      interrupt: (L) => {
        this.#options.page.values[AT.scriptLine] = lineOf(engine, L);
        if (this.#libraries.isLoadTooLong()) return 'FUNCTION LOAD timeout';
        return control.mustStop ? KILLED : undefined;
      },
    });
    return engine;
  }
}

function asRunnable({ ref, flags, name, library, libraryBytes }: LoadedFunction): Runnable {
  const fullName = `${library}.${name}`;
  return { name, isFunction: true, fullName, sourceBytes: libraryBytes, ref, flags };
}

/** Activations of functions looked at for a line: that of a function of the host has none. */
const LEVELS_MAX = 4;

/** Line that a script is at; 0 where it is unknown. */
function lineOf(engine: LuaEngine, L: number): number {
  for (let level = 0; level < LEVELS_MAX; level += 1) {
    const line = engine.errors.place(L, level)?.line ?? 0;
    if (line > 0) return line;
  }
  return 0;
}
