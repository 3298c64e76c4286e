/** Errors of scripts as Redis makes them: tables with the text in `err`, and where it was raised. */

import { untilNul } from '#base';
import type { LuaVm } from '../lua-vm.ts';
import { ALL_RESULTS, LuaType, type HostFunction } from '../wasm/api.ts';

/** Size and fields of `lua_Debug`. */
const ACTIVATION_BYTES = 128;
const ACTIVATION_WHAT = 12;
const ACTIVATION_SOURCE = 16;
const ACTIVATION_LINE = 20;

/** Error in the place of a value that is nested too deeply. */
export const STACK_LIMIT_ERROR = 'ERR reached lua stack limit';

/** Place in a script. */
export interface ScriptPlace {
  readonly source: string;
  readonly line: number;
}

/** Error that ended a script. */
export interface ScriptError {
  /** Code and text, without the dash in front. */
  readonly message: string;
  readonly source?: string;
  readonly line?: string;
  /** True for errors of commands, which have been counted already. */
  readonly isCounted: boolean;
}

export class ScriptErrors {
  readonly #vm: LuaVm;
  readonly #activation: number;

  constructor(vm: LuaVm) {
    this.#vm = vm;
    this.#activation = vm.allocate(ACTIVATION_BYTES);
  }

  /** Pushes an error table; a text that begins with a dash brings its code, others get `ERR`. */
  push(L: number, text: string): void {
    const vm = this.#vm;
    vm.api.lua_createtable(L, 0, 1);
    vm.pushText(L, errorText(text));
    vm.setField(L, 'err');
  }

  /** Raises such a table. */
  raise(L: number, text: string): never {
    this.push(L, text);
    this.#vm.raise(L);
  }

  /** Returns the source position of the function `level` levels up; undefined if there are fewer levels. */
  place(L: number, level: number): ScriptPlace | undefined {
    if (!this.#find(L, level)) return undefined;
    const { words } = this.#vm;
    const at = this.#activation >> 2;
    const source = this.#vm.cText(words[at + (ACTIVATION_SOURCE >> 2)]!);
    return { source, line: words[at + (ACTIVATION_LINE >> 2)]! };
  }

  /** Makes the message handler: it turns what was raised into a table, and adds where that was. */
  handler(): HostFunction {
    const vm = this.#vm;
    const { api } = vm;
    return (L) => {
      api.lua_settop(L, 1);
      if (vm.typeAt(vm.argument(L, 1)) !== LuaType.Table) this.#intoTable(L);
      const level = this.#find(L, 1) && this.#isHost() ? 2 : 1;
      if (this.#find(L, level)) {
        const at = this.#activation >> 2;
        const source = vm.words[at + (ACTIVATION_SOURCE >> 2)]!;
        const line = vm.words[at + (ACTIVATION_LINE >> 2)]!;
        api.lua_pushlstring(L, source, vm.bytes.indexOf(0, source) - source);
        vm.setField(L, 'source');
        api.lua_pushnumber(L, line);
        vm.setField(L, 'line');
      }
      return 1;
    };
  }

  /** Makes `pcall`: of an error that is a table of Redis, scripts get the text alone. */
  pcall(): HostFunction {
    const vm = this.#vm;
    const { api } = vm;
    return (L) => {
      const count = vm.count(L);
      if (count === 0) vm.argumentError(L, 1, 'value expected');
      api.lua_pushboolean(L, 1);
      api.lua_insert(L, 1);
      if (api.lua_pcall(L, count - 1, ALL_RESULTS, 0) === 0) return vm.count(L);
      if (vm.typeAt(vm.top(L)) === LuaType.Table) {
        api.lua_getfield(L, -1, vm.text('err'));
        if (api.lua_isstring(L, -1) !== 0) api.lua_remove(L, -2);
      }
      api.lua_pushboolean(L, 0);
      api.lua_replace(L, 1);
      // A table without a text in `err` is followed by what was found there, as in Redis.
      return vm.count(L);
    };
  }

  /** Reads the error at the top of the stack, which stays there. */
  read(L: number): ScriptError {
    const vm = this.#vm;
    if (vm.typeAt(vm.top(L)) !== LuaType.Table) {
      return { message: `ERR ${untilNul(vm.topText(L) ?? 'execution failure')}`, isCounted: false };
    }
    const message = this.#field(L, 'err') ?? 'ERR execution failure';
    const source = this.#field(L, 'source');
    const line = this.#field(L, 'line');
    vm.api.lua_getfield(L, -1, vm.text('ignore_error_stats_update'));
    const counted = vm.top(L);
    const isCounted = vm.typeAt(counted) === LuaType.Boolean && vm.booleanAt(counted);
    vm.pop(L);
    return {
      message,
      ...(source === undefined ? {} : { source }),
      ...(line === undefined ? {} : { line }),
      isCounted,
    };
  }

  #field(L: number, name: string): string | undefined {
    this.#vm.api.lua_getfield(L, -1, this.#vm.text(name));
    const text = this.#vm.topText(L);
    this.#vm.pop(L);
    return text === undefined ? undefined : untilNul(text);
  }

  #find(L: number, level: number): boolean {
    const { api } = this.#vm;
    if (api.lua_getstack(L, level, this.#activation) === 0) return false;
    api.lua_getinfo(L, this.#vm.text('Sl'), this.#activation);
    return true;
  }

  /** True when the function that was found is none of Lua. */
  #isHost(): boolean {
    const { words, bytes } = this.#vm;
    const what = words[(this.#activation + ACTIVATION_WHAT) >> 2]!;
    return bytes[what] === 0x43 && bytes[what + 1] === 0;
  }

  /** Replaces the argument by a table with its text. */
  #intoTable(L: number): void {
    const vm = this.#vm;
    const { api } = vm;
    api.lua_createtable(L, 0, 3);
    vm.pushText(L, 'ERR ');
    this.#pushAsText(L);
    api.lua_concat(L, 2);
    vm.setField(L, 'err');
    api.lua_replace(L, 1);
  }

  #pushAsText(L: number): void {
    const vm = this.#vm;
    const value = vm.argument(L, 1);
    const type = vm.typeAt(value);
    if (type === LuaType.String || type === LuaType.Number) vm.api.lua_pushvalue(L, 1);
    else if (type === LuaType.Nil) vm.pushText(L, 'nil');
    else if (type === LuaType.Boolean) vm.pushText(L, String(vm.booleanAt(value)));
    else vm.pushText(L, `${OTHER_TYPES[type] ?? 'value'}: 0x${hex(vm.words[value >> 2]!)}`);
  }
}

const OTHER_TYPES: Readonly<Record<number, string>> = {
  [LuaType.LightUserdata]: 'userdata',
  [LuaType.Userdata]: 'userdata',
  [LuaType.Function]: 'function',
  [LuaType.Thread]: 'thread',
};

function hex(address: number): string {
  return address.toString(16).padStart(8, '0');
}

/** Text of an error reply without its dash: with a code in front, without line ends at either side. */
function errorText(text: string): string {
  const whole = untilNul(text);
  if (!whole.startsWith('-')) return `ERR ${trimmed(whole)}`;
  const space = whole.indexOf(' ');
  if (space < 0) return `ERR ${trimmed(whole.slice(1))}`;
  return `${whole.slice(1, space)} ${trimmed(whole.slice(space + 1))}`;
}

function trimmed(text: string): string {
  return text.replace(/^[\r\n]+|[\r\n]+$/g, '');
}
