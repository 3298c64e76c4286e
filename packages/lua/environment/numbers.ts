/**
 * Integers of 64 bits in `string.format` and `tonumber`: this interpreter has been compiled for 32 bits, and prints and
 * reads no larger ones by itself.
 */

import { Layout, type LuaVm } from '../lua-vm.ts';
import { LuaType, type HostFunction } from '../wasm/api.ts';

const PERCENT = 0x25;
const INT32_LIMIT = 2 ** 31;
const DIRECTIVE = /%([-+ #0]*)(\d*)(?:\.(\d*))?([a-zA-Z%])/g;
const FLAGS_AND_DIGITS = '-+ #0123456789.';
const INTEGERS = 'diouxX';
const INT64_MIN = -(2n ** 63n);
const UINT64 = 2n ** 64n;
const BASE_TEN = 10;

const isPart = new Uint8Array(256);
for (const letter of FLAGS_AND_DIGITS) isPart[letter.charCodeAt(0)] = 1;
const isInteger = new Uint8Array(256);
for (const letter of INTEGERS) isInteger[letter.charCodeAt(0)] = 1;

/** Creates `string.format`, which calls the interpreter's own once large integers are converted to text. */
export function formatFunction(vm: LuaVm, own: () => HostFunction): HostFunction {
  return (L) => {
    const format = vm.argument(L, 1);
    if (vm.typeAt(format) === LuaType.String && needsHelp(vm, L, vm.objectAt(format))) {
      replaceIntegers(vm, L, vm.textOf(vm.objectAt(format)));
    }
    return own()(L);
  };
}

/** True when a directive for integers has an argument that 32 bits do not hold. */
function needsHelp(vm: LuaVm, L: number, object: number): boolean {
  const { bytes } = vm;
  const end = object + Layout.stringBytes + vm.lengthOf(object);
  let argument = 1;
  for (let at = object + Layout.stringBytes; at < end; at += 1) {
    if (bytes[at] !== PERCENT) continue;
    at += 1;
    if (bytes[at] === PERCENT) continue;
    while (isPart[bytes[at]!] === 1) at += 1;
    argument += 1;
    if (isInteger[bytes[at]!] !== 1 || vm.argument(L, argument) === 0) continue;
    const value = vm.api.lua_tonumber(L, argument);
    if (!(value < INT32_LIMIT && value >= (isSigned(bytes[at]!) ? -INT32_LIMIT : 0))) return true;
  }
  return false;
}

function isSigned(letter: number): boolean {
  return letter === 0x64 || letter === 0x69;
}

/** Replaces numbers for integer directives by their texts, and the directives by those of texts. */
function replaceIntegers(vm: LuaVm, L: number, format: string): void {
  const { api } = vm;
  let argument = 1;
  const replaced = format.replace(DIRECTIVE, (directive: string, ...parts: unknown[]) => {
    const [flags, width, precision, letter] = parts as (string | undefined)[];
    if (letter === '%') return directive;
    argument += 1;
    if (!INTEGERS.includes(letter!) || api.lua_isnumber(L, argument) === 0) return directive;
    if ((flags ?? '').length > 5 || width!.length > 2 || (precision ?? '').length > 2) {
      return directive;
    }
    const value = api.lua_tonumber(L, argument);
    vm.pushText(L, integerText(value, letter!, flags!, precision, Number(width)));
    api.lua_replace(L, argument);
    return '%s';
  });
  vm.pushText(L, replaced);
  api.lua_replace(L, 1);
}

/** Text of a number as C prints it with such a directive, as an integer of 64 bits. */
function integerText(
  value: number,
  letter: string,
  flags: string,
  precision: string | undefined,
  width: number,
): string {
  const isSigned = letter === 'd' || letter === 'i';
  const integer = toInteger64(value, isSigned);
  const magnitude = isSigned && integer < 0n ? -integer : BigInt.asUintN(64, integer);
  let digits = magnitude.toString(isSigned ? BASE_TEN : BASES[letter]);
  if (letter === 'X') digits = digits.toUpperCase();
  if (precision !== undefined) {
    digits = magnitude === 0n ? '' : digits;
    digits = digits.padStart(Number(precision), '0');
  }
  const front = isSigned ? signOf(integer, flags) : prefixOf(letter, digits, flags);
  if (flags.includes('-')) return (front + digits).padEnd(width);
  if (flags.includes('0') && precision === undefined) {
    return front + digits.padStart(width - front.length, '0');
  }
  return (front + digits).padStart(width);
}

const BASES: Readonly<Record<string, number>> = { o: 8, u: BASE_TEN, x: 16, X: 16 };

function signOf(integer: bigint, flags: string): string {
  if (integer < 0n) return '-';
  if (flags.includes('+')) return '+';
  return flags.includes(' ') ? ' ' : '';
}

function prefixOf(letter: string, digits: string, flags: string): string {
  if (!flags.includes('#')) return '';
  if (letter === 'o') return digits.startsWith('0') ? '' : '0';
  if (/^0*$/.test(digits)) return '';
  return letter === 'u' ? '' : `0${letter}`;
}

/** Converts as x86-64 does: what fits no integer with a sign becomes the least one, and without a sign zero. */
function toInteger64(value: number, isSigned: boolean): bigint {
  if (!isSigned && value >= 2 ** 64) return 0n;
  const limit = isSigned ? 2 ** 63 : 2 ** 64;
  return value >= -(2 ** 63) && value < limit ? BigInt(Math.trunc(value)) : INT64_MIN;
}

/** Creates `tonumber`, which calls the interpreter's own except for bases other than ten. */
export function tonumberFunction(vm: LuaVm, own: () => HostFunction): HostFunction {
  const { api } = vm;
  return (L) => {
    if (vm.count(L) >= 2 && api.lua_isstring(L, 1) !== 0) {
      const base = api.luaL_optinteger(L, 2, BASE_TEN);
      if (base !== BASE_TEN && base >= 2 && base <= 36) {
        api.lua_pushvalue(L, 1);
        pushInBase(vm, L, vm.topText(L) ?? '', base);
        return 1;
      }
    }
    return own()(L);
  };
}

const WHOLE = /^[ \t\n\v\f\r]*([-+]?)(?:0[xX](?=[\da-zA-Z]))?([\da-zA-Z]+)[ \t\n\v\f\r]*(?:\0|$)/;
const WHOLE_WITHOUT_PREFIX = /^[ \t\n\v\f\r]*([-+]?)([\da-zA-Z]+)[ \t\n\v\f\r]*(?:\0|$)/;

/** Pushes the number that a text means in a base, or nil, as `strtoul` of 64 bits reads it. */
function pushInBase(vm: LuaVm, L: number, text: string, base: number): void {
  const [, sign = '', digits] = (base === 16 ? WHOLE : WHOLE_WITHOUT_PREFIX).exec(text) ?? [];
  let value = 0n;
  for (const digit of digits ?? '') {
    const worth = Number.parseInt(digit, 36);
    if (worth >= base) {
      vm.api.lua_pushnil(L);
      return;
    }
    value = value * BigInt(base) + BigInt(worth);
  }
  if (digits === undefined) {
    vm.api.lua_pushnil(L);
    return;
  }
  const isTooLarge = value >= UINT64;
  if (isTooLarge) value = UINT64 - 1n;
  else if (sign === '-') value = BigInt.asUintN(64, -value);
  vm.api.lua_pushnumber(L, Number(value));
}
