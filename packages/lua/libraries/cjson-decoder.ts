/** JSON as values of Lua, as the library `cjson` decodes it. */

import { Layout, type LuaVm } from '../lua-vm.ts';
import { LuaType } from '../wasm/api.ts';
import { Setting } from './cjson-config.ts';
import { NumberReader } from './cjson-numbers.ts';
import { JsonStringReader } from './cjson-strings.ts';

/** Tokens, which errors name so. */
const Token = {
  ObjectBegin: 'T_OBJ_BEGIN',
  ObjectEnd: 'T_OBJ_END',
  ArrayBegin: 'T_ARR_BEGIN',
  ArrayEnd: 'T_ARR_END',
  String: 'T_STRING',
  Number: 'T_NUMBER',
  Boolean: 'T_BOOLEAN',
  Null: 'T_NULL',
  Colon: 'T_COLON',
  Comma: 'T_COMMA',
  End: 'T_END',
  Error: 'T_ERROR',
} as const;
type Token = (typeof Token)[keyof typeof Token];

/** Tokens of one byte, by that byte. */
const SINGLE = new Array<Token | undefined>(256).fill(undefined);
for (const [letter, token] of [
  ['{', Token.ObjectBegin],
  ['}', Token.ObjectEnd],
  ['[', Token.ArrayBegin],
  [']', Token.ArrayEnd],
  [',', Token.Comma],
  [':', Token.Colon],
] as const) {
  SINGLE[letter.charCodeAt(0)] = token;
}

const QUOTE = 0x22;
const MINUS = 0x2d;
const SPACE = 0x20;
/** Slots of Lua's stack for a key, a value and a table. */
const LEVEL_SLOTS = 3;
/** Maximum nesting depth regardless of the setting: this number of calls always fits the stack of a thread. */
const DEPTH_MAX = 2_000;

export class JsonDecoder {
  readonly #vm: LuaVm;
  readonly #numbers = new NumberReader();
  readonly #strings: JsonStringReader;
  #L = 0;
  #settings = 0;
  #data = 0;
  #at = 0;
  #depth = 0;
  /** Place of the token read last, its number or truth, and what is wrong with it. */
  #tokenAt = 0;
  #number = 0;
  #fault = '';

  constructor(vm: LuaVm) {
    this.#vm = vm;
    this.#strings = new JsonStringReader(vm);
  }

  /** Pushes the value of a text that ends with a NUL byte. */
  decode(L: number, settings: number, data: number, length: number): void {
    this.#L = L;
    this.#settings = settings;
    this.#data = data;
    this.#at = data;
    this.#depth = 0;
    this.#strings.begin(L, length);
    this.#value(this.#next());
    const token = this.#next();
    if (token !== Token.End) this.#fail('the end', token);
  }

  /** Reads the next token. */
  #next(): Token {
    const { bytes } = this.#vm;
    let byte = bytes[this.#at]!;
    while (byte <= SPACE && (byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09)) {
      byte = bytes[++this.#at]!;
    }
    this.#tokenAt = this.#at;
    if (byte === QUOTE) {
      const fault = this.#strings.read(this.#at);
      this.#at = this.#strings.end;
      return fault === undefined ? Token.String : this.#faulty(fault);
    }
    const single = SINGLE[byte];
    if (single !== undefined) {
      this.#at += 1;
      return single;
    }
    if (byte === MINUS || (byte >= 0x30 && byte <= 0x39)) {
      if (this.#vm.words[this.#settings + Setting.DecodeInvalidNumbers] === 0) {
        if (this.#isInvalidNumber()) return this.#faulty('invalid number');
      }
      return this.#numberToken();
    }
    return byte === 0 ? Token.End : this.#word();
  }

  /** Reads a token that begins with another byte: a word as a rule. */
  #word(): Token {
    if (this.#isWord('true') || this.#isWord('false')) {
      this.#number = Number(this.#vm.bytes[this.#at] === 0x74);
      this.#at += this.#number === 1 ? 4 : 5;
      return Token.Boolean;
    }
    if (this.#isWord('null')) {
      this.#at += 4;
      return Token.Null;
    }
    const first = this.#vm.bytes[this.#at]!;
    const isKnown = 'fiInNt+'.includes(String.fromCharCode(first));
    const takesInvalid = this.#vm.words[this.#settings + Setting.DecodeInvalidNumbers] !== 0;
    if (isKnown && takesInvalid && this.#isInvalidNumber()) return this.#numberToken();
    return this.#faulty('invalid token');
  }

  #numberToken(): Token {
    this.#number = this.#numbers.read(this.#vm.bytes, this.#at);
    if (this.#numbers.end === this.#at) return this.#faulty('invalid number');
    this.#at = this.#numbers.end;
    return Token.Number;
  }

  /** True for numbers that C reads and JSON does not have: hexadecimal, with zeros in front, infinite, none. */
  #isInvalidNumber(): boolean {
    const text = this.#vm.textAt(this.#at, 5);
    if (text.startsWith('+')) return true;
    const unsigned = text.startsWith('-') ? text.slice(1) : text;
    if (unsigned.startsWith('0')) return /^0[xX\d]/.test(unsigned);
    if (unsigned.charCodeAt(0) <= 0x39) return false;
    return /^(?:inf|nan)/i.test(unsigned);
  }

  #isWord(word: string): boolean {
    const { bytes } = this.#vm;
    for (let nth = 0; nth < word.length; nth += 1) {
      if (bytes[this.#at + nth] !== word.charCodeAt(nth)) return false;
    }
    return true;
  }

  #faulty(fault: string): Token {
    this.#fault = fault;
    this.#tokenAt = this.#at;
    return Token.Error;
  }

  #value(token: Token): void {
    const { api } = this.#vm;
    switch (token) {
      case Token.String:
        api.lua_pushlstring(this.#L, this.#strings.start, this.#strings.length);
        return;
      case Token.Number:
        this.#pushNumber(this.#number);
        return;
      case Token.Boolean:
        api.lua_pushboolean(this.#L, this.#number);
        return;
      case Token.ObjectBegin:
        this.#object();
        return;
      case Token.ArrayBegin:
        this.#array();
        return;
      case Token.Null:
        api.lua_pushlightuserdata(this.#L, 0);
        return;
      default:
        this.#fail('value', token);
    }
  }

  /** Pushes a number without a call: there is room, since each level has asked for it. */
  #pushNumber(value: number): void {
    const { words, doubles } = this.#vm;
    const state = (this.#L + Layout.stateTop) >> 2;
    const top = words[state]!;
    doubles[top >> 3] = value;
    words[(top + Layout.valueType) >> 2] = LuaType.Number;
    words[state] = top + Layout.valueBytes;
  }

  #object(): void {
    const { api } = this.#vm;
    this.#descend();
    api.lua_createtable(this.#L, 0, 0);
    let token = this.#next();
    if (token !== Token.ObjectEnd) {
      for (;;) {
        if (token !== Token.String) this.#fail('object key string', token);
        api.lua_pushlstring(this.#L, this.#strings.start, this.#strings.length);
        token = this.#next();
        if (token !== Token.Colon) this.#fail('colon', token);
        this.#value(this.#next());
        api.lua_rawset(this.#L, -3);
        token = this.#next();
        if (token === Token.ObjectEnd) break;
        if (token !== Token.Comma) this.#fail('comma or object end', token);
        token = this.#next();
      }
    }
    this.#depth -= 1;
  }

  #array(): void {
    const { api } = this.#vm;
    this.#descend();
    api.lua_createtable(this.#L, 0, 0);
    let token = this.#next();
    if (token !== Token.ArrayEnd) {
      for (let nth = 1; ; nth += 1) {
        this.#value(token);
        api.lua_rawseti(this.#L, -2, nth);
        token = this.#next();
        if (token === Token.ArrayEnd) break;
        if (token !== Token.Comma) this.#fail('comma or array end', token);
        token = this.#next();
      }
    }
    this.#depth -= 1;
  }

  #descend(): void {
    this.#depth += 1;
    const vm = this.#vm;
    const limit = Math.min(vm.words[this.#settings + Setting.DecodeMaxDepth]!, DEPTH_MAX);
    if (this.#depth <= limit && vm.api.lua_checkstack(this.#L, LEVEL_SLOTS) !== 0) return;
    const place = this.#at - this.#data;
    const depth = `(${this.#depth}) at character ${place}`;
    vm.error(this.#L, `Found too many nested data structures ${depth}`);
  }

  #fail(expected: string, token: Token): never {
    const found = token === Token.Error ? this.#fault : token;
    const place = this.#tokenAt - this.#data + 1;
    this.#vm.error(this.#L, `Expected ${expected} but found ${found} at character ${place}`);
  }
}
