/** Entries of an archive of the form tar (POSIX ustar), written one after the other: their sizes are known, their content comes. */

import type { Bytes } from '#base';

const BLOCK_BYTES = 512;
const NAME_CHARS_MAX = 100;
const MODE = 0o600;
/** Places of fields in the head of an entry. */
const FIELD = { mode: 100, owner: 108, group: 116, size: 124, time: 136, sum: 148, kind: 156 };
const MAGIC_AT = 257;

interface TarEntry {
  readonly name: string;
  readonly byteCount: number;
  readonly timeMs: number;
}

/** Head of a file's entry. */
export function tarHead({ name, byteCount, timeMs }: TarEntry): Bytes {
  if (Buffer.byteLength(name) > NAME_CHARS_MAX) throw new Error(`${name} is too long for a name`);
  const head = Buffer.alloc(BLOCK_BYTES);
  const octal = (at: number, length: number, value: number): void => {
    head.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  };
  head.write(name, 0);
  octal(FIELD.mode, 8, MODE);
  octal(FIELD.owner, 8, 0);
  octal(FIELD.group, 8, 0);
  octal(FIELD.size, 12, byteCount);
  octal(FIELD.time, 12, Math.floor(timeMs / 1_000));
  head.write('0', FIELD.kind, 'latin1');
  head.write('ustar\x0000', MAGIC_AT, 'latin1');
  // The sum counts itself as eight spaces.
  head.fill(' ', FIELD.sum, FIELD.sum + 8);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, FIELD.sum, 'latin1');
  return head;
}

/** Bytes that follow content of a size, up to a whole block. */
export function tarFill(byteCount: number): Bytes {
  return new Uint8Array((BLOCK_BYTES - (byteCount % BLOCK_BYTES)) % BLOCK_BYTES);
}

/** The end of an archive. */
export const TAR_END: Bytes = new Uint8Array(2 * BLOCK_BYTES);
