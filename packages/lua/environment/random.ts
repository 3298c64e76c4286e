/**
 * Random numbers of scripts, the same sequence on every machine: `lrand48` of POSIX as Redis has it, which multiplies
 * a state of 48 bits modulo 2^48.
 */

import type { LuaVm } from '../lua-vm.ts';
import type { HostFunction } from '../wasm/api.ts';

const HALF = 2 ** 24;
/** Multiplier 0x5deece66d in two halves of 24 bits, so that their products are exact as doubles. */
const MULTIPLIER_HIGH = 0x5de;
const MULTIPLIER_LOW = 0xece66d;
const INCREMENT = 0xb;
/** Lowest 16 bits of the state after seeding. */
const SEED_LOW = 0x330e;
/** The state's highest 31 bits are the number. */
const NUMBER_SHIFT = 17;
const NUMBER_MAX = 2 ** 31 - 1;

export class Random {
  // The state at the start of the process, as POSIX has it: 0x1234abcd330e.
  #high = 0x1234ab;
  #low = 0xcd330e;

  /** Begins the sequence of a seed, of which 32 bits count. */
  seed(seed: number): void {
    const state = (seed >>> 0) * 65_536 + SEED_LOW;
    this.#high = Math.floor(state / HALF);
    this.#low = state % HALF;
  }

  /** Returns the next number, at least 0 and below 1. */
  next(): number {
    const low = this.#low * MULTIPLIER_LOW + INCREMENT;
    const high =
      ((this.#high * MULTIPLIER_LOW) % HALF) + this.#low * MULTIPLIER_HIGH + Math.floor(low / HALF);
    this.#high = high % HALF;
    this.#low = low % HALF;
    const number = Math.floor((this.#high * HALF + this.#low) / 2 ** NUMBER_SHIFT);
    return (number % NUMBER_MAX) / NUMBER_MAX;
  }
}

/** Makes `math.random` and `math.randomseed`. */
export function randomFunctions(vm: LuaVm, random: Random): Record<string, HostFunction> {
  const { api } = vm;
  return {
    random(L) {
      const value = random.next();
      const count = vm.count(L);
      if (count === 0) {
        api.lua_pushnumber(L, value);
        return 1;
      }
      if (count > 2) vm.error(L, 'wrong number of arguments');
      const least = count === 1 ? 1 : api.luaL_checkinteger(L, 1);
      const most = api.luaL_checkinteger(L, count);
      if (least > most) vm.argumentError(L, count, 'interval is empty');
      const span = count === 1 ? most : (most - least + 1) | 0;
      api.lua_pushnumber(L, Math.floor(value * span) + least);
      return 1;
    },
    randomseed(L) {
      random.seed(api.luaL_checkinteger(L, 1));
      return 0;
    },
  };
}
