/** Replies of commands as values of Lua, converted as Redis does: from RESP, which a command has written. */

import type { LuaVm } from '../lua-vm.ts';
import { parseDouble } from '#base';
import type { ScriptErrors } from '../environment/errors.ts';

/** First bytes of the types of RESP. */
const BULK = 0x24;
const STATUS = 0x2b;
const ERROR = 0x2d;
const INTEGER = 0x3a;
const ARRAY = 0x2a;
const SET = 0x7e;
const MAP = 0x25;
const BOOLEAN = 0x23;
const DOUBLE = 0x2c;
const NULL = 0x5f;
const BIG_NUMBER = 0x28;
const VERBATIM = 0x3d;
const ATTRIBUTE = 0x7c;
const CR = 0x0d;
const MINUS = 0x2d;
const TRUE = 0x74;
const ZERO = 0x30;
const LINE_END_BYTES = 2;
/** Format of a verbatim string and the colon after it. */
const FORMAT_BYTES = 3;
const FORMAT_HEAD_BYTES = 4;
/** Slots of Lua's stack that one level takes at most. */
const LEVEL_SLOTS = 5;

export class ReplyReader {
  readonly #vm: LuaVm;
  readonly #errors: ScriptErrors;
  /** Place in the interpreter's memory. */
  #at = 0;

  constructor(vm: LuaVm, errors: ScriptErrors) {
    this.#vm = vm;
    this.#errors = errors;
  }

  /** Pushes the value of one reply, which is whole; returns true when it is an error. */
  push(L: number, bytes: Uint8Array, at: number, length: number): boolean {
    this.#at = this.#vm.located(L, bytes, at, length);
    const isError = this.#vm.bytes[this.#at] === ERROR;
    this.#value(L);
    return isError;
  }

  #value(L: number): void {
    const { api, bytes } = this.#vm;
    const type = bytes[this.#at++]!;
    if (type === BULK) {
      const length = this.#integer();
      if (length < 0) {
        api.lua_pushboolean(L, 0);
        return;
      }
      api.lua_pushlstring(L, this.#at, length);
      this.#at += length + LINE_END_BYTES;
      return;
    }
    if (type === INTEGER) {
      api.lua_pushnumber(L, this.#integer());
      return;
    }
    this.#rarer(L, type);
  }

  #rarer(L: number, type: number): void {
    const { api } = this.#vm;
    switch (type) {
      case ARRAY:
        this.#array(L);
        return;
      case STATUS:
        this.#labelled(L, 'ok', () => this.#line(L));
        return;
      case ERROR:
        this.#error(L);
        return;
      case NULL:
        this.#at += LINE_END_BYTES;
        api.lua_pushnil(L);
        return;
      case BOOLEAN:
        api.lua_pushboolean(L, Number(this.#vm.bytes[this.#at] === TRUE));
        this.#at += 1 + LINE_END_BYTES;
        return;
      case DOUBLE:
        this.#labelled(L, 'double', () => api.lua_pushnumber(L, this.#double()));
        return;
      case BIG_NUMBER:
        this.#labelled(L, 'big_number', () => this.#line(L));
        return;
      default:
        this.#aggregate(L, type);
    }
  }

  #aggregate(L: number, type: number): void {
    switch (type) {
      case SET:
        this.#labelled(L, 'set', () => this.#set(L));
        return;
      case MAP:
        this.#labelled(L, 'map', () => this.#map(L));
        return;
      case VERBATIM:
        this.#labelled(L, 'verbatim_string', () => this.#verbatim(L));
        return;
      case ATTRIBUTE:
        this.#skipAttributes(L);
        this.#value(L);
        return;
      default:
        this.#vm.error(L, `unknown type of reply: ${type}`);
    }
  }

  /** Pushes a table with one field, of what `push` pushes. */
  #labelled(L: number, name: string, push: () => void): void {
    const { api } = this.#vm;
    this.#checkStack(L);
    api.lua_createtable(L, 0, 1);
    push();
    this.#vm.setField(L, name);
  }

  #array(L: number): void {
    const { api } = this.#vm;
    const count = this.#integer();
    if (count < 0) {
      api.lua_pushboolean(L, 0);
      return;
    }
    this.#checkStack(L);
    api.lua_createtable(L, count, 0);
    let hasNil = false;
    for (let nth = 1; nth <= count; nth += 1) {
      if (this.#vm.bytes[this.#at] === NULL) hasNil = true;
      this.#value(L);
      api.lua_rawseti(L, -2, nth);
    }
    if (hasNil) this.#regrow(L, count);
  }

  /** Rebuilds the array at the top entry by entry: with gaps, its length depends on how it was built. */
  #regrow(L: number, count: number): void {
    const { api } = this.#vm;
    api.lua_createtable(L, 0, 0);
    for (let nth = 1; nth <= count; nth += 1) {
      api.lua_rawgeti(L, -2, nth);
      api.lua_rawseti(L, -2, nth);
    }
    api.lua_remove(L, -2);
  }

  #set(L: number): void {
    const { api } = this.#vm;
    const count = this.#integer();
    // Tables grow entry by entry, as in Redis: scripts see the order of their entries.
    api.lua_createtable(L, 0, 0);
    for (let nth = 0; nth < count; nth += 1) {
      this.#value(L);
      api.lua_pushboolean(L, 1);
      api.lua_rawset(L, -3);
    }
  }

  #map(L: number): void {
    const { api } = this.#vm;
    const count = this.#integer();
    api.lua_createtable(L, 0, 0);
    for (let nth = 0; nth < count; nth += 1) {
      this.#value(L);
      this.#value(L);
      api.lua_rawset(L, -3);
    }
  }

  #verbatim(L: number): void {
    const { api } = this.#vm;
    const length = this.#integer();
    api.lua_createtable(L, 0, 2);
    api.lua_pushlstring(L, this.#at + FORMAT_HEAD_BYTES, length - FORMAT_HEAD_BYTES);
    this.#vm.setField(L, 'string');
    api.lua_pushlstring(L, this.#at, FORMAT_BYTES);
    this.#vm.setField(L, 'format');
    this.#at += length + LINE_END_BYTES;
  }

  #error(L: number): void {
    const start = this.#at - 1;
    this.#at = this.#lineEnd();
    const text = this.#vm.textAt(start, this.#at - start);
    this.#at += LINE_END_BYTES;
    this.#checkStack(L);
    this.#errors.push(L, text);
    this.#vm.api.lua_pushboolean(L, 1);
    this.#vm.setField(L, 'ignore_error_stats_update');
  }

  /** Reads attributes and forgets them: scripts do not see them. */
  #skipAttributes(L: number): void {
    const count = this.#integer();
    this.#checkStack(L);
    for (let nth = 0; nth < count * 2; nth += 1) {
      this.#value(L);
      this.#vm.pop(L);
    }
  }

  #line(L: number): void {
    const end = this.#lineEnd();
    this.#vm.api.lua_pushlstring(L, this.#at, end - this.#at);
    this.#at = end + LINE_END_BYTES;
  }

  #double(): number {
    const end = this.#lineEnd();
    const text = this.#vm.textAt(this.#at, end - this.#at);
    this.#at = end + LINE_END_BYTES;
    return parseDouble(text);
  }

  #lineEnd(): number {
    const { bytes } = this.#vm;
    let end = this.#at;
    while (bytes[end] !== CR) end += 1;
    return end;
  }

  /** Reads an integer and its line end. */
  #integer(): number {
    const { bytes } = this.#vm;
    let at = this.#at;
    const isNegative = bytes[at] === MINUS;
    if (isNegative) at += 1;
    let value = 0;
    let digits = 0;
    for (let next = bytes[at]!; next !== CR; next = bytes[++at]!, digits += 1) {
      value = value * 10 + next - ZERO;
    }
    // Sixteen digits and more may have been rounded on the way, which Number does once and exactly.
    if (digits > 15) value = Number(this.#vm.textAt(at - digits, digits));
    this.#at = at + LINE_END_BYTES;
    return isNegative ? -value : value;
  }

  #checkStack(L: number): void {
    if (this.#vm.api.lua_checkstack(L, LEVEL_SLOTS) === 0) {
      this.#vm.error(L, 'lua stack limit reach when parsing redis.call reply');
    }
  }
}
