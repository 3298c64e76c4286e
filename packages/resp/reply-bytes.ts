/** Form of replies in RESP2 and RESP3: the ends of lines, the first byte of each kind, and what is shown of a malformed one. */

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

/** Length of an absent bulk string or array in RESP2. */
export const ABSENT = '-1';

/** Characters of malformed input that its error shows. */
const SHOWN_CHARS = 32;

/** Returns a malformed line as its error shows it. */
export function shown(line: string): string {
  return JSON.stringify(line.slice(0, SHOWN_CHARS));
}
