/** Ways back into the machine, for parts that are made before it: called only when it runs. */

import type { Frame } from '../frames/frame.ts';

export interface MachineWays {
  /** Processes a frame; `names` are the names of its keys, if known. */
  dispatch(frame: Frame, names?: readonly string[] | null): void;
  /** Writes logged records before their replies are published; returns false on failure. */
  settle(): boolean;
  /** Publishes replies and effects. */
  show(): void;
  /** Processes a frame while a script waits; false if there was none. */
  work(): boolean;
  /** Position in the ring after the current frame. */
  placeBehind(): number;
  /** Defers a command that blocks or takes long, by the state of the context. */
  putOff(frame: Frame): void;
  /** A command that has waited was run and answered. */
  answered(frame: Frame): void;
}
