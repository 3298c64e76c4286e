import type { Command } from '../definition/definition.ts';
import { pfadd, pfcount, pfmerge } from './count.ts';
import { pfdebug, pfselftest } from './debug.ts';

export const hyperloglogCommands: readonly Command[] = [
  pfadd,
  pfcount,
  pfmerge,
  pfdebug,
  pfselftest,
];
