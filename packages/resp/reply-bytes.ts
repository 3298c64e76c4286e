/** Bytes of replies in RESP2 and RESP3: the ends of lines, and the first byte of each kind. */

export const CR = 0x0d;
export const LF = 0x0a;
export const STATUS = 0x2b;
export const ERROR = 0x2d;
export const NUMBER = 0x3a;
export const BULK = 0x24;
export const BULK_ERROR = 0x21;
export const VERBATIM = 0x3d;
export const ARRAY = 0x2a;
export const SET = 0x7e;
export const MAP = 0x25;
export const PUSH = 0x3e;
export const ATTRIBUTE = 0x7c;
export const NULL = 0x5f;
export const BOOLEAN = 0x23;
export const DOUBLE = 0x2c;
export const BIG_NUMBER = 0x28;
