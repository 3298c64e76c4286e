/**
 * Engine of scripts: an interpreter with an environment for EVAL and one for functions. It is thrown away when
 * something breaks it, or when its memory has grown too much, which never shrinks.
 */

import { Environment, type EnvironmentOptions } from './environment/environment.ts';
import type { TableFields } from './environment/tables.ts';
import { ScriptErrors, type ScriptError, type ScriptPlace } from './environment/errors.ts';
import { openers, replacements } from './environment/globals.ts';
import { Random } from './environment/random.ts';
import {
  evalFunctions,
  LOG_LEVELS,
  pureFunctions,
  REPLICATION_FLAGS,
} from './environment/redis-table.ts';
import { LuaEngineError } from './lua-engine-error.ts';
import { Libraries } from './libraries/libraries.ts';
import { LuaVm } from './lua-vm.ts';
import { ReplyReader } from './replies/reply-reader.ts';
import { ReplyWriter, type ReplyProtocols } from './replies/reply-writer.ts';
import type { ReplySink } from './replies/reply-output.ts';
import type { StringSource } from './strings.ts';
import { keepsState } from './function-state.ts';
import { HookMask, LuaGc, LuaStatus, REGISTRY_INDEX, type HostFunction } from './wasm/api.ts';

const INSTRUCTIONS_BETWEEN_INTERRUPTS = 100_000;
/** Number of runs between two steps of the garbage collector; also the size argument of a step. */
const GARBAGE_PERIOD = 50;

type Functions = Readonly<Record<string, HostFunction>>;

export interface LuaEngineOptions {
  readonly memoryLimitBytes: number;
  /** Redis version that scripts see, as text and as a number of three bytes. */
  readonly version: string;
  readonly versionNumber: number;
  /** Names of the table of the server's functions; `redis` alone if not given. */
  readonly tableNames?: readonly string[];
  /** Functions of scripts and functions that run: `call`, `pcall`, `log`, `setresp`, `set_repl`, ... */
  readonly running: Functions;
  /** Functions of libraries while they load: `register_function` and `log`. */
  readonly loading: Functions;
  /**
   * Called periodically, after a number of instructions of a running script or an equivalent time. A returned text ends
   * the script with that error, also when the script catches errors, as long as each later call returns a text as well.
   */
  readonly interrupt?: (L: number) => string | undefined;
  readonly instructionsBetweenInterrupts?: number;
}

export class LuaEngine {
  readonly vm: LuaVm;
  readonly errors: ScriptErrors;
  readonly eval: Environment;
  readonly functions: Environment;
  readonly #reader: ReplyReader;
  readonly #writer: ReplyWriter;
  readonly #hook: number;
  readonly #instructions: number;
  readonly #keysName: number;
  readonly #argumentsName: number;
  #runs = 0;

  constructor(options: LuaEngineOptions) {
    const vm = new LuaVm(options.memoryLimitBytes);
    this.vm = vm;
    this.errors = new ScriptErrors(vm);
    this.#reader = new ReplyReader(vm, this.errors);
    this.#writer = new ReplyWriter(vm, this.errors);
    this.#instructions = options.instructionsBetweenInterrupts ?? INSTRUCTIONS_BETWEEN_INTERRUPTS;
    this.#keysName = vm.text('KEYS');
    this.#argumentsName = vm.text('ARGV');
    const shared: EnvironmentOptions = {
      vm,
      errors: this.errors,
      libraries: new Libraries(vm, new Random()),
      replaced: replacements(vm),
      pcall: this.errors.pcall(),
      handler: this.errors.handler(),
      tableNames: options.tableNames ?? ['redis'],
    };
    const pure = pureFunctions(vm, this.errors);
    const forEval = evalFunctions(vm);
    const { format, tonumber, clock, missingGlobal } = shared.replaced;
    const replacing = [format, tonumber, clock, missingGlobal];
    vm.register([
      ...openers(vm).map(([open]) => open),
      ...replacing,
      ...shared.libraries.functions(),
      ...[pure, forEval, options.running, options.loading].flatMap((one) => Object.values(one)),
      shared.pcall,
      shared.handler,
    ]);
    this.#hook = this.#makeHook(options.interrupt);
    const constants = {
      REDIS_VERSION: options.version,
      REDIS_VERSION_NUM: options.versionNumber,
    };
    const running: TableFields = {
      ...pure,
      ...options.running,
      ...LOG_LEVELS,
      ...REPLICATION_FLAGS,
      ...constants,
    };
    this.eval = Environment.forEval(shared, { ...forEval, ...running });
    this.functions = Environment.forFunctions(shared, running, {
      ...options.loading,
      ...LOG_LEVELS,
      ...constants,
    });
  }

  /** True when the engine must be discarded. */
  get isBroken(): boolean {
    return this.vm.isBroken;
  }

  /** Bytes of the interpreter's memory, which only grow. */
  get memoryBytes(): number {
    return this.vm.memoryBytes;
  }

  /** Bytes that Lua has in use. */
  get usedBytes(): number {
    return this.eval.usedBytes + this.functions.usedBytes;
  }

  /**
   * Runs an EVAL script, with the globals KEYS and ARGV. The value that it returns is at the top of the stack when
   * nothing is answered, else the error is: `writeReply` or `finish` come next.
   */
  runScript(ref: number, keys: StringSource, args: StringSource): ScriptError | undefined {
    const { vm, eval: environment } = this;
    const { api } = vm;
    const { L } = environment;
    this.#begin(environment);
    api.lua_rawgeti(L, REGISTRY_INDEX, environment.handler);
    api.lua_rawgeti(L, REGISTRY_INDEX, ref);
    this.#pushStrings(L, keys);
    environment.setGlobal(this.#keysName);
    this.#pushStrings(L, args);
    environment.setGlobal(this.#argumentsName);
    return this.#call(L, 0);
  }

  /** Runs a function of a library with its keys and arguments, then continues like `runScript`. */
  runFunction(ref: number, keys: StringSource, args: StringSource): ScriptError | undefined {
    const { api } = this.vm;
    const { L, handler } = this.functions;
    this.#begin(this.functions);
    api.lua_rawgeti(L, REGISTRY_INDEX, handler);
    api.lua_rawgeti(L, REGISTRY_INDEX, ref);
    this.#pushStrings(L, keys);
    this.#pushStrings(L, args);
    return this.#call(L, 2);
  }

  /** Runs a library's chunk, which registers its functions. */
  load(ref: number): ScriptError | undefined {
    const { vm, functions: environment } = this;
    const { L } = environment;
    this.#begin(environment);
    environment.showLoading(true);
    try {
      vm.api.lua_rawgeti(L, REGISTRY_INDEX, ref);
      return this.#call(L, 0, 0);
    } finally {
      if (!this.isBroken) environment.showLoading(false);
    }
  }

  /** Writes the value that a script has returned, the one at the top, and takes it. */
  writeReply(L: number, sink: ReplySink, protocols: ReplyProtocols): void {
    this.#writer.write(L, sink, protocols);
  }

  /** Writes the error that has ended a script, as Redis words it; `name` is the script's hash or the function's name. */
  writeError(sink: ReplySink, error: ScriptError, name: string): void {
    const { message, source, line, isCounted } = error;
    const place =
      source === undefined || line === undefined ? '' : ` script: ${name}, on ${source}:${line}.`;
    this.#writer.error(sink, message + place, isCounted);
  }

  /** Ends a run: empties the stack, and lets the collector do a step now and then. */
  finish(environment: Environment): void {
    const { api } = this.vm;
    const { L } = environment;
    environment.restoreGlobals();
    api.lua_sethook(L, 0, HookMask.None, 0);
    api.lua_settop(L, 0);
    this.#runs += 1;
    if (this.#runs < GARBAGE_PERIOD) return;
    this.#runs = 0;
    api.lua_gc(L, LuaGc.Step, GARBAGE_PERIOD);
  }

  /** Pushes the value of a command's reply; returns true when it is an error. */
  pushReply(L: number, bytes: Uint8Array, at: number, length: number): boolean {
    return this.#reader.push(L, bytes, at, length);
  }

  /** True when what a function of a library does may be seen by a later call of it or another. */
  keepsState(ref: number): boolean {
    const { L, vm } = this.functions;
    vm.api.lua_rawgeti(L, REGISTRY_INDEX, ref);
    const closure = vm.api.lua_topointer(L, -1);
    vm.pop(L);
    return keepsState(vm, closure);
  }

  /** Finds the line of the script that runs, from an interrupt or a function of the host. */
  currentPlace(L: number): ScriptPlace | undefined {
    for (let level = 0; ; level += 1) {
      const place = this.errors.place(L, level);
      if (place === undefined || place.line >= 0) return place;
    }
  }

  /** Calls the function on the stack, with the handler at its bottom; what is thrown by no script breaks the engine. */
  #call(L: number, args: number, handler = 1): ScriptError | undefined {
    try {
      const status = this.vm.api.lua_pcall(L, args, handler, handler);
      return status === LuaStatus.Ok ? undefined : this.errors.read(L);
    } catch (error) {
      this.vm.isBroken = true;
      if (error instanceof LuaEngineError) throw error;
      throw new LuaEngineError('a script has stopped the interpreter', { cause: error });
    }
  }

  #begin(environment: Environment): void {
    if (this.vm.isBroken) throw new LuaEngineError('the engine is broken');
    const { api } = this.vm;
    const { L } = environment;
    api.lua_settop(L, 0);
    this.vm.isStopping = false;
    if (this.#hook !== 0) api.lua_sethook(L, this.#hook, HookMask.Count, this.#instructions);
  }

  #pushStrings(L: number, strings: StringSource): void {
    const { vm } = this;
    const { api } = vm;
    const { count } = strings;
    api.lua_createtable(L, count, 0);
    for (let nth = 0; nth < count; nth += 1) {
      vm.pushBytes(L, strings.bytesOf(nth), strings.startOf(nth), strings.lengthOf(nth));
      api.lua_rawseti(L, -2, nth + 1);
    }
  }

  #makeHook(interrupt: LuaEngineOptions['interrupt']): number {
    if (interrupt === undefined) return 0;
    const hook = this.vm.registerHook((L) => {
      const text = interrupt(L);
      if (text === undefined) return;
      // From now on each line ends the script, as well as each call in other coroutines: otherwise a script that
      // catches errors would continue.
      this.vm.isStopping = true;
      this.vm.api.lua_sethook(L, hook, HookMask.Line, 0);
      this.vm.allowHook(L);
      this.errors.raise(L, text);
    });
    return hook;
  }
}
