import type { Command } from '../definition/definition.ts';
import { stringIncrementFloat } from './increment-float.ts';
import { stringIncrement } from './increment.ts';
import { stringComparison } from './lcs.ts';
import { stringMultiple } from './multiple.ts';
import { stringRanges } from './range.ts';
import { stringReading } from './read.ts';
import { stringSetting } from './set.ts';
import { stringGetAndRemove } from './get-and-remove.ts';

export const stringCommands: readonly Command[] = [
  ...stringReading,
  ...stringSetting,
  ...stringMultiple,
  ...stringGetAndRemove,
  ...stringRanges,
  ...stringIncrement,
  ...stringIncrementFloat,
  ...stringComparison,
];
