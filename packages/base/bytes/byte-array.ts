/** The type of bytes everywhere: a plain view, whatever memory it is of. */

export type Bytes = Uint8Array;
