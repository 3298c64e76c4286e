import type { Command } from '../definition.ts';
import { stringFractions } from './count-float.ts';
import { stringCounting } from './count.ts';
import { stringComparison } from './lcs.ts';
import { stringsAtOnce } from './many.ts';
import { stringRanges } from './range.ts';
import { stringReading } from './read.ts';
import { stringSetting } from './set.ts';
import { stringTaking } from './take.ts';

export const stringCommands: readonly Command[] = [
  ...stringReading,
  ...stringSetting,
  ...stringsAtOnce,
  ...stringTaking,
  ...stringRanges,
  ...stringCounting,
  ...stringFractions,
  ...stringComparison,
];
