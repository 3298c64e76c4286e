import type { Command } from '../definition/definition.ts';
import { listChanges } from './change.ts';
import { listMoving } from './move.ts';
import { listPopping } from './pop.ts';
import { listSearching } from './position.ts';
import { listPushing } from './push.ts';
import { listReading } from './read.ts';

export const listCommands: readonly Command[] = [
  ...listPushing,
  ...listPopping,
  ...listReading,
  ...listChanges,
  ...listSearching,
  ...listMoving,
];
