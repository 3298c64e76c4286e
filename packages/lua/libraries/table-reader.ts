/** Tables of Lua, read where they lie in memory: their entries in the order of `next`, without calls. */

import { Layout, type LuaVm } from '../lua-vm.ts';
import { LuaType } from '../wasm/api.ts';

const EMPTY = new Map<number, number>();

/** Number of slots of a table's array part. */
export function arraySlots(vm: LuaVm, table: number): number {
  return vm.words[(table + Layout.tableArrayCount) >> 2]!;
}

/** Address of the array part. */
export function arrayStart(vm: LuaVm, table: number): number {
  return vm.words[(table + Layout.tableArray) >> 2]!;
}

/** Address of the hash part. */
export function nodesStart(vm: LuaVm, table: number): number {
  return vm.words[(table + Layout.tableNodes) >> 2]!;
}

/** Number of slots of the hash part, which are one at least. */
export function nodeSlots(vm: LuaVm, table: number): number {
  return 1 << vm.bytes[table + Layout.tableNodeCountLog2]!;
}

/** Addresses of the hash part's values with positive integers for keys, by these. */
export function hashedIntegers(vm: LuaVm, table: number): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  let node = nodesStart(vm, table);
  const end = node + nodeSlots(vm, table) * Layout.nodeBytes;
  for (; node < end; node += Layout.nodeBytes) {
    const key = node + Layout.nodeKey;
    if (vm.typeAt(node) !== LuaType.Nil && vm.typeAt(key) === LuaType.Number) {
      found.set(vm.numberAt(key), node);
    }
  }
  return found.size === 0 ? EMPTY : found;
}
