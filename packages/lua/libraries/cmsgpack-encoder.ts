/** Values of Lua as MessagePack, as the library `cmsgpack` encodes them. */

import { Layout, type LuaVm } from '../lua-vm.ts';
import { LuaType } from '../wasm/api.ts';
import { arraySlots, arrayStart, hashedIntegers, nodeSlots, nodesStart } from './table-reader.ts';
import type { WasmBuffer } from './wasm-buffer.ts';

/** Tables nested more deeply become nil. */
const NESTING_MAX = 16;
const WORD = 2 ** 32;
const INT32_MAX = 2 ** 31 - 1;
const HEAD_BYTES_MAX = 9;

const code = {
  fixedMap: 0x80,
  fixedArray: 0x90,
  fixedString: 0xa0,
  nil: 0xc0,
  false: 0xc2,
  true: 0xc3,
  float: 0xca,
  double: 0xcb,
  unsigned8: 0xcc,
  unsigned16: 0xcd,
  unsigned32: 0xce,
  unsigned64: 0xcf,
  signed8: 0xd0,
  signed16: 0xd1,
  signed32: 0xd2,
  signed64: 0xd3,
  string8: 0xd9,
  string16: 0xda,
  string32: 0xdb,
  array16: 0xdc,
  array32: 0xdd,
  map16: 0xde,
  map32: 0xdf,
} as const;

export class PackEncoder {
  readonly #vm: LuaVm;
  readonly #buffer: WasmBuffer;
  #L = 0;

  constructor(vm: LuaVm, buffer: WasmBuffer) {
    this.#vm = vm;
    this.#buffer = buffer;
  }

  /** Appends the value at an address. */
  value(L: number, address: number): void {
    this.#L = L;
    this.#value(address, 0);
  }

  #value(address: number, level: number): void {
    const vm = this.#vm;
    this.#buffer.reserve(this.#L, HEAD_BYTES_MAX);
    switch (vm.typeAt(address)) {
      case LuaType.String:
        this.#string(vm.objectAt(address));
        return;
      case LuaType.Boolean:
        this.#byte(vm.booleanAt(address) ? code.true : code.false);
        return;
      case LuaType.Number:
        this.#number(vm.numberAt(address));
        return;
      case LuaType.Table:
        if (level === NESTING_MAX) this.#byte(code.nil);
        else this.#table(vm.objectAt(address), level + 1);
        return;
      default:
        this.#byte(code.nil);
    }
  }

  #string(object: number): void {
    const length = this.#vm.lengthOf(object);
    if (length < 32) this.#byte(code.fixedString | length);
    else if (length <= 0xff) this.#head(code.string8, length, 1);
    else if (length <= 0xffff) this.#head(code.string16, length, 2);
    else this.#head(code.string32, length, 4);
    this.#buffer.copy(this.#L, object + Layout.stringBytes, length);
  }

  #number(value: number): void {
    if (Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63) {
      if (value >= 0) this.#natural(value);
      else this.#negative(value);
      return;
    }
    const isFloat = Math.fround(value) === value;
    const { buffer } = this.#vm.bytes;
    this.#byte(isFloat ? code.float : code.double);
    const view = new DataView(buffer, this.#buffer.at, 8);
    if (isFloat) view.setFloat32(0, value);
    else view.setFloat64(0, value);
    this.#buffer.at += isFloat ? 4 : 8;
  }

  #natural(value: number): void {
    if (value <= 127) this.#byte(value);
    else if (value <= 0xff) this.#head(code.unsigned8, value, 1);
    else if (value <= 0xffff) this.#head(code.unsigned16, value, 2);
    else if (value < WORD) this.#head(code.unsigned32, value, 4);
    else this.#long(code.unsigned64, value);
  }

  #negative(value: number): void {
    if (value >= -32) this.#byte(value);
    else if (value >= -128) this.#head(code.signed8, value, 1);
    else if (value >= -32_768) this.#head(code.signed16, value, 2);
    else if (value >= -(2 ** 31)) this.#head(code.signed32, value, 4);
    else this.#long(code.signed64, value);
  }

  #long(type: number, value: number): void {
    const high = Math.floor(value / WORD);
    this.#head(type, high, 4);
    this.#number32(value - high * WORD, 4);
  }

  #head(type: number, value: number, bytes: number): void {
    this.#byte(type);
    this.#number32(value, bytes);
  }

  #number32(value: number, count: number): void {
    const { bytes } = this.#vm;
    const buffer = this.#buffer;
    for (let nth = count - 1; nth >= 0; nth -= 1) bytes[buffer.at++] = (value >>> (nth * 8)) & 0xff;
  }

  #byte(value: number): void {
    this.#vm.bytes[this.#buffer.at++] = value;
  }

  #table(table: number, level: number): void {
    const length = this.#arrayLength(table);
    if (length >= 0) this.#array(table, length, level);
    else this.#map(table, level);
  }

  /** Number of elements if the keys are the integers from 1 to that; -1 for others. */
  #arrayLength(table: number): number {
    const vm = this.#vm;
    let count = 0;
    let most = 0;
    const slots = arraySlots(vm, table);
    const array = arrayStart(vm, table);
    for (let nth = 0; nth < slots; nth += 1) {
      if (vm.typeAt(array + nth * Layout.valueBytes) === LuaType.Nil) continue;
      count += 1;
      most = nth + 1;
    }
    let node = nodesStart(vm, table);
    const end = node + nodeSlots(vm, table) * Layout.nodeBytes;
    for (; node < end; node += Layout.nodeBytes) {
      if (vm.typeAt(node) === LuaType.Nil) continue;
      const key = node + Layout.nodeKey;
      if (vm.typeAt(key) !== LuaType.Number) return -1;
      const number = vm.numberAt(key);
      if (number <= 0 || !Number.isInteger(number) || number > INT32_MAX) return -1;
      most = Math.max(most, number);
      count += 1;
    }
    return most === count ? count : -1;
  }

  #array(table: number, length: number, level: number): void {
    if (length <= 15) this.#byte(code.fixedArray | length);
    else if (length <= 0xffff) this.#head(code.array16, length, 2);
    else this.#head(code.array32, length, 4);
    const vm = this.#vm;
    const slots = Math.min(arraySlots(vm, table), length);
    const array = arrayStart(vm, table);
    for (let nth = 0; nth < slots; nth += 1) this.#value(array + nth * Layout.valueBytes, level);
    if (slots === length) return;
    const hashed = hashedIntegers(vm, table);
    for (let nth = slots + 1; nth <= length; nth += 1) this.#value(hashed.get(nth)!, level);
  }

  #map(table: number, level: number): void {
    const vm = this.#vm;
    const slots = arraySlots(vm, table);
    const array = arrayStart(vm, table);
    const first = nodesStart(vm, table);
    const end = first + nodeSlots(vm, table) * Layout.nodeBytes;
    const count = this.#entries(array, slots, first, end);
    if (count <= 15) this.#byte(code.fixedMap | count);
    else if (count <= 0xffff) this.#head(code.map16, count, 2);
    else this.#head(code.map32, count, 4);
    for (let nth = 0; nth < slots; nth += 1) {
      const value = array + nth * Layout.valueBytes;
      if (vm.typeAt(value) === LuaType.Nil) continue;
      this.#buffer.reserve(this.#L, HEAD_BYTES_MAX);
      this.#number(nth + 1);
      this.#value(value, level);
    }
    for (let node = first; node < end; node += Layout.nodeBytes) {
      if (vm.typeAt(node) === LuaType.Nil) continue;
      this.#value(node + Layout.nodeKey, level);
      this.#value(node, level);
    }
  }

  #entries(array: number, slots: number, first: number, end: number): number {
    const vm = this.#vm;
    let count = 0;
    for (let nth = 0; nth < slots; nth += 1) {
      if (vm.typeAt(array + nth * Layout.valueBytes) !== LuaType.Nil) count += 1;
    }
    for (let node = first; node < end; node += Layout.nodeBytes) {
      if (vm.typeAt(node) !== LuaType.Nil) count += 1;
    }
    return count;
  }
}
