/**
 * Finds whether functions of a library keep something from one call to the next, by what they were compiled to and what
 * they refer to now: an assignment to a variable of the library, or a table of it where any of them may change tables. So
 * that none is missed, a library that has a table and fills another one counts, too.
 */

import { Layout, type LuaVm } from './lua-vm.ts';
import { LuaType } from './wasm/api.ts';

/** Offsets in closures, variables of outer functions and prototypes. */
const CLOSURE_IS_C = 6;
const CLOSURE_VARIABLES = 7;
const CLOSURE_PROTOTYPE = 16;
const CLOSURE_VARIABLE = 20;
const VARIABLE_VALUE = 8;
const PROTOTYPE_CONSTANTS = 8;
const PROTOTYPE_CODE = 12;
const PROTOTYPE_INNER = 16;
const PROTOTYPE_CODE_LENGTH = 44;
const PROTOTYPE_VARIABLES = 72;

const Op = {
  getVariable: 4,
  getGlobal: 5,
  setVariable: 8,
  setTable: 9,
  setList: 34,
  closure: 36,
} as const;

/** Globals by which tables or environments are changed, or functions are kept in the midst of a call. */
const CHANGING = new Set(['table', 'rawset', 'setmetatable', 'setfenv', 'coroutine']);

/** True when what the function at an address, or one that it refers to, does may be seen by a later call. */
export function keepsState(vm: LuaVm, closure: number): boolean {
  return new Search(vm).keepsState(closure);
}

class Search {
  readonly #vm: LuaVm;
  readonly #seen = new Set<number>();
  #assigns = false;
  #hasTable = false;
  #changesTables = false;

  constructor(vm: LuaVm) {
    this.#vm = vm;
  }

  keepsState(closure: number): boolean {
    this.#closure(closure);
    return this.#assigns || (this.#hasTable && this.#changesTables);
  }

  #word(at: number): number {
    return this.#vm.words[at >> 2]!;
  }

  /** Looks at a value that later calls find again. */
  #value(address: number): void {
    const type = this.#vm.typeAt(address);
    if (type < LuaType.Table) return;
    const object = this.#vm.objectAt(address);
    if (this.#seen.has(object)) return;
    if (type === LuaType.Table) this.#table(object);
    else if (type === LuaType.Function) this.#closure(object);
    else this.#assigns = true;
  }

  #table(table: number): void {
    const { bytes } = this.#vm;
    this.#seen.add(table);
    if (this.#vm.isReadOnlyTable(table)) return;
    this.#hasTable = true;
    const array = this.#word(table + Layout.tableArray);
    const count = this.#word(table + Layout.tableArrayCount);
    for (let nth = 0; nth < count; nth += 1) this.#value(array + nth * Layout.valueBytes);
    const nodes = this.#word(table + Layout.tableNodes);
    const nodeCount = 1 << bytes[table + Layout.tableNodeCountLog2]!;
    for (let nth = 0; nth < nodeCount; nth += 1) {
      const node = nodes + nth * Layout.nodeBytes;
      if (this.#vm.typeAt(node) === LuaType.Nil) continue;
      this.#value(node);
      this.#value(node + Layout.nodeKey);
    }
  }

  #closure(closure: number): void {
    const { bytes } = this.#vm;
    this.#seen.add(closure);
    const count = bytes[closure + CLOSURE_VARIABLES]!;
    if (bytes[closure + CLOSURE_IS_C] === 1) {
      // A function of a library of Lua may change tables; one that has variables is one of a coroutine, or the like.
      this.#changesTables = true;
      if (count > 0) this.#assigns = true;
      return;
    }
    for (let nth = 0; nth < count; nth += 1) {
      const variable = this.#word(closure + CLOSURE_VARIABLE + 4 * nth);
      this.#value(this.#word(variable + VARIABLE_VALUE));
    }
    this.#code(this.#word(closure + CLOSURE_PROTOTYPE), new Array<boolean>(count).fill(true));
  }

  /** Looks at the instructions of a prototype; `shared` says which of its outer variables outlive a call. */
  #code(prototype: number, shared: readonly boolean[]): void {
    const code = this.#word(prototype + PROTOTYPE_CODE);
    const length = this.#word(prototype + PROTOTYPE_CODE_LENGTH);
    for (let at = 0; at < length; at += 1) {
      const instruction = this.#word(code + 4 * at);
      const wide = instruction >>> 14;
      const op = instruction & 0x3f;
      if (op === Op.setVariable && shared[instruction >>> 23] === true) this.#assigns = true;
      else if (op === Op.setTable) this.#changesTables = true;
      else if (op === Op.getGlobal) this.#global(prototype, wide);
      // The number of the elements follows.
      else if (op === Op.setList && (wide & 0x1ff) === 0) at += 1;
      else if (op === Op.closure) {
        const inner = this.#word(this.#word(prototype + PROTOTYPE_INNER) + 4 * wide);
        const count = this.#vm.bytes[inner + PROTOTYPE_VARIABLES]!;
        const variables = Array.from({ length: count }, (_, nth) => {
          const capture = this.#word(code + 4 * (at + 1 + nth));
          return (capture & 0x3f) === Op.getVariable && shared[capture >>> 23] === true;
        });
        at += count;
        this.#code(inner, variables);
      }
    }
  }

  #global(prototype: number, constant: number): void {
    const value = this.#word(prototype + PROTOTYPE_CONSTANTS) + constant * Layout.valueBytes;
    if (CHANGING.has(this.#vm.textOf(this.#vm.objectAt(value)))) this.#changesTables = true;
  }
}
