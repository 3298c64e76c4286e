/** Buffer in the interpreter's memory, in which libraries put strings together before Lua gets them. */

import type { LuaVm } from '../lua-vm.ts';

const BYTES_MIN = 4_096;
/** A buffer that has become larger is given back after use. */
const BYTES_KEPT = 1_048_576;
const LENGTH_MAX = 2 ** 31;

export class WasmBuffer {
  readonly #vm: LuaVm;
  /** Address of the buffer, and of what comes next. */
  #start = 0;
  #capacity = 0;
  at = 0;

  constructor(vm: LuaVm) {
    this.#vm = vm;
  }

  get length(): number {
    return this.at - this.#start;
  }

  /** Empties the buffer. */
  clear(): void {
    if (this.#capacity > BYTES_KEPT) this.#free();
    this.at = this.#start;
  }

  /** Makes room for `bytes` more bytes, or raises an out-of-memory error. */
  reserve(L: number, bytes: number): void {
    if (this.length + bytes > this.#capacity) this.#grow(L, this.length + bytes);
  }

  byte(L: number, value: number): void {
    this.reserve(L, 1);
    this.#vm.bytes[this.at++] = value;
  }

  /** Appends a short text of ASCII. */
  text(L: number, text: string): void {
    this.reserve(L, text.length);
    const { bytes } = this.#vm;
    for (let nth = 0; nth < text.length; nth += 1) bytes[this.at++] = text.charCodeAt(nth);
  }

  /** Appends bytes of the interpreter's memory. */
  copy(L: number, from: number, length: number): void {
    this.reserve(L, length);
    this.#vm.bytes.copyWithin(this.at, from, from + length);
    this.at += length;
  }

  /** Pushes what is in the buffer as a string. */
  push(L: number): void {
    this.#vm.api.lua_pushlstring(L, this.#start, this.length);
  }

  #grow(L: number, wanted: number): void {
    const vm = this.#vm;
    const { length } = this;
    const capacity = Math.max(wanted + (wanted >> 1), BYTES_MIN);
    const pointer = capacity < LENGTH_MAX ? vm.api.malloc(capacity) : 0;
    if (pointer === 0) {
      this.#free();
      vm.outOfMemory(L);
    }
    vm.bytes.copyWithin(pointer, this.#start, this.at);
    this.#free();
    this.#start = pointer;
    this.#capacity = capacity;
    this.at = pointer + length;
  }

  #free(): void {
    if (this.#start !== 0) this.#vm.api.free(this.#start);
    this.#start = 0;
    this.#capacity = 0;
    this.at = 0;
  }
}
