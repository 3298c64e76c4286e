/** Values of Lua as JSON, as the library `cjson` encodes them: read from memory, written into memory. */

import { formatGeneral } from '#base';
import { Layout, type LuaVm } from '../lua-vm.ts';
import { LuaType } from '../wasm/api.ts';
import { Setting } from './cjson-config.ts';
import { arraySlots, arrayStart, hashedIntegers, nodeSlots, nodesStart } from './table-reader.ts';
import type { WasmBuffer } from './wasm-buffer.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;
const ZERO = 0x30;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const ESCAPED_BYTES_MAX = 6;
const DIGITS_MAX = 16;
const INT32_MAX = 2 ** 31 - 1;
/** Maximum nesting depth regardless of the setting: this number of calls always fits the stack of a thread. */
const DEPTH_MAX = 2_000;

const TYPE_NAMES = [
  ...['nil', 'boolean', 'userdata', 'number', 'string', 'table', 'function', 'userdata', 'thread'],
];

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '"': '"',
    '/': '/',
    '\\': '\\',
    '\b': 'b',
    '\t': 't',
    '\n': 'n',
    '\f': 'f',
    '\r': 'r',
  }),
);

/** Escapes by byte; undefined for bytes that stand for themselves. */
const ESCAPES: readonly (string | undefined)[] = Array.from({ length: 256 }, (_, byte) => {
  const letter = SHORT_ESCAPES.get(String.fromCharCode(byte));
  if (letter !== undefined) return `\\${letter}`;
  return byte < 0x20 || byte === 0x7f ? `\\u${byte.toString(16).padStart(4, '0')}` : undefined;
});
const isEscaped = Uint8Array.from(ESCAPES, (escape) => Number(escape !== undefined));

export class JsonEncoder {
  readonly #vm: LuaVm;
  readonly #buffer: WasmBuffer;
  #L = 0;
  #settings = 0;

  constructor(vm: LuaVm, buffer: WasmBuffer) {
    this.#vm = vm;
    this.#buffer = buffer;
  }

  /** Puts the JSON of the value at an address into the buffer. */
  encode(L: number, settings: number, address: number): void {
    this.#L = L;
    this.#settings = settings;
    this.#buffer.clear();
    this.#value(address, 0);
  }

  #value(address: number, depth: number): void {
    const vm = this.#vm;
    switch (vm.typeAt(address)) {
      case LuaType.String:
        this.#string(vm.objectAt(address));
        return;
      case LuaType.Number:
        this.#number(vm.numberAt(address));
        return;
      case LuaType.Boolean:
        this.#buffer.text(this.#L, vm.booleanAt(address) ? 'true' : 'false');
        return;
      case LuaType.Table:
        this.#table(vm.objectAt(address), depth + 1);
        return;
      case LuaType.Nil:
        this.#buffer.text(this.#L, 'null');
        return;
      case LuaType.LightUserdata:
        if (vm.objectAt(address) === 0) this.#buffer.text(this.#L, 'null');
        else this.#refuse(address, 'type not supported');
        return;
      default:
        this.#refuse(address, 'type not supported');
    }
  }

  #string(object: number): void {
    const buffer = this.#buffer;
    const length = this.#vm.lengthOf(object);
    buffer.reserve(this.#L, length * ESCAPED_BYTES_MAX + 2);
    const { bytes } = this.#vm;
    let to = buffer.at;
    bytes[to++] = QUOTE;
    const start = object + Layout.stringBytes;
    const end = start + length;
    for (let from = start; from < end; from += 1) {
      const byte = bytes[from]!;
      if (isEscaped[byte] === 0) {
        bytes[to++] = byte;
        continue;
      }
      const escape = ESCAPES[byte]!;
      for (let nth = 0; nth < escape.length; nth += 1) bytes[to++] = escape.charCodeAt(nth);
    }
    bytes[to++] = QUOTE;
    buffer.at = to;
  }

  #number(value: number): void {
    const { words } = this.#vm;
    const precision = words[this.#settings + Setting.NumberPrecision]!;
    if (Number.isInteger(value) && value !== 0 && Math.abs(value) < 10 ** precision) {
      this.#integer(value);
      return;
    }
    if (Number.isFinite(value)) {
      this.#buffer.text(this.#L, formatGeneral(value, precision));
      return;
    }
    const mode = words[this.#settings + Setting.EncodeInvalidNumbers]!;
    if (mode === 0) this.#fail('number', 'must not be NaN or Inf');
    this.#buffer.text(this.#L, mode === 1 ? formatGeneral(value, precision) : 'null');
  }

  #integer(value: number): void {
    const buffer = this.#buffer;
    buffer.reserve(this.#L, DIGITS_MAX);
    const { bytes } = this.#vm;
    let rest = value;
    if (value < 0) {
      bytes[buffer.at++] = MINUS;
      rest = -value;
    }
    let count = 1;
    for (let limit = 10; rest >= limit; limit *= 10) count += 1;
    for (let at = buffer.at + count - 1; at >= buffer.at; at -= 1) {
      const next = Math.floor(rest / 10);
      bytes[at] = ZERO + rest - next * 10;
      rest = next;
    }
    buffer.at += count;
  }

  #table(table: number, depth: number): void {
    const limit = Math.min(this.#vm.words[this.#settings + Setting.EncodeMaxDepth]!, DEPTH_MAX);
    if (depth > limit) {
      this.#vm.error(this.#L, `Cannot serialise, excessive nesting (${depth})`);
    }
    const length = this.#arrayLength(table);
    if (length > 0) this.#array(table, length, depth);
    else this.#object(table, depth);
  }

  /** Largest index if all keys are positive integers, and not too sparse; -1 for others. */
  #arrayLength(table: number): number {
    const vm = this.#vm;
    let items = 0;
    let most = 0;
    const slots = arraySlots(vm, table);
    const array = arrayStart(vm, table);
    for (let nth = 0; nth < slots; nth += 1) {
      if (vm.typeAt(array + nth * Layout.valueBytes) === LuaType.Nil) continue;
      items += 1;
      most = nth + 1;
    }
    let node = nodesStart(vm, table);
    const end = node + nodeSlots(vm, table) * Layout.nodeBytes;
    for (; node < end; node += Layout.nodeBytes) {
      if (vm.typeAt(node) === LuaType.Nil) continue;
      const key = node + Layout.nodeKey;
      if (vm.typeAt(key) !== LuaType.Number) return -1;
      const number = vm.numberAt(key);
      if (number < 1 || Math.floor(number) !== number) return -1;
      // Indices beyond 32 bits become the least integer, as they do in C on x86-64.
      if (number > most) most = number > INT32_MAX ? -INT32_MAX - 1 : number;
      items += 1;
    }
    return this.#isTooSparse(items, most) ? -1 : most;
  }

  #isTooSparse(items: number, most: number): boolean {
    const { words } = this.#vm;
    const ratio = words[this.#settings + Setting.SparseRatio]!;
    if (ratio === 0 || most <= items * ratio) return false;
    if (most <= words[this.#settings + Setting.SparseSafe]!) return false;
    if (words[this.#settings + Setting.SparseConvert] === 0) {
      this.#fail('table', 'excessively sparse array');
    }
    return true;
  }

  #array(table: number, length: number, depth: number): void {
    const vm = this.#vm;
    const buffer = this.#buffer;
    const slots = Math.min(arraySlots(vm, table), length);
    const array = arrayStart(vm, table);
    buffer.byte(this.#L, OPEN_ARRAY);
    for (let nth = 0; nth < slots; nth += 1) {
      if (nth > 0) buffer.byte(this.#L, COMMA);
      this.#value(array + nth * Layout.valueBytes, depth);
    }
    if (slots < length) {
      const hashed = hashedIntegers(vm, table);
      for (let nth = slots + 1; nth <= length; nth += 1) {
        if (nth > 1) buffer.byte(this.#L, COMMA);
        const value = hashed.get(nth);
        if (value === undefined) buffer.text(this.#L, 'null');
        else this.#value(value, depth);
      }
    }
    buffer.byte(this.#L, CLOSE_ARRAY);
  }

  #object(table: number, depth: number): void {
    const vm = this.#vm;
    const buffer = this.#buffer;
    const slots = arraySlots(vm, table);
    const array = arrayStart(vm, table);
    let isFirst = true;
    buffer.byte(this.#L, OPEN_OBJECT);
    for (let nth = 0; nth < slots; nth += 1) {
      const value = array + nth * Layout.valueBytes;
      if (vm.typeAt(value) === LuaType.Nil) continue;
      if (!isFirst) buffer.byte(this.#L, COMMA);
      isFirst = false;
      this.#numberKey(nth + 1);
      this.#value(value, depth);
    }
    let node = nodesStart(vm, table);
    const end = node + nodeSlots(vm, table) * Layout.nodeBytes;
    for (; node < end; node += Layout.nodeBytes) {
      if (vm.typeAt(node) === LuaType.Nil) continue;
      if (!isFirst) buffer.byte(this.#L, COMMA);
      isFirst = false;
      this.#key(node + Layout.nodeKey);
      this.#value(node, depth);
    }
    buffer.byte(this.#L, CLOSE_OBJECT);
  }

  #key(address: number): void {
    const vm = this.#vm;
    const type = vm.typeAt(address);
    if (type === LuaType.String) {
      this.#string(vm.objectAt(address));
      this.#buffer.byte(this.#L, COLON);
    } else if (type === LuaType.Number) this.#numberKey(vm.numberAt(address));
    else this.#refuse(address, 'table key must be a number or string');
  }

  #numberKey(value: number): void {
    this.#buffer.byte(this.#L, QUOTE);
    this.#number(value);
    this.#buffer.byte(this.#L, QUOTE);
    this.#buffer.byte(this.#L, COLON);
  }

  #refuse(address: number, reason: string): never {
    this.#fail(TYPE_NAMES[this.#vm.typeAt(address)] ?? 'value', reason);
  }

  #fail(type: string, reason: string): never {
    this.#vm.error(this.#L, `Cannot serialise ${type}: ${reason}`);
  }
}
