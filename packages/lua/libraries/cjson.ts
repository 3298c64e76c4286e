/** Library `cjson`: JSON. */

import type { LuaVm } from '../lua-vm.ts';
import type { HostFunction } from '../wasm/api.ts';
import { pushSettings, settingFunctions, settingsOf } from './cjson-config.ts';
import { JsonDecoder } from './cjson-decoder.ts';
import { JsonEncoder } from './cjson-encoder.ts';
import { WasmBuffer } from './wasm-buffer.ts';

export class Cjson {
  readonly #vm: LuaVm;
  readonly functions: Readonly<Record<string, HostFunction>>;

  constructor(vm: LuaVm) {
    this.#vm = vm;
    const { api } = vm;
    const buffer = new WasmBuffer(vm);
    const encoder = new JsonEncoder(vm, buffer);
    const decoder = new JsonDecoder(vm);
    const takesOne = (L: number): void => {
      if (vm.count(L) !== 1) vm.argumentError(L, 1, 'expected 1 argument');
    };
    this.functions = {
      encode(L) {
        takesOne(L);
        encoder.encode(L, settingsOf(vm, L), vm.argument(L, 1));
        buffer.push(L);
        return 1;
      },
      decode(L) {
        takesOne(L);
        const data = api.luaL_checklstring(L, 1, vm.cell);
        const length = vm.words[vm.cell >> 2]!;
        if (length >= 2 && (vm.bytes[data] === 0 || vm.bytes[data + 1] === 0)) {
          vm.error(L, 'JSON parser does not support UTF-16 or UTF-32');
        }
        decoder.decode(L, settingsOf(vm, L), data, length);
        return 1;
      },
      ...settingFunctions(vm),
      new: (L) => {
        this.push(L);
        return 1;
      },
    };
  }

  /** Pushes a new table of the library, with settings of its own. */
  push(L: number): void {
    const vm = this.#vm;
    const { api } = vm;
    api.lua_createtable(L, 0, 0);
    pushSettings(vm, L);
    for (const [name, one] of Object.entries(this.functions)) {
      api.lua_pushvalue(L, -1);
      api.lua_pushcclosure(L, vm.entryOf(one), 1);
      api.lua_setfield(L, -3, vm.text(name));
    }
    vm.pop(L);
    api.lua_pushlightuserdata(L, 0);
    vm.setField(L, 'null');
    vm.pushText(L, 'cjson');
    vm.setField(L, '_NAME');
    vm.pushText(L, '2.1.0');
    vm.setField(L, '_VERSION');
  }
}
