/** Libraries that Redis adds to Lua, written over the interpreter's memory. */

import { pushTable, type TableFields } from '../environment/tables.ts';
import { randomFunctions, type Random } from '../environment/random.ts';
import type { LuaVm } from '../lua-vm.ts';
import { GLOBALS_INDEX, type HostFunction } from '../wasm/api.ts';
import { bitFunctions } from './bit.ts';
import { Cjson } from './cjson.ts';
import { CMSGPACK_FIELDS, cmsgpackFunctions } from './cmsgpack.ts';
import { structFunctions } from './struct.ts';

export class Libraries {
  readonly #vm: LuaVm;
  readonly #cjson: Cjson;
  readonly #random: Readonly<Record<string, HostFunction>>;
  readonly #tables: Readonly<Record<string, TableFields>>;

  constructor(vm: LuaVm, random: Random) {
    this.#vm = vm;
    this.#random = randomFunctions(vm, random);
    this.#cjson = new Cjson(vm);
    this.#tables = {
      struct: structFunctions(vm),
      cmsgpack: { ...cmsgpackFunctions(vm), ...CMSGPACK_FIELDS },
      bit: bitFunctions(vm),
    };
  }

  /** All functions, to be registered. */
  functions(): readonly HostFunction[] {
    const tables = [this.#random, this.#cjson.functions, ...Object.values(this.#tables)];
    return tables
      .flatMap((one) => Object.values(one))
      .filter((one): one is HostFunction => typeof one === 'function');
  }

  /** Sets the globals of a new state, and Redis' functions of `math`. */
  open(L: number): void {
    const vm = this.#vm;
    const { api } = vm;
    this.#cjson.push(L);
    api.lua_setfield(L, GLOBALS_INDEX, vm.text('cjson'));
    for (const [name, fields] of Object.entries(this.#tables)) {
      pushTable(vm, L, fields);
      api.lua_setfield(L, GLOBALS_INDEX, vm.text(name));
    }
    api.lua_getfield(L, GLOBALS_INDEX, vm.text('math'));
    for (const [name, one] of Object.entries(this.#random)) {
      vm.pushFunction(L, one);
      vm.setField(L, name);
    }
    vm.pop(L);
  }
}
