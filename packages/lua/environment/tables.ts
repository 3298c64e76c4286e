/** Tables of functions and constants. */

import type { LuaVm } from '../lua-vm.ts';
import type { HostFunction } from '../wasm/api.ts';

/** Constants and functions of a table. */
export type TableFields = Readonly<Record<string, HostFunction | number | string>>;

/** Pushes a table with these fields. */
export function pushTable(vm: LuaVm, L: number, fields: TableFields): void {
  vm.api.lua_createtable(L, 0, 0);
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'number') vm.api.lua_pushnumber(L, value);
    else if (typeof value === 'string') vm.pushText(L, value);
    else vm.pushFunction(L, value);
    vm.setField(L, name);
  }
}
