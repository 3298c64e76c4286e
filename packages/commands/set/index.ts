import type { Command } from '../definition/definition.ts';
import { setChanges } from './change.ts';
import { setOperations } from './set-operations.ts';
import { setReading } from './read.ts';
import { setDrawing } from './random.ts';

export const setCommands: readonly Command[] = [
  ...setChanges,
  ...setReading,
  ...setDrawing,
  ...setOperations,
];
