/** Library `bit`: operations on the lowest 32 bits of numbers, with signed results. */

import type { LuaVm } from '../lua-vm.ts';
import type { HostFunction } from '../wasm/api.ts';

const HEX_DIGITS = 8;
const SHIFT_MASK = 31;
/** Added to a number, it moves the lowest 32 bits of its integer to the front of the double's bits. */
const ROUNDING = 6_755_399_441_055_744;

type Operation = (a: number, b: number) => number;

/** Makes the functions of the library. */
export function bitFunctions(vm: LuaVm): Record<string, HostFunction> {
  const { api } = vm;
  const double = new Float64Array(1);
  const halves = new Int32Array(double.buffer);

  const argument = (L: number, nth: number): number => {
    double[0] = api.lua_tonumber(L, nth) + ROUNDING;
    const bits = halves[0]!;
    if (bits === 0 && api.lua_isnumber(L, nth) === 0) {
      api.luaL_typerror(L, nth, vm.text('number'));
    }
    return bits;
  };
  const answer = (L: number, bits: number): number => {
    api.lua_pushnumber(L, bits | 0);
    return 1;
  };
  const folded =
    (operation: Operation): HostFunction =>
    (L) => {
      let bits = argument(L, 1);
      for (let nth = vm.count(L); nth > 1; nth -= 1) bits = operation(bits, argument(L, nth));
      return answer(L, bits);
    };
  const shifted =
    (operation: Operation): HostFunction =>
    (L) => {
      const bits = argument(L, 1);
      return answer(L, operation(bits, argument(L, 2) & SHIFT_MASK));
    };
  return {
    tobit: (L) => answer(L, argument(L, 1)),
    bnot: (L) => answer(L, ~argument(L, 1)),
    band: folded((a, b) => a & b),
    bor: folded((a, b) => a | b),
    bxor: folded((a, b) => a ^ b),
    lshift: shifted((a, b) => a << b),
    rshift: shifted((a, b) => a >>> b),
    arshift: shifted((a, b) => a >> b),
    rol: shifted((a, b) => (a << b) | (a >>> (32 - b))),
    ror: shifted((a, b) => (a >>> b) | (a << (32 - b))),
    bswap(L) {
      const bits = argument(L, 1);
      const middle = ((bits >>> 8) & 0xff00) | ((bits & 0xff00) << 8);
      return answer(L, (bits >>> 24) | middle | (bits << 24));
    },
    tohex(L) {
      const bits = argument(L, 1) >>> 0;
      const wanted = vm.count(L) < 2 ? HEX_DIGITS : argument(L, 2);
      const digits = Math.min(Math.abs(wanted), HEX_DIGITS);
      const text = bits
        .toString(16)
        .padStart(HEX_DIGITS, '0')
        .slice(HEX_DIGITS - digits);
      vm.pushText(L, wanted < 0 ? text.toUpperCase() : text);
      return 1;
    },
  };
}
