/** Library `struct`: numbers and strings to and from packed bytes, by a format. */

import type { LuaVm } from '../lua-vm.ts';
import { LuaType, type HostFunction } from '../wasm/api.ts';
import { FormatReader, isInteger } from './struct-format.ts';
import { WasmBuffer } from './wasm-buffer.ts';

const WORD = 2 ** 32;
const WORD_BYTES = 4;
const LONG_BYTES = 8;
/** Place beyond any string: what a negative offset means. */
const FAR = 2 ** 52;

/** Makes the functions of the library. */
export function structFunctions(vm: LuaVm): Record<string, HostFunction> {
  const { api } = vm;
  const buffer = new WasmBuffer(vm);
  const format = new FormatReader(vm);
  return {
    pack(L) {
      format.begin(L, api.luaL_checklstring(L, 1, 0));
      buffer.clear();
      // Behind the arguments, so that errors about one that is missing say what they say in Redis.
      api.lua_pushnil(L);
      const packer = new Packer(vm, buffer, format);
      while (format.more) packer.option(L);
      buffer.push(L);
      return 1;
    },
    unpack: (L) => new Unpacker(vm, format, L).results(),
    size(L) {
      format.begin(L, api.luaL_checklstring(L, 1, 0));
      let at = 0;
      while (format.more) {
        const option = format.option();
        const size = format.size(option);
        at += format.padding(at, option, size);
        if (option === 's') vm.argumentError(L, 1, "option 's' has no fixed size");
        if (option === 'c' && size === 0) {
          vm.argumentError(L, 1, "option 'c0' has no fixed size");
        }
        if (!/[a-z0-9]/i.test(option)) format.control(option);
        at += size;
      }
      api.lua_pushnumber(L, at);
      return 1;
    },
  };
}

class Packer {
  readonly #vm: LuaVm;
  readonly #buffer: WasmBuffer;
  readonly #format: FormatReader;
  #argument = 2;
  #total = 0;

  constructor(vm: LuaVm, buffer: WasmBuffer, format: FormatReader) {
    this.#vm = vm;
    this.#buffer = buffer;
    this.#format = format;
  }

  /** Packs the value of one option of the format. */
  option(L: number): void {
    const format = this.#format;
    const option = format.option();
    const size = format.size(option);
    const padding = format.padding(this.#total, option, size);
    for (let nth = 0; nth < padding; nth += 1) this.#buffer.byte(L, 0);
    this.#total += padding + this.#value(L, option, size);
  }

  #value(L: number, option: string, size: number): number {
    const buffer = this.#buffer;
    const { api } = this.#vm;
    if (isInteger(option)) {
      this.#integer(L, api.luaL_checknumber(L, this.#argument++), size);
      return size;
    }
    switch (option) {
      case 'x':
        buffer.byte(L, 0);
        return size;
      case 'f':
      case 'd': {
        const value = api.luaL_checknumber(L, this.#argument++);
        buffer.reserve(L, size);
        const view = new DataView(this.#vm.bytes.buffer, buffer.at, size);
        if (option === 'f') view.setFloat32(0, value, this.#format.isLittle);
        else view.setFloat64(0, value, this.#format.isLittle);
        buffer.at += size;
        return size;
      }
      case 'c':
      case 's':
        return this.#string(L, option, size);
      default:
        this.#format.control(option);
        return size;
    }
  }

  #string(L: number, option: string, size: number): number {
    const vm = this.#vm;
    const text = vm.api.luaL_checklstring(L, this.#argument++, vm.cell);
    const length = vm.words[vm.cell >> 2]!;
    const taken = size === 0 ? length : size;
    if (length < taken) vm.argumentError(L, this.#argument, 'string too short');
    this.#buffer.copy(L, text, taken);
    if (option !== 's') return taken;
    this.#buffer.byte(L, 0);
    return taken + 1;
  }

  #integer(L: number, value: number, size: number): void {
    const buffer = this.#buffer;
    buffer.reserve(L, size);
    const { bytes } = this.#vm;
    const whole = Math.trunc(wrapped(value));
    const high = Math.floor(whole / WORD);
    const low = whole - high * WORD;
    for (let nth = 0; nth < size; nth += 1) {
      const word = nth < WORD_BYTES ? low : high;
      const byte = nth < LONG_BYTES ? (word >>> ((nth % WORD_BYTES) * 8)) & 0xff : 0;
      bytes[buffer.at + (this.#format.isLittle ? nth : size - 1 - nth)] = byte;
    }
    buffer.at += size;
  }
}

/** Keeps a number within 64 bits as x86-64 does. */
function wrapped(value: number): number {
  if (value >= 2 ** 64) return 0;
  return value >= -(2 ** 63) ? value : -(2 ** 63);
}

class Unpacker {
  readonly #vm: LuaVm;
  readonly #format: FormatReader;
  readonly #L: number;
  #results = 0;
  #data = 0;
  #length = 0;
  #at = 0;

  constructor(vm: LuaVm, format: FormatReader, L: number) {
    this.#vm = vm;
    this.#format = format;
    this.#L = L;
  }

  /** Pushes all results and the place after the last; returns how many these are. */
  results(): number {
    const vm = this.#vm;
    const { api } = vm;
    const L = this.#L;
    this.#format.begin(L, api.luaL_checklstring(L, 1, 0));
    this.#data = api.luaL_checklstring(L, 2, vm.cell);
    this.#length = vm.words[vm.cell >> 2]!;
    const offset = api.luaL_optinteger(L, 3, 1);
    if (offset === 0) vm.argumentError(L, 3, 'offset must be 1 or greater');
    this.#at = offset < 0 ? FAR : offset - 1;
    while (this.#format.more) this.#option();
    api.lua_pushnumber(L, this.#at + 1);
    return this.#results + 1;
  }

  #option(): void {
    const format = this.#format;
    const option = format.option();
    const size = format.size(option);
    this.#at += format.padding(this.#at, option, size);
    this.#need(size);
    this.#vm.api.luaL_checkstack(this.#L, 2, this.#vm.text('too many results'));
    this.#at += this.#value(option, size);
  }

  #need(size: number): void {
    if (!(size >= 0 && size <= this.#length && this.#at <= this.#length - size)) {
      this.#vm.argumentError(this.#L, 2, 'data string too short');
    }
  }

  #value(option: string, size: number): number {
    const { api, bytes } = this.#vm;
    const from = this.#data + this.#at;
    if (isInteger(option)) {
      this.#number(integerAt(bytes, from, size, this.#format.isLittle, option >= 'a'));
      return size;
    }
    switch (option) {
      case 'f':
      case 'd': {
        const view = new DataView(bytes.buffer, from, size);
        const { isLittle } = this.#format;
        this.#number(option === 'f' ? view.getFloat32(0, isLittle) : view.getFloat64(0, isLittle));
        return size;
      }
      case 'x':
        return size;
      case 'c': {
        const length = size === 0 ? this.#previous() : size;
        api.lua_pushlstring(this.#L, from, length);
        this.#results += 1;
        return length;
      }
      case 's': {
        const end = bytes.indexOf(0, from);
        if (end < 0 || end >= this.#data + this.#length) {
          this.#vm.error(this.#L, 'unfinished string in data');
        }
        api.lua_pushlstring(this.#L, from, end - from);
        this.#results += 1;
        return end - from + 1;
      }
      default:
        this.#format.control(option);
        return size;
    }
  }

  #number(value: number): void {
    this.#vm.api.lua_pushnumber(this.#L, value);
    this.#results += 1;
  }

  /** Takes the last result, which is the length of the string that comes. */
  #previous(): number {
    const vm = this.#vm;
    const L = this.#L;
    if (this.#results === 0 || vm.typeAt(vm.top(L)) < LuaType.Number || !this.#isNumber()) {
      vm.error(L, "format 'c0' needs a previous size");
    }
    const size = Math.trunc(wrapped(vm.api.lua_tonumber(L, -1)));
    vm.pop(L);
    this.#results -= 1;
    this.#need(size);
    return size;
  }

  #isNumber(): boolean {
    return this.#vm.api.lua_isnumber(this.#L, -1) !== 0;
  }
}

/** Reads an integer of `size` bytes; only the lowest eight bytes count. */
function integerAt(
  bytes: Uint8Array,
  at: number,
  size: number,
  isLittle: boolean,
  isSigned: boolean,
): number {
  let value = 0n;
  for (let nth = 0; nth < size; nth += 1) {
    value = (value << 8n) | BigInt(bytes[at + (isLittle ? size - 1 - nth : nth)]!);
  }
  value = BigInt.asUintN(64, value);
  if (!isSigned) return Number(value);
  // Shifts count modulo 64, as they do on x86-64.
  const mask = BigInt.asUintN(64, -1n << BigInt((size * 8 + 63) & 63));
  if ((value & mask) !== 0n) value |= mask;
  return Number(BigInt.asIntN(64, value));
}
