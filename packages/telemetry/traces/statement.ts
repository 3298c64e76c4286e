/** A command as `db.statement` shows it: what is kept of its arguments, bounded, and on one line. */

import { isUtf8 } from 'node:buffer';
import type { Bytes } from '#base';

/** Characters of a statement. */
const STATEMENT_CHARS_MAX = 1_024;
const CUT = '...';

export function statementOf(args: readonly Bytes[]): string {
  let text = '';
  for (const [index, arg] of args.entries()) {
    text += index === 0 ? wordOf(arg) : ` ${wordOf(arg)}`;
    if (text.length > STATEMENT_CHARS_MAX) {
      return text.slice(0, STATEMENT_CHARS_MAX - CUT.length) + CUT;
    }
  }
  return text;
}

/** As it is where that is plain; else in quotation marks, with what cannot be shown as `\x00`. */
function wordOf(arg: Bytes): string {
  const bytes = Buffer.from(arg);
  const text = bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
  if (/^[\p{L}\p{N}\p{P}\p{S}]+$/u.test(text) && !/["\\]/.test(text)) return text;
  // A note of what was left out reads as one.
  if (/^[\x20-\x7e]*$/.test(text) && /^\(redacted\)$|\.\.\. \(\d+ more \w+\)$/.test(text))
    return text;
  return `"${text.replaceAll(/["\\\p{C}]|[\x80-\x9f]/gu, escaped)}"`;
}

function escaped(char: string): string {
  if (char === '"' || char === '\\') return `\\${char}`;
  const code = char.codePointAt(0) ?? 0;
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}
