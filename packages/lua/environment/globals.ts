/** Globals of scripts: which of Lua's there are, and their protection. */

import { systemClock } from '#base';
import { Layout, type LuaVm } from '../lua-vm.ts';
import { GLOBALS_INDEX, LuaType, type HostFunction } from '../wasm/api.ts';
import { pushTable } from './tables.ts';
import { formatFunction, tonumberFunction } from './numbers.ts';

/** Globals of Lua's own that scripts keep; the others are taken away. */
const ALLOWED = new Set([
  ...['string', 'math', 'table', 'coroutine', '_G', '_VERSION', 'newproxy'],
  ...['xpcall', 'tostring', 'getfenv', 'setmetatable', 'next', 'assert', 'tonumber', 'rawequal'],
  ...['collectgarbage', 'getmetatable', 'rawset', 'pcall', 'type', 'select', 'unpack', 'gcinfo'],
  ...['pairs', 'rawget', 'loadstring', 'ipairs', 'setfenv', 'load', 'error'],
]);

/** Functions that open Lua's libraries, with the names that they are called by. */
export function openers({ api }: LuaVm): readonly (readonly [HostFunction, string])[] {
  return [
    [api.luaopen_base, ''],
    [api.luaopen_table, 'table'],
    [api.luaopen_string, 'string'],
    [api.luaopen_math, 'math'],
  ];
}

/** Makes functions that replace some of Lua's own, once for all environments of an engine. */
export interface Replacements {
  /** Lua's own functions that some of these call in the end, by name: they are looked up when libraries are opened. */
  readonly own: Map<string, HostFunction>;
  readonly format: HostFunction;
  readonly tonumber: HostFunction;
  readonly clock: HostFunction;
  readonly missingGlobal: HostFunction;
}

export function replacements(vm: LuaVm): Replacements {
  const { api } = vm;
  const originUs = systemClock.nowUs();
  const own = new Map<string, HostFunction>();
  return {
    own,
    format: formatFunction(vm, ownFunction(own, 'format')),
    tonumber: tonumberFunction(vm, ownFunction(own, 'tonumber')),
    clock(L) {
      api.lua_pushnumber(L, (systemClock.nowUs() - originUs) / 1e6);
      return 1;
    },
    missingGlobal(L) {
      if (vm.count(L) !== 2) {
        vm.error(L, 'Wrong number of arguments to luaProtectedTableError');
      }
      const name = vm.topText(L);
      if (name === undefined) {
        vm.error(L, 'Second argument to luaProtectedTableError must be a string or number');
      }
      vm.error(L, `Script attempted to access nonexistent global variable '${name}'`);
    },
  };
}

/** Makes what answers a function of Lua's own, which is looked up once. */
function ownFunction(own: ReadonlyMap<string, HostFunction>, name: string): () => HostFunction {
  let found: HostFunction | undefined;
  return () => (found ??= own.get(name)!);
}

/** Opens Lua's libraries in a new state, and takes away what scripts may not have. */
export function openLibraries(vm: LuaVm, L: number, replaced: Replacements): void {
  const { api } = vm;
  for (const [open, name] of openers(vm)) {
    vm.pushFunction(L, open);
    vm.pushText(L, name);
    api.lua_call(L, 1, 0);
  }
  for (const name of globalNames(vm, L)) {
    if (ALLOWED.has(name)) continue;
    api.lua_pushnil(L);
    api.lua_setfield(L, GLOBALS_INDEX, vm.text(name));
  }
  api.lua_pushvalue(L, GLOBALS_INDEX);
  replace(vm, L, 'tonumber', replaced);
  api.lua_getfield(L, -1, vm.text('string'));
  replace(vm, L, 'format', replaced);
  vm.pop(L, 2);
  pushTable(vm, L, { clock: replaced.clock });
  api.lua_setfield(L, GLOBALS_INDEX, vm.text('os'));
}

function globalNames(vm: LuaVm, L: number): readonly string[] {
  const names: string[] = [];
  vm.api.lua_pushnil(L);
  while (vm.api.lua_next(L, GLOBALS_INDEX) !== 0) {
    names.push(vm.textOf(vm.objectAt(vm.top(L, 1))));
    vm.pop(L);
  }
  return names;
}

/** Replaces a function of the table at the top, and keeps Lua's own. */
function replace(vm: LuaVm, L: number, name: 'format' | 'tonumber', by: Replacements): void {
  const { api } = vm;
  api.lua_getfield(L, -1, vm.text(name));
  const entry = api.lua_tocfunction(L, -1);
  by.own.set(name, api.__indirect_function_table.get(entry) as HostFunction);
  vm.pop(L);
  vm.pushFunction(L, by[name]);
  vm.setField(L, name);
}

/** Gives the table at the top a metatable that raises an error for fields that are not there. */
export function refuseMissing(vm: LuaVm, L: number, { missingGlobal }: Replacements): void {
  pushTable(vm, L, { __index: missingGlobal });
  vm.api.lua_setmetatable(L, -2);
}

/** Makes the table at the top read-only, and all that can be reached from it, with their metatables. */
export function protect(vm: LuaVm, L: number): void {
  if (vm.isReadOnly(L, -1)) return;
  vm.setReadOnly(L, -1, true);
  const { api } = vm;
  api.lua_checkstack(L, 4);
  api.lua_pushnil(L);
  while (api.lua_next(L, -2) !== 0) {
    if (vm.typeAt(vm.top(L)) === LuaType.Table) protect(vm, L);
    vm.pop(L);
  }
  if (api.lua_getmetatable(L, -1) === 0) return;
  protect(vm, L);
  vm.pop(L);
}

/** Makes the metatable of strings read-only, through which a script could change those that run after it. */
export function protectStrings(vm: LuaVm, L: number): void {
  vm.pushText(L, '');
  vm.api.lua_getmetatable(L, -1);
  protect(vm, L);
  vm.pop(L, 2);
}

/** Address of the byte that makes the globals read-only. */
export function globalsGuard(vm: LuaVm, L: number): number {
  return vm.api.lua_topointer(L, GLOBALS_INDEX) + Layout.tableMarked;
}
