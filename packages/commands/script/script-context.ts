/** Context of the script family's commands on main. */

import type { MainContext } from '../contexts/contexts.ts';
import type { ScriptsPort } from '../contexts/script-ports.ts';

export interface ScriptContext extends MainContext {
  readonly scripts: ScriptsPort;
}
