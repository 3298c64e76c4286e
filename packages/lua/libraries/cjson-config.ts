/**
 * Settings of the library `cjson`. They lie in a userdata of Lua that is the upvalue of all functions of one table, so
 * that each `cjson.new()` has its own, and Lua frees them.
 */

import type { LuaVm } from '../lua-vm.ts';
import { LuaType, upvalueIndex, type HostFunction } from '../wasm/api.ts';

/** Settings by their word in the userdata. */
export const Setting = {
  SparseConvert: 0,
  SparseRatio: 1,
  SparseSafe: 2,
  EncodeMaxDepth: 3,
  DecodeMaxDepth: 4,
  EncodeInvalidNumbers: 5,
  DecodeInvalidNumbers: 6,
  KeepBuffer: 7,
  NumberPrecision: 8,
} as const;

const DEFAULTS = [0, 2, 10, 1_000, 1_000, 0, 1, 1, 14];
const INT_MAX = 2 ** 31 - 1;
const PRECISION_MAX = 14;
const SWITCH = ['off', 'on'];
const WITH_NULL = ['off', 'on', 'null'];

/** Pushes the settings of a new library. */
export function pushSettings(vm: LuaVm, L: number): void {
  const pointer = vm.api.lua_newuserdata(L, DEFAULTS.length * 4);
  vm.words.set(DEFAULTS, pointer >> 2);
}

/** Word of the first setting of the function that runs. */
export function settingsOf(vm: LuaVm, L: number): number {
  return vm.api.lua_touserdata(L, upvalueIndex(1)) >> 2;
}

/** Makes the functions that change settings. */
export function settingFunctions(vm: LuaVm): Record<string, HostFunction> {
  const { api } = vm;
  const begin = (L: number, most: number): number => {
    if (vm.count(L) > most) vm.argumentError(L, most + 1, 'found too many arguments');
    api.lua_settop(L, most);
    return settingsOf(vm, L);
  };
  const isGiven = (L: number, nth: number): boolean =>
    vm.typeAt(vm.argument(L, nth)) !== LuaType.Nil;

  const integer = (L: number, nth: number, word: number, least: number, most: number): void => {
    if (isGiven(L, nth)) {
      const value = api.luaL_checkinteger(L, nth);
      if (value < least || value > most) {
        vm.argumentError(L, 1, `expected integer between ${least} and ${most}`);
      }
      vm.words[word] = value;
    }
    api.lua_pushnumber(L, vm.words[word]!);
  };
  const choice = (L: number, nth: number, word: number, options: readonly string[]): void => {
    if (isGiven(L, nth)) vm.words[word] = chosen(vm, L, nth, options);
    const value = vm.words[word]!;
    if (value <= 1) api.lua_pushboolean(L, value);
    else vm.pushText(L, options[value]!);
  };
  const oneInteger =
    (setting: number, most: number): HostFunction =>
    (L) => {
      integer(L, 1, begin(L, 1) + setting, 1, most);
      return 1;
    };
  const oneChoice =
    (setting: number, options: readonly string[]): HostFunction =>
    (L) => {
      choice(L, 1, begin(L, 1) + setting, options);
      return 1;
    };
  return {
    encode_sparse_array(L) {
      const word = begin(L, 3);
      choice(L, 1, word + Setting.SparseConvert, SWITCH);
      integer(L, 2, word + Setting.SparseRatio, 0, INT_MAX);
      integer(L, 3, word + Setting.SparseSafe, 0, INT_MAX);
      return 3;
    },
    encode_max_depth: oneInteger(Setting.EncodeMaxDepth, INT_MAX),
    decode_max_depth: oneInteger(Setting.DecodeMaxDepth, INT_MAX),
    encode_number_precision: oneInteger(Setting.NumberPrecision, PRECISION_MAX),
    encode_keep_buffer: oneChoice(Setting.KeepBuffer, SWITCH),
    encode_invalid_numbers: oneChoice(Setting.EncodeInvalidNumbers, WITH_NULL),
    decode_invalid_numbers: oneChoice(Setting.DecodeInvalidNumbers, SWITCH),
  };
}

/** Number of the option that an argument names, or that a boolean stands for. */
function chosen(vm: LuaVm, L: number, nth: number, options: readonly string[]): number {
  const address = vm.argument(L, nth);
  if (vm.typeAt(address) === LuaType.Boolean) return Number(vm.booleanAt(address));
  const text = vm.cText(vm.api.luaL_checklstring(L, nth, 0));
  const value = options.indexOf(text);
  if (value < 0) vm.argumentError(L, nth, `invalid option '${text}'`);
  return value;
}
