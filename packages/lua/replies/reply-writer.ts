/** Values that scripts return as replies, converted as Redis does. */

import { formatDouble } from '#base';
import { STACK_LIMIT_ERROR, type ScriptErrors } from '../environment/errors.ts';
import { Layout, type LuaVm } from '../lua-vm.ts';
import { LuaType } from '../wasm/api.ts';
import { ReplyOutput, type ReplySink } from './reply-output.ts';

/** Versions of RESP: the client's, and the one that the script has asked for. */
export interface ReplyProtocols {
  readonly client: 2 | 3;
  readonly script: 2 | 3;
}

const INTEGER = 0x3a;
const ARRAY = 0x2a;
const MAP = 0x25;
const SET = 0x7e;
/** Slots of Lua's stack that one level takes at most. */
const LEVEL_SLOTS = 4;
/** Levels that Lua's stack has room for at most. */
const LEVELS_MAX = 8_192;

/** States of an open container: what of it comes next. */
const Next = { Element: 0, Member: 1, Key: 2, Value: 3 } as const;

export class ReplyWriter {
  readonly #vm: LuaVm;
  readonly #errors: ScriptErrors;
  readonly #output = new ReplyOutput();
  /** Open containers: what of each comes next, and of arrays, how much has been written and is left. */
  readonly #states = new Uint8Array(LEVELS_MAX);
  readonly #written = new Int32Array(LEVELS_MAX);
  readonly #left = new Int32Array(LEVELS_MAX);
  #level = 0;
  #client: 2 | 3 = 2;
  #script: 2 | 3 = 2;

  constructor(vm: LuaVm, errors: ScriptErrors) {
    this.#vm = vm;
    this.#errors = errors;
  }

  /** Writes the value at the top of the stack, and takes it. */
  write(L: number, sink: ReplySink, { client, script }: ReplyProtocols): void {
    this.#client = client;
    this.#script = script;
    this.#output.begin(sink);
    this.#level = 0;
    this.#value(L);
    // No recursion: values may be nested more deeply than the thread's stack allows.
    while (this.#level > 0) this.#step(L);
    this.#output.end();
  }

  /** Writes an error as the whole reply. */
  error(sink: ReplySink, message: string, isCounted: boolean): void {
    this.#output.begin(sink);
    this.#output.error(message, isCounted);
    this.#output.end();
  }

  /** Writes the value at the top and takes it; a container is opened only, and stays there. */
  #value(L: number): void {
    const vm = this.#vm;
    const address = vm.top(L);
    const output = this.#output;
    switch (vm.typeAt(address)) {
      case LuaType.String: {
        const object = vm.objectAt(address);
        output.bulk(vm.bytes, object + Layout.stringBytes, vm.lengthOf(object));
        break;
      }
      case LuaType.Number:
        output.numberLine(INTEGER, truncated(vm.numberAt(address)));
        break;
      case LuaType.Boolean:
        this.#boolean(vm.booleanAt(address));
        break;
      case LuaType.Table:
        if (this.#table(L)) return;
        break;
      default:
        this.#null();
    }
    vm.pop(L);
  }

  /** Writes what comes next in the innermost container. */
  #step(L: number): void {
    const { api } = this.#vm;
    const level = this.#level - 1;
    switch (this.#states[level]) {
      case Next.Element: {
        if (this.#left[level]!-- === 0) {
          this.#close(L, 1);
          return;
        }
        api.lua_rawgeti(L, -1, ++this.#written[level]!);
        break;
      }
      case Next.Member:
        if (api.lua_next(L, -2) === 0) {
          this.#close(L, 2);
          return;
        }
        this.#vm.pop(L);
        api.lua_pushvalue(L, -1);
        break;
      case Next.Key:
        if (api.lua_next(L, -2) === 0) {
          this.#close(L, 2);
          return;
        }
        api.lua_pushvalue(L, -2);
        this.#states[level] = Next.Value;
        break;
      default:
        this.#states[level] = Next.Key;
    }
    this.#value(L);
  }

  #open(state: number, count: number): void {
    this.#states[this.#level] = state;
    this.#written[this.#level] = 0;
    this.#left[this.#level] = count;
    this.#level += 1;
  }

  #close(L: number, slots: number): void {
    this.#vm.pop(L, slots);
    this.#level -= 1;
  }

  #boolean(value: boolean): void {
    if (this.#script === 3) {
      if (this.#client === 3) this.#output.raw(value ? '#t\r\n' : '#f\r\n');
      else this.#output.numberLine(INTEGER, Number(value));
    } else if (value) this.#output.numberLine(INTEGER, 1);
    else this.#null();
  }

  #null(): void {
    this.#output.raw(this.#client === 3 ? '_\r\n' : '$-1\r\n');
  }

  /** Writes the table at the top, which stays there; returns true when it has been opened only. */
  #table(L: number): boolean {
    const vm = this.#vm;
    const { api } = vm;
    if (api.lua_checkstack(L, LEVEL_SLOTS) === 0) {
      this.#output.error(STACK_LIMIT_ERROR, false);
      return false;
    }
    if (!this.#hasNoNames(vm.objectAt(vm.top(L)))) {
      if (this.#simple(L)) return false;
      if (this.#has(L, 'map', LuaType.Table)) return this.#map(L);
      if (this.#has(L, 'set', LuaType.Table)) return this.#set(L);
    }
    let count = 0;
    for (;;) {
      api.lua_rawgeti(L, -1, count + 1);
      const isEnd = vm.typeAt(vm.top(L)) === LuaType.Nil;
      vm.pop(L);
      if (isEnd) break;
      count += 1;
    }
    this.#output.numberLine(ARRAY, count);
    this.#open(Next.Element, count);
    return true;
  }

  /** Writes the table at the top if it stands for another type of reply that is no container. */
  #simple(L: number): boolean {
    const vm = this.#vm;
    if (this.#has(L, 'err', LuaType.String)) {
      vm.pop(L);
      const { message, isCounted } = this.#errors.read(L);
      this.#output.error(message.replace(/^[\r\n]+|[\r\n]+$/g, ''), isCounted);
      return true;
    }
    return (
      this.#taken(L, 'ok', LuaType.String, () => this.#output.textLine('+', this.#cText(L))) ||
      this.#taken(L, 'double', LuaType.Number, () => this.#double(vm.numberAt(vm.top(L)))) ||
      this.#taken(L, 'big_number', LuaType.String, () => this.#bigNumber(L)) ||
      this.#verbatim(L)
    );
  }

  /** True when a table has no hash part, as arrays have none: it has no fields with names. */
  #hasNoNames(table: number): boolean {
    const { bytes, words } = this.#vm;
    if (bytes[table + Layout.tableNodeCountLog2] !== 0) return false;
    const node = words[(table + Layout.tableNodes) >> 2]!;
    return this.#vm.typeAt(node) === LuaType.Nil;
  }

  /** Pushes a field if it is of that type. */
  #has(L: number, name: string, type: number): boolean {
    const vm = this.#vm;
    vm.api.lua_pushlstring(L, vm.text(name), name.length);
    vm.api.lua_rawget(L, -2);
    if (vm.typeAt(vm.top(L)) === type) return true;
    vm.pop(L);
    return false;
  }

  #taken(L: number, name: string, type: number, write: () => void): boolean {
    if (!this.#has(L, name, type)) return false;
    write();
    this.#vm.pop(L);
    return true;
  }

  /** Text of the string at the top, to its first NUL byte. */
  #cText(L: number): string {
    return this.#vm.cText(this.#vm.objectAt(this.#vm.top(L)) + Layout.stringBytes);
  }

  #double(value: number): void {
    const text = formatDouble(value);
    if (this.#client === 3) this.#output.raw(`,${text}\r\n`);
    else this.#output.raw(`$${text.length}\r\n${text}\r\n`);
  }

  #bigNumber(L: number): void {
    const text = this.#vm.textOf(this.#vm.objectAt(this.#vm.top(L)));
    const line = text.replace(/[\r\n]/g, ' ');
    if (this.#client === 3) this.#output.textLine('(', line);
    else this.#output.raw(`$${line.length}\r\n${line}\r\n`);
  }

  #verbatim(L: number): boolean {
    const vm = this.#vm;
    if (!this.#has(L, 'verbatim_string', LuaType.Table)) return false;
    const isWhole = this.#taken(L, 'format', LuaType.String, () => undefined);
    if (!isWhole || !this.#has(L, 'string', LuaType.String)) {
      vm.pop(L);
      return false;
    }
    const object = vm.objectAt(vm.top(L));
    const length = vm.lengthOf(object);
    if (this.#client === 2) {
      this.#output.bulk(vm.bytes, object + Layout.stringBytes, length);
      vm.pop(L, 2);
      return true;
    }
    vm.api.lua_insert(L, -2);
    this.#has(L, 'format', LuaType.String);
    const format = this.#cText(L).slice(0, 3).padEnd(3);
    this.#output.raw(`=${length + 4}\r\n${format}:`);
    this.#output.bytes(vm.bytes, object + Layout.stringBytes, length);
    this.#output.raw('\r\n');
    vm.pop(L, 3);
    return true;
  }

  /** Opens the map at the top, which is a field of the table below. */
  #map(L: number): boolean {
    const count = this.#entries(L);
    if (this.#client === 3) this.#output.numberLine(MAP, count);
    else this.#output.numberLine(ARRAY, count * 2);
    return this.#openEntries(L, Next.Key);
  }

  #set(L: number): boolean {
    this.#output.numberLine(this.#client === 3 ? SET : ARRAY, this.#entries(L));
    return this.#openEntries(L, Next.Member);
  }

  #openEntries(L: number, state: number): boolean {
    this.#vm.api.lua_pushnil(L);
    this.#open(state, 0);
    return true;
  }

  /** Counts the entries of the table at the top. */
  #entries(L: number): number {
    const { api } = this.#vm;
    let count = 0;
    api.lua_pushnil(L);
    while (api.lua_next(L, -2) !== 0) {
      this.#vm.pop(L);
      count += 1;
    }
    return count;
  }
}

/** Cuts off fractions; what fits no integer of 64 bits becomes the least one. */
function truncated(value: number): number {
  if (Number.isSafeInteger(value)) return value;
  if (!(Math.abs(value) < 2 ** 63)) return -(2 ** 63);
  return Math.trunc(value) + 0;
}
