/** Encoding of Redis that a string value would have there. Here all strings are stored as text. */

import { type Bytes, parseInteger64 } from '#base';

/** The store's encoding bits of a string. */
export const StringForm = {
  /** Encoding by the text: `int`, `embstr` or `raw`. */
  derived: 0,
  /** Changed in place (APPEND, SETRANGE): `raw`, however short. */
  raw: 1,
  /** A number that is not kept as an integer (INCRBYFLOAT): never `int`. */
  text: 2,
} as const;

/** Longest string that Redis stores within its object. */
const EMBEDDED_BYTES_MAX = 44;
/** Longest text that Redis tries to read as an integer. */
const INTEGER_BYTES_MAX = 20;

/** `int`, `embstr` or `raw`. */
export function stringEncoding(form: number, bytes: Bytes, at: number, length: number): string {
  if (form === StringForm.raw) return 'raw';
  if (form === StringForm.derived && isInteger(bytes, at, length)) return 'int';
  return length <= EMBEDDED_BYTES_MAX ? 'embstr' : 'raw';
}

function isInteger(bytes: Bytes, at: number, length: number): boolean {
  return length <= INTEGER_BYTES_MAX && parseInteger64(bytes, at, length) !== undefined;
}
