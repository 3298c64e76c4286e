/** Scripts and functions. */

import { evalCommands } from './eval.ts';
import { functions } from './function.ts';
import { scripts } from './script.ts';

export const scriptCommands = [...evalCommands, scripts, functions];
