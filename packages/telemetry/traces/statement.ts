/** Formats a command for `db.statement`: its name and arguments on one line, with limited length. */

import { readable } from '#base';
import type { KeptArgument, TraceRecord } from '#link';

/** Characters of a statement. */
const STATEMENT_CHARS_MAX = 1_024;
const CUT = '...';

export function statementOf({ args, argumentCount }: TraceRecord): string {
  let text = '';
  for (const [index, arg] of args.entries()) {
    text += index === 0 ? wordOf(arg) : ` ${wordOf(arg)}`;
    if (text.length > STATEMENT_CHARS_MAX) {
      return text.slice(0, STATEMENT_CHARS_MAX - CUT.length) + CUT;
    }
  }
  const left = argumentCount - args.length;
  return left === 0 ? text : `${text} ... (${left} more arguments)`;
}

/** As it is where that is plain; else in quotation marks, with what cannot be shown as `\x00`. */
function wordOf({ bytes, length }: KeptArgument): string {
  if (length < 0) return '(redacted)';
  const text = readable(bytes);
  const isPlain = /^[\p{L}\p{N}\p{P}\p{S}]+$/u.test(text) && !/["\\]/.test(text);
  const word = isPlain ? text : `"${text.replaceAll(/["\\\p{C}]|[\x80-\x9f]/gu, escaped)}"`;
  const left = length - bytes.length;
  return left === 0 ? word : `${word}... (${left} more bytes)`;
}

function escaped(char: string): string {
  if (char === '"' || char === '\\') return `\\${char}`;
  const code = char.codePointAt(0) ?? 0;
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}
