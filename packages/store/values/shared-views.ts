/** Views of keys and values that the databases of a store share. */

import { ByteViews } from '#base';

/** A place in memory. */
export interface ByteRange {
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly length: number;
}

/** A place in memory that the next call overwrites. */
export class ValueView implements ByteRange {
  bytes: Uint8Array = new Uint8Array(0);
  /** View of the same bytes; without it they are the value's alone, and begin with it. */
  view: DataView | undefined;
  at = 0;
  length = 0;

  /** Clears the views, whose memory may be freed. */
  letGo(): void {
    this.bytes = new Uint8Array(0);
    this.view = undefined;
  }
}

export class SharedViews {
  readonly keys = new ByteViews();
  readonly values = new ByteViews();
  /** The value last read. */
  readonly value = new ValueView();
}
