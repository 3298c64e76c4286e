/**
 * Interrupts by what has been done, and not by the count of instructions alone. One instruction can take as long as a
 * hundred million others: it doubles a string, sorts a table, or looks for a pattern that goes back and forth for ever.
 * So what takes long takes more off the count of instructions that are left until the hook is called, about one for
 * each five nanoseconds. The count stays 1 at least: the interpreter calls the hook when it comes to 0 by counting.
 *
 * Patterns, sorting and the repetition of strings are loops in C, which call the hook themselves. Searches for plain text and
 * the joining of jumps while a script is compiled call it before they begin.
 *
 * Finalizers (`__gc`) would run without a hook, perhaps in the midst of another script: there are none.
 */

import {
  call,
  constant,
  get,
  load,
  loadByte,
  NO_RESULT,
  op,
  store,
  storeByte,
} from './instructions.ts';

/** Functions by their number in the module. */
const LUA_LESSTHAN = 46;
const LUA_RAWGETI = 70;
const LUA_RAWSETI = 77;
const LUA_GC = 88;
const LUAL_ADDLSTRING = 120;
/** Joins a jump to a list of them: (state of the compiler, ...). */
const LUAK_CONCAT = 177;
const LUAK_PATCHLIST = 179;
const LUAK_PATCHTOHERE = 180;
const LUAD_CALLHOOK = 235;
const LUAD_PRECALL = 236;
const LUAM_REALLOC = 330;
/** Calls the finalizer of the first object that is to have one called. */
const GCTM = 250;
/** `find` and `match` of strings, before they look at their arguments. */
const STR_FIND_AUX = 396;
/** `match` of patterns: (state of the match, position in the text, position in the pattern). */
const MATCH = 402;

/** Offsets in a state of Lua. */
const HOOK_MASK = 56;
export const ALLOWS_HOOK = 57;
const BASE_HOOK_COUNT = 60;
export const HOOK_COUNT = 64;
/** Offsets in the state of a match. */
const MATCH_TEXT_END = 4;
const MATCH_STATE = 8;
/** Offsets in a state of Lua, that of all states, an object with a finalizer, and a table. */
const STATE_BASE = 12;
const STATE_GLOBAL = 16;
const GLOBAL_FINALIZED = 48;
const OBJECT_METATABLE = 8;
const TABLE_FLAGS = 6;
/** Bit of a table's flags: it has no `__gc`. */
const LACKS_FINALIZER = 4;
/** Offsets in the compiler's state. */
const COMPILER_STATE = 16;
const COMPILER_POSITION = 24;
/** Offsets in a value and in a string, and the type of one. */
const VALUE_TYPE = 8;
const STRING_LENGTH = 12;
const TYPE_STRING = 4;
/** Offset in a buffer of a string that is put together. */
const BUFFER_STATE = 8;

const COUNT_EVENT = 3;
const NO_LINE = -1;

/** Costs that are taken off the count, in instructions. */
const CALL_COST = 20;
const ELEMENT_COST = 4;
const COMPARISON_COST = 5;
const PIECE_COST = 1;
/** Bytes that are allocated, for one instruction. */
const BYTES_LOG2 = 6;
/** Characters that a match has before it, all of which it may look at, for one instruction. */
const CHARACTERS_LOG2 = 8;
/** Characters of a text that is searched, for one instruction. */
export const SEARCHED_LOG2 = 4;
/** Instructions compiled, each of which may be a jump in the list, for one instruction. */
const JUMPS_LOG2 = 6;

type Instructions = readonly number[];

/** Takes a cost off the count of a state; both are instructions that push a number, and have no effect else. */
function charge(state: Instructions, cost: Instructions, goesOn: Instructions = []): number[] {
  const left = [...state, ...load(HOOK_COUNT)];
  return [
    ...[...state, ...left, ...cost, op.subtract, ...constant(1)],
    ...[...left, ...cost, op.greater, ...goesOn, op.select, ...store(HOOK_COUNT)],
  ];
}

/** Takes a cost off the count, and calls the hook when that is used up. */
function chargeInLoop(state: Instructions, cost: Instructions): number[] {
  const left = [...state, ...load(HOOK_COUNT)];
  return [
    ...[...state, ...loadByte(HOOK_MASK), op.if, NO_RESULT],
    ...[...left, ...cost, op.greater, op.if, NO_RESULT],
    ...[...state, ...left, ...cost, op.subtract, ...store(HOOK_COUNT)],
    ...[op.else, ...state, ...state, ...load(BASE_HOOK_COUNT), ...store(HOOK_COUNT)],
    ...[...state, ...constant(COUNT_EVENT), ...constant(NO_LINE), ...call(LUAD_CALLHOOK), op.end],
    op.end,
  ];
}

/** Marks the metatable of the object that is to be finalized as one without `__gc`. */
const withoutFinalizer = [
  ...[...get(0), ...load(STATE_GLOBAL), ...load(GLOBAL_FINALIZED), ...load(0)],
  ...[...load(OBJECT_METATABLE), op.localTee, 1, op.if, NO_RESULT],
  ...[...get(1), ...get(1), ...loadByte(TABLE_FLAGS), ...constant(LACKS_FINALIZER), op.or],
  ...[...storeByte(TABLE_FLAGS), op.end],
];

/** Charges the length of the first argument, if it is a string. */
function chargeSearched(): number[] {
  const first = [...get(0), ...load(STATE_BASE)];
  const length = [...first, ...load(0), ...load(STRING_LENGTH)];
  const cost = [...length, ...constant(SEARCHED_LOG2), op.shiftRight, ...constant(1), op.add];
  return [
    ...[...first, ...load(VALUE_TYPE), ...constant(TYPE_STRING), op.equal, op.if, NO_RESULT],
    ...[...chargeInLoop(get(0), cost), op.end],
  ];
}

/** Instructions in front of functions, by their number; `stopping` is the global that says whether the script is to end. */
export function interruptPrologues(stopping: number): readonly (readonly [number, Instructions])[] {
  const state = get(0);
  // What is called while the script is being stopped is not begun: the next instruction of the caller ends it too.
  const unlessStopping = [op.globalGet, stopping, op.isZero, op.and];
  const allocated = [...get(3), ...constant(BYTES_LOG2), op.shiftRight];
  const joined = [
    ...[...get(0), ...load(COMPILER_POSITION), ...constant(JUMPS_LOG2), op.shiftRight],
    ...[...constant(1), op.add],
  ];
  const joining = chargeInLoop([...get(0), ...load(COMPILER_STATE)], joined);
  const matched = [
    ...[...get(0), ...load(MATCH_TEXT_END), ...get(1), op.subtract],
    ...[...constant(CHARACTERS_LOG2), op.shiftRight, ...constant(1), op.add],
  ];
  return [
    [LUAD_PRECALL, charge(state, constant(CALL_COST), unlessStopping)],
    [LUAM_REALLOC, charge(state, allocated)],
    [LUA_RAWGETI, charge(state, constant(ELEMENT_COST))],
    [LUA_RAWSETI, charge(state, constant(ELEMENT_COST))],
    // All objects are visited, however many there are.
    [LUA_GC, [...state, ...constant(1), ...store(HOOK_COUNT)]],
    [LUA_LESSTHAN, chargeInLoop(state, constant(COMPARISON_COST))],
    // What is allocated for it has been charged.
    [LUAL_ADDLSTRING, chargeInLoop([...get(0), ...load(BUFFER_STATE)], constant(PIECE_COST))],
    [LUAK_CONCAT, joining],
    [LUAK_PATCHLIST, joining],
    [LUAK_PATCHTOHERE, joining],
    [GCTM, withoutFinalizer],
    [STR_FIND_AUX, chargeSearched()],
    [MATCH, chargeInLoop([...get(0), ...load(MATCH_STATE)], matched)],
  ];
}
