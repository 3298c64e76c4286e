/**
 * State of Lua in which scripts run, with the globals of Redis. There are two kinds: EVAL scripts get their keys and
 * arguments by globals; functions of libraries get them as arguments, and have more when they run than while their
 * library loads.
 */

import type { Libraries } from '../libraries/libraries.ts';
import { Layout, type LuaVm } from '../lua-vm.ts';
import { GLOBALS_INDEX, LuaGc, LuaStatus, REGISTRY_INDEX, type HostFunction } from '../wasm/api.ts';
import { LuaEngineError } from '../lua-engine-error.ts';
import type { ScriptErrors } from './errors.ts';
import {
  globalsGuard,
  openLibraries,
  protect,
  protectStrings,
  refuseMissing,
  type Replacements,
} from './globals.ts';
import { pushTable, type TableFields } from './tables.ts';

/** Parts of an environment that all of an engine share. */
export interface EnvironmentOptions {
  readonly vm: LuaVm;
  readonly errors: ScriptErrors;
  readonly libraries: Libraries;
  readonly replaced: Replacements;
  readonly pcall: HostFunction;
  readonly handler: HostFunction;
  readonly tableNames: readonly string[];
}

export class Environment {
  /** The state. */
  readonly L: number;
  readonly vm: LuaVm;
  /** Reference of the message handler. */
  readonly handler: number;
  /** Reference of the globals' metatable, whose `__index` changes while a library loads; 0 for EVAL. */
  readonly #switch: number = 0;
  readonly #loadGlobals: number = 0;
  readonly #runGlobals: number = 0;
  readonly #guard: number;
  /** Globals that the state began with: `setfenv(0, ...)` changes them. */
  readonly #globals: number;

  private constructor(options: EnvironmentOptions, redis: TableFields, loading?: TableFields) {
    const { vm } = options;
    const { api } = vm;
    this.vm = vm;
    const L = api.luaL_newstate();
    if (L === 0) throw new LuaEngineError('no memory for a state of Lua');
    this.L = L;
    openLibraries(vm, L, options.replaced);
    options.libraries.open(L);
    vm.pushFunction(L, options.pcall);
    api.lua_setfield(L, GLOBALS_INDEX, vm.text('pcall'));
    for (const name of options.tableNames) {
      pushTable(vm, L, redis);
      api.lua_setfield(L, GLOBALS_INDEX, vm.text(name));
    }
    vm.pushFunction(L, options.handler);
    this.handler = api.luaL_ref(L, REGISTRY_INDEX);
    if (loading === undefined) {
      vm.pushFunction(L, options.handler);
      api.lua_setfield(L, GLOBALS_INDEX, vm.text('__redis__err__handler'));
    }
    api.lua_pushvalue(L, GLOBALS_INDEX);
    refuseMissing(vm, L, options.replaced);
    protect(vm, L);
    protectStrings(vm, L);
    if (loading !== undefined) {
      api.lua_pushvalue(L, -1);
      this.#runGlobals = api.luaL_ref(L, REGISTRY_INDEX);
      this.#loadGlobals = this.#makeLoadGlobals(options, loading);
      this.#switch = this.#replaceGlobals();
    }
    api.lua_settop(L, 0);
    this.#guard = globalsGuard(vm, L);
    this.#globals = api.lua_topointer(L, GLOBALS_INDEX);
  }

  /** Makes the environment of EVAL scripts. */
  static forEval(options: EnvironmentOptions, redis: TableFields): Environment {
    return new Environment(options, redis);
  }

  /** Makes that of functions; `loading` are the fields of `redis` while a library loads. */
  static forFunctions(
    options: EnvironmentOptions,
    redis: TableFields,
    loading: TableFields,
  ): Environment {
    return new Environment(options, redis, loading);
  }

  /** Sets a global to the value at the top of the stack, which takes that, though globals are read-only. */
  setGlobal(name: number): void {
    const { api, bytes } = this.vm;
    const guard = bytes[this.#guard]!;
    bytes[this.#guard] = guard & 0x7f;
    api.lua_setfield(this.L, GLOBALS_INDEX, name);
    this.vm.bytes[this.#guard]! |= 0x80;
  }

  /** Gives the state its globals again, if a script has changed which these are. */
  restoreGlobals(): void {
    this.vm.words[(this.L + Layout.stateGlobals) >> 2] = this.#globals;
  }

  /** Shows functions what there is while a library loads, or what there is else. */
  showLoading(isLoading: boolean): void {
    const { vm, L } = this;
    vm.api.lua_rawgeti(L, REGISTRY_INDEX, this.#switch);
    vm.setReadOnly(L, -1, false);
    vm.api.lua_rawgeti(L, REGISTRY_INDEX, isLoading ? this.#loadGlobals : this.#runGlobals);
    vm.setField(L, '__index');
    vm.setReadOnly(L, -1, true);
    vm.pop(L);
  }

  /** Compiles a chunk and keeps it: returns its reference, or the error's text. */
  compile(source: Uint8Array, chunkName: string): number | string {
    const { vm, L } = this;
    const { api } = vm;
    const pointer = vm.located(L, source, 0, source.length);
    const status = api.luaL_loadbuffer(L, pointer, source.length, vm.text(chunkName));
    if (status === LuaStatus.Ok) return api.luaL_ref(L, REGISTRY_INDEX);
    const text = vm.topText(L) ?? 'not enough memory';
    vm.pop(L);
    return text;
  }

  release(ref: number): void {
    this.vm.api.luaL_unref(this.L, REGISTRY_INDEX, ref);
  }

  /** Bytes that Lua has in use for this state. */
  get usedBytes(): number {
    const { api } = this.vm;
    return api.lua_gc(this.L, LuaGc.Count, 0) * 1_024 + api.lua_gc(this.L, LuaGc.CountRest, 0);
  }

  #makeLoadGlobals({ vm, replaced, tableNames }: EnvironmentOptions, loading: TableFields): number {
    const { L } = this;
    vm.api.lua_createtable(L, 0, 1);
    for (const name of tableNames) {
      pushTable(vm, L, loading);
      refuseMissing(vm, L, replaced);
      vm.setField(L, name);
    }
    refuseMissing(vm, L, replaced);
    protect(vm, L);
    return vm.api.luaL_ref(L, REGISTRY_INDEX);
  }

  /** Puts an empty table in the place of the globals, which are found by its metatable from now on. */
  #replaceGlobals(): number {
    const { vm, L } = this;
    const { api } = vm;
    api.lua_createtable(L, 0, 0);
    api.lua_createtable(L, 0, 1);
    api.lua_pushvalue(L, GLOBALS_INDEX);
    vm.setField(L, '__index');
    vm.setReadOnly(L, -1, true);
    api.lua_pushvalue(L, -1);
    const metatable = api.luaL_ref(L, REGISTRY_INDEX);
    api.lua_setmetatable(L, -2);
    vm.setReadOnly(L, -1, true);
    api.lua_replace(L, GLOBALS_INDEX);
    return metatable;
  }
}
