import type { Command } from '../definition/definition.ts';
import { sortedSetAdding } from './add.ts';
import { sortedSetOperations } from './set-operations.ts';
import { sortedSetPopping } from './pop.ts';
import { sortedSetDrawing } from './random.ts';
import { sortedSetRanges } from './range.ts';
import { sortedSetReading } from './read.ts';
import { sortedSetRemoval } from './remove.ts';
import { sortedSetScanning } from './scan.ts';

export const sortedSetCommands: readonly Command[] = [
  ...sortedSetAdding,
  ...sortedSetReading,
  ...sortedSetRanges,
  ...sortedSetRemoval,
  ...sortedSetPopping,
  ...sortedSetDrawing,
  ...sortedSetScanning,
  ...sortedSetOperations,
];
