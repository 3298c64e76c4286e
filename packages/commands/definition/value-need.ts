/** Need of commands for the values of their keys: what none of them looks at is not fetched from the warm tier. */

import type { ArgumentSource } from '../arguments/arguments.ts';
import type { Command } from './definition.ts';
import type { KeySpec } from './keys.ts';

/** True when the command looks at the values of the keys of a spec, or changes them where they are. */
export function needsValue(command: Command, spec: KeySpec, args: ArgumentSource): boolean {
  if (command.leavesValues === true || spec.notKey === true) return false;
  const { access, use = [] } = spec.variable?.(args) ?? spec;
  if (access === 'OW') return false;
  return access !== 'RM' || use.includes('access');
}
