/** MessagePack as values of Lua, as the library `cmsgpack` decodes it. */

import type { LuaVm } from '../lua-vm.ts';

const WORD = 2 ** 32;
/** Values nested more deeply are refused: this many calls fit a thread's stack for certain. */
const NESTING_MAX = 1_000;

const TOO_MANY = 'too many return values at once; use unpack_one or unpack_limit instead.';

export class PackDecoder {
  readonly #vm: LuaVm;
  #L = 0;
  #at = 0;
  #end = 0;
  #depth = 0;

  constructor(vm: LuaVm) {
    this.#vm = vm;
  }

  /** Bytes that are left. */
  get left(): number {
    return this.#end - this.#at;
  }

  begin(L: number, at: number, length: number): void {
    this.#L = L;
    this.#at = at;
    this.#end = at + length;
    this.#depth = 0;
  }

  /** Pushes the next value. */
  value(): void {
    const { api } = this.#vm;
    const L = this.#L;
    this.#need(1);
    api.luaL_checkstack(L, 1, this.#vm.text(TOO_MANY));
    const type = this.#vm.bytes[this.#at]!;
    if (type < 0x80 || type >= 0xe0) {
      this.#at += 1;
      api.lua_pushnumber(L, type < 0x80 ? type : type - 256);
    } else if (type < 0x90) this.#container(1, type & 0xf, true);
    else if (type < 0xa0) this.#container(1, type & 0xf, false);
    else if (type < 0xc0) this.#string(1, type & 0x1f);
    else this.#typed(type);
  }

  #typed(type: number): void {
    const { api } = this.#vm;
    const L = this.#L;
    switch (type) {
      case 0xc0:
        this.#at += 1;
        api.lua_pushnil(L);
        return;
      case 0xc2:
      case 0xc3:
        this.#at += 1;
        api.lua_pushboolean(L, type - 0xc2);
        return;
      case 0xca:
      case 0xcb:
        this.#float(type === 0xca ? 4 : 8);
        return;
      default:
        if (type >= 0xd9) this.#sized(type);
        else if (type >= 0xcc && type <= 0xd3) this.#integer(type);
        else this.#vm.error(L, 'Bad data format in input.');
    }
  }

  /** Pushes a string, an array or a map whose length follows the type. */
  #sized(type: number): void {
    const head = type <= 0xdb ? 1 + (1 << (type - 0xd9)) : 3 + 2 * (type & 1);
    const length = this.#unsigned(head - 1);
    if (type <= 0xdb) this.#string(head, length);
    else this.#container(head, length, type >= 0xde);
  }

  /** Pushes an integer of 1, 2, 4 or 8 bytes; those without a sign are signed too if they have eight. */
  #integer(type: number): void {
    const bytes = 1 << (type & 3);
    const isSigned = type >= 0xd0 || bytes === 8;
    let value = this.#unsigned(Math.min(bytes, 4));
    const limit = 2 ** (Math.min(bytes, 4) * 8);
    if (isSigned && value >= limit / 2) value -= limit;
    if (bytes === 8) {
      this.#need(9);
      const low = new DataView(this.#vm.bytes.buffer).getUint32(this.#at + 5);
      value = value * WORD + low;
    }
    this.#at += bytes + 1;
    this.#vm.api.lua_pushnumber(this.#L, value);
  }

  #float(bytes: number): void {
    this.#need(bytes + 1);
    const view = new DataView(this.#vm.bytes.buffer, this.#at + 1, bytes);
    this.#at += bytes + 1;
    this.#vm.api.lua_pushnumber(this.#L, bytes === 4 ? view.getFloat32(0) : view.getFloat64(0));
  }

  #string(head: number, length: number): void {
    this.#need(head + length);
    this.#vm.api.lua_pushlstring(this.#L, this.#at + head, length);
    this.#at += head + length;
  }

  #container(head: number, count: number, isMap: boolean): void {
    const { api } = this.#vm;
    const L = this.#L;
    this.#at += head;
    this.#depth += 1;
    if (this.#depth > NESTING_MAX) this.#vm.error(L, `stack overflow (${TOO_MANY})`);
    api.luaL_checkstack(L, 3, this.#vm.text('in function mp_decode_to_lua_array'));
    api.lua_createtable(L, 0, 0);
    for (let nth = 1; nth <= count; nth += 1) {
      this.value();
      if (isMap) {
        this.value();
        api.lua_rawset(L, -3);
      } else api.lua_rawseti(L, -2, nth);
    }
    this.#depth -= 1;
  }

  /** Reads an unsigned number after the type. */
  #unsigned(count: number): number {
    this.#need(count + 1);
    const { bytes } = this.#vm;
    let value = 0;
    for (let nth = 1; nth <= count; nth += 1) value = value * 256 + bytes[this.#at + nth]!;
    return value;
  }

  #need(bytes: number): void {
    if (this.left < bytes) this.#vm.error(this.#L, 'Missing bytes in input.');
  }
}
