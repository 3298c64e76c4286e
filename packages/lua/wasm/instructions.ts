/** Instructions of WebAssembly, as bytes: those that are put in front of functions of the interpreter. */

import { signed, unsigned } from './binary.ts';

export const I32 = 0x7f;
export const NO_RESULT = 0x40;

export const op = {
  if: 0x04,
  else: 0x05,
  end: 0x0b,
  return: 0x0f,
  call: 0x10,
  select: 0x1b,
  localGet: 0x20,
  localTee: 0x22,
  globalGet: 0x23,
  load: 0x28,
  loadByteSigned: 0x2c,
  loadByte: 0x2d,
  store: 0x36,
  storeByte: 0x3a,
  constant: 0x41,
  doubleConstant: 0x44,
  isZero: 0x45,
  equal: 0x46,
  less: 0x48,
  greater: 0x4a,
  notLess: 0x4e,
  doubleLess: 0x63,
  add: 0x6a,
  subtract: 0x6b,
  and: 0x71,
  or: 0x72,
  shiftLeft: 0x74,
  shiftRight: 0x76,
  doubleMagnitude: 0x99,
} as const;

const WORD_ALIGNMENT_LOG2 = 2;

export const get = (local: number): number[] => [op.localGet, local];
export const constant = (value: number): number[] => [op.constant, ...signed(value)];
export const call = (number: number): number[] => [op.call, ...unsigned(number)];
export const load = (offset: number): number[] => [
  op.load,
  WORD_ALIGNMENT_LOG2,
  ...unsigned(offset),
];
export const loadByte = (offset: number): number[] => [op.loadByte, 0, ...unsigned(offset)];
export const storeByte = (offset: number): number[] => [op.storeByte, 0, ...unsigned(offset)];
export const store = (offset: number): number[] => [
  op.store,
  WORD_ALIGNMENT_LOG2,
  ...unsigned(offset),
];
