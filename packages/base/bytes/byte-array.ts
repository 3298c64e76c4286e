/** The type of bytes everywhere: a plain view of any kind of memory. */

export type Bytes = Uint8Array;
