import type { Command } from '../definition/definition.ts';
import { stringDigests } from './conditions/condition.ts';
import { stringIncrementFloat } from './increment-float.ts';
import { stringIncrementBounded } from './increment-bounded.ts';
import { stringIncrement } from './increment.ts';
import { stringComparison } from './lcs.ts';
import { stringMultiple } from './multiple.ts';
import { stringRanges } from './range.ts';
import { stringReading } from './read.ts';
import { stringSetting } from './set.ts';
import { stringGetAndRemove } from './get-and-remove.ts';
import { stringRemovals } from './conditions/remove-if.ts';

export const stringCommands: readonly Command[] = [
  ...stringReading,
  ...stringSetting,
  ...stringMultiple,
  ...stringGetAndRemove,
  ...stringRemovals,
  ...stringDigests,
  ...stringRanges,
  ...stringIncrement,
  ...stringIncrementFloat,
  ...stringIncrementBounded,
  ...stringComparison,
];
