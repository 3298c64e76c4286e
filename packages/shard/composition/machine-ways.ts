/** Ways back into the machine, for parts that are made before it: called only when it runs. */

import type { Frame } from '../frames/frame.ts';

export interface MachineWays {
  /** Does what a frame says; `names` are those of its keys, where they are known. */
  dispatch(frame: Frame, names?: readonly string[] | null): void;
  /** Writes what was logged before replies are shown; false when it cannot be. */
  settle(): boolean;
  /** Shows all what was done. */
  show(): void;
  /** Processes a frame while a script waits; false if there was none. */
  work(): boolean;
  /** Position in the ring behind the frame at hand. */
  placeBehind(): number;
  /** A command has found nothing and waits, or takes long: the context says which. */
  putOff(frame: Frame): void;
  /** A command that has waited was run and answered. */
  answered(frame: Frame): void;
}
