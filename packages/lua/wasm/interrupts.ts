/**
 * Interrupts by what has been done, and not by the count of instructions alone. One instruction can take as long as a
 * hundred million others: it doubles a string, sorts a table, or looks for a pattern that goes back and forth for ever.
 * So what takes long takes more off the count of instructions that are left until the hook is called, about one for
 * each five nanoseconds. The count stays 1 at least: the interpreter calls the hook when it comes to 0 by counting.
 *
 * Patterns, sorting and the repetition of strings are loops in C, which call the hook themselves.
 */

import { call, constant, get, load, loadByte, NO_RESULT, op, store } from './instructions.ts';

/** Functions by their number in the module. */
const LUA_LESSTHAN = 46;
const LUA_RAWGETI = 70;
const LUA_RAWSETI = 77;
const LUA_GC = 88;
const LUAL_ADDLSTRING = 120;
const LUAD_CALLHOOK = 235;
const LUAD_PRECALL = 236;
const LUAM_REALLOC = 330;
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

/** Instructions in front of functions, by their number; `stopping` is the global that says whether the script is to end. */
export function interruptPrologues(stopping: number): readonly (readonly [number, Instructions])[] {
  const state = get(0);
  // What is called while the script is being stopped is not begun: the next instruction of the caller ends it too.
  const unlessStopping = [op.globalGet, stopping, op.isZero, op.and];
  const allocated = [...get(3), ...constant(BYTES_LOG2), op.shiftRight];
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
    [MATCH, chargeInLoop([...get(0), ...load(MATCH_STATE)], matched)],
  ];
}
