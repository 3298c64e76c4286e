import type { Command } from '../definition/definition.ts';
import { bitop } from './bitop.ts';
import { bitfield, bitfieldRo } from './fields.ts';
import { getbit, setbit } from './one-bit.ts';
import { bitcount, bitpos } from './range.ts';

export const bitmapCommands: readonly Command[] = [
  setbit,
  getbit,
  bitcount,
  bitpos,
  bitop,
  bitfield,
  bitfieldRo,
];
