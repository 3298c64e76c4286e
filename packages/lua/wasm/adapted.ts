/**
 * Changes of the compiled interpreter that make it Redis' Lua: instructions in front of those of a few functions.
 *
 * Read-only tables, which Lua 5.1 does not have: a table is read-only while the highest bit of its `marked` byte is
 * set, which the collector keeps and never reads. The two functions through which every value gets into a table look
 * at it first, and the one that sets metatables. So nothing is slower but a write, by one load and one branch.
 *
 * Precompiled chunks, which could do anything, are read as text. Integers too large for 32 bits become the largest
 * ones, as ends of strings that are far away do where integers have 64 bits.
 *
 * Interrupts come by what was done, and not by the count of instructions alone: see `interrupts.ts`.
 */

import { createHash } from 'node:crypto';
import { assert } from '#base';
import {
  ExportKind,
  moduleOf,
  Section,
  sectionsOf,
  wasmName,
  withEntries,
  withPrologues,
} from './binary.ts';
import { call, constant, get, I32, load, NO_RESULT, op } from './instructions.ts';
import { interruptPrologues } from './interrupts.ts';

/** The file of wasmoon-lua5.1 1.18.10: numbers of functions hold for this one alone. */
const FILE_SHA256 = 'cba969b97e8a319eba8996b5df488aed5cdd22a56f2de53b42598e474014e610';

/** Name of the exported global that holds the address of the error's text. */
export const READ_ONLY_MESSAGE = 'svc_read_only_message';
/** Name of the exported global that is not 0 while the script that runs is being stopped. */
export const IS_STOPPING = 'svc_is_stopping';

const IMPORTED_FUNCTIONS = 27;
/** The module has four globals: these are added. */
const MESSAGE_GLOBAL = 4;
const STOPPING_GLOBAL = 5;

/** Functions by their number in the module. */
const LUA_SETMETATABLE = 78;
const LUA_TONUMBER = 47;
const LUA_TOINTEGER = 48;
const LUAG_RUNERROR = 228;
const LUAY_PARSER = 363;
const LUAH_SET = 418;
const LUAH_SETNUM = 419;
const LUAU_UNDUMP = 436;

/** Offsets in Lua's structures that the instructions read. */
const STATE_TOP = 8;
const STATE_BASE = 12;
const VALUE_TYPE = 8;
const VALUE_BYTES_LOG2 = 4;
const TABLE_MARKED = 5;
const TYPE_TABLE = 5;
/** Indices below are pseudo-indices. */
const STACK_INDEX_MIN = -9999;

/** 2^63 as a double: numbers from here on fit no integer. */
const INT64_END = [0, 0, 0, 0, 0, 0, 0xe0, 0x43];
const INT32_MIN = -(2 ** 31);

/** Raises the error if the table whose address is on the stack is read-only. */
const refuseIfReadOnly = [
  ...[op.loadByteSigned, 0, TABLE_MARKED, ...constant(0), op.less],
  ...[op.if, NO_RESULT, ...get(0), op.globalGet, MESSAGE_GLOBAL, ...constant(0)],
  ...[...call(LUAG_RUNERROR), op.end],
];

/** For functions of a state and a table. */
const tableGuard = [...get(1), ...refuseIfReadOnly];

/** For `lua_setmetatable`, whose first variable is free until it has found the value itself. */
const metatableGuard = [
  ...[...get(1), ...constant(STACK_INDEX_MIN), op.notLess, op.if, NO_RESULT],
  ...[...get(1), ...constant(0), op.greater, op.if, I32],
  ...[...get(0), ...load(STATE_BASE), ...constant(-(1 << VALUE_BYTES_LOG2)), op.add],
  ...[op.else, ...get(0), ...load(STATE_TOP), op.end],
  ...[...get(1), ...constant(VALUE_BYTES_LOG2), op.shiftLeft, op.add, op.localTee, 2],
  ...[...load(VALUE_TYPE), ...constant(TYPE_TABLE), op.equal, op.if, NO_RESULT],
  ...[...get(2), ...load(0), ...refuseIfReadOnly, op.end, op.end],
];

/** In place of `luaU_undump`. */
const readAsText = [
  ...[...get(0), ...get(1), ...get(2), ...get(3)],
  ...[...call(LUAY_PARSER), op.return],
];

const argumentNumber = [...get(0), ...get(1), ...call(LUA_TONUMBER)];
const truncateSaturating = [0xfc, 2];

/** In place of `lua_tointeger`. */
const toInteger = [
  ...[...argumentNumber, op.doubleMagnitude, op.doubleConstant, ...INT64_END, op.doubleLess],
  ...[op.if, I32, ...argumentNumber, ...truncateSaturating],
  ...[op.else, ...constant(INT32_MIN), op.end, op.return],
];

const prologues = new Map<number, readonly number[]>([
  [LUA_SETMETATABLE - IMPORTED_FUNCTIONS, metatableGuard],
  [LUAU_UNDUMP - IMPORTED_FUNCTIONS, readAsText],
  [LUA_TOINTEGER - IMPORTED_FUNCTIONS, toInteger],
  [LUAH_SET - IMPORTED_FUNCTIONS, tableGuard],
  [LUAH_SETNUM - IMPORTED_FUNCTIONS, tableGuard],
  ...interruptPrologues(STOPPING_GLOBAL).map(
    ([number, instructions]) => [number - IMPORTED_FUNCTIONS, instructions] as const,
  ),
]);

/** Makes the changes in the interpreter's file, which has to be the one that they were written for. */
export function adapted(file: Uint8Array): Uint8Array<ArrayBuffer> {
  const hash = createHash('sha256').update(file).digest('hex');
  assert(hash === FILE_SHA256, 'the installed liblua5.1.wasm is that of wasmoon-lua5.1 1.18.10');
  const global = [I32, 1, ...constant(0), op.end];
  const entries = [
    [...wasmName(READ_ONLY_MESSAGE), ExportKind.Global, MESSAGE_GLOBAL],
    [...wasmName(IS_STOPPING), ExportKind.Global, STOPPING_GLOBAL],
  ];
  const changed = sectionsOf(file).map((section) => {
    if (section.id === Section.Global) return withEntries(section, [global, global]);
    if (section.id === Section.Export) return withEntries(section, entries);
    return section.id === Section.Code ? withPrologues(section, prologues) : section;
  });
  return moduleOf(changed);
}
