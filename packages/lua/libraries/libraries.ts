/** Libraries that Redis adds to Lua, written over the interpreter's memory. */

import { pushTable } from '../environment/globals.ts';
import { randomFunctions, type Random } from '../environment/random.ts';
import type { LuaVm } from '../lua-vm.ts';
import { GLOBALS_INDEX, type HostFunction } from '../wasm/api.ts';
import { bitFunctions } from './bit.ts';

type Functions = Readonly<Record<string, HostFunction>>;

export class Libraries {
  readonly random: Functions;
  readonly #vm: LuaVm;
  readonly #tables: Readonly<Record<string, Functions>>;

  constructor(vm: LuaVm, random: Random) {
    this.#vm = vm;
    this.random = randomFunctions(vm, random);
    this.#tables = { bit: bitFunctions(vm) };
  }

  /** All functions, to be registered. */
  functions(): readonly HostFunction[] {
    return [this.random, ...Object.values(this.#tables)].flatMap((one) => Object.values(one));
  }

  /** Sets the globals of a new state. */
  open(L: number): void {
    const vm = this.#vm;
    for (const [name, functions] of Object.entries(this.#tables)) {
      pushTable(vm, L, functions);
      vm.api.lua_setfield(L, GLOBALS_INDEX, vm.text(name));
    }
  }
}
