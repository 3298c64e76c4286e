/** Library `cmsgpack`: MessagePack. */

import type { LuaVm } from '../lua-vm.ts';
import type { HostFunction } from '../wasm/api.ts';
import { PackDecoder } from './cmsgpack-decoder.ts';
import { PackEncoder } from './cmsgpack-encoder.ts';
import { WasmBuffer } from './wasm-buffer.ts';

/** Fields of the library beside its functions. */
export const CMSGPACK_FIELDS = {
  _NAME: 'cmsgpack',
  _VERSION: 'lua-cmsgpack 0.4.0',
  _COPYRIGHT: 'Copyright (C) 2012, Salvatore Sanfilippo',
  _DESCRIPTION: 'MessagePack C implementation for Lua',
};

const ALL = 2 ** 31 - 1;

/** Makes the functions of the library. */
export function cmsgpackFunctions(vm: LuaVm): Record<string, HostFunction> {
  const { api } = vm;
  const buffer = new WasmBuffer(vm);
  const encoder = new PackEncoder(vm, buffer);
  const decoder = new PackDecoder(vm);

  /** Pushes values from the argument's bytes; with a limit or an offset the next offset comes first. */
  const unpack = (L: number, limit: number, offset: number): number => {
    const data = api.luaL_checklstring(L, 1, vm.cell);
    const length = vm.words[vm.cell >> 2]!;
    const isAll = limit === 0 && offset === 0;
    if (offset < 0 || limit < 0) {
      const asked = `offset of ${offset} and limit of ${length}`;
      vm.error(L, `Invalid request to unpack with ${asked}.`);
    }
    if (offset > length) {
      vm.error(L, `Start offset ${offset} greater than input length ${length}.`);
    }
    decoder.begin(L, data + offset, length - offset);
    let count = 0;
    for (; decoder.left > 0 && count < (isAll ? ALL : limit); count += 1) decoder.value();
    if (isAll) return count;
    api.luaL_checkstack(L, 1, vm.text('in function mp_unpack_full'));
    api.lua_pushnumber(L, decoder.left === 0 ? -1 : length - decoder.left);
    api.lua_insert(L, 2);
    return count + 1;
  };

  return {
    pack(L) {
      const count = vm.count(L);
      if (count === 0) vm.argumentError(L, 0, 'MessagePack pack needs input.');
      buffer.clear();
      for (let nth = 1; nth <= count; nth += 1) encoder.value(L, vm.argument(L, nth));
      buffer.push(L);
      return 1;
    },
    unpack: (L) => unpack(L, 0, 0),
    unpack_one(L) {
      const offset = api.luaL_optinteger(L, 2, 0);
      api.lua_settop(L, 1);
      return unpack(L, 1, offset);
    },
    unpack_limit(L) {
      const limit = api.luaL_checkinteger(L, 2);
      const offset = api.luaL_optinteger(L, 3, 0);
      api.lua_settop(L, 1);
      return unpack(L, limit, offset);
    },
  };
}
