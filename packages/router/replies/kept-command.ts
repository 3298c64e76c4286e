/** A command that may be logged once it is answered. */

import type { KeptArguments } from '#stats';

export interface KeptCommand {
  readonly args: KeptArguments;
  /** Bytes of its request if it is a large one; else 0. */
  requestBytes: number;
}
