/** Inline commands: a line of words, with quotes as Redis' `sdssplitargs` understands them. */

import type { Bytes } from '#base';
import type { ParsedCommand } from './parsed-command.ts';

const DOUBLE = 0x22;
const SINGLE = 0x27;
const BACKSLASH = 0x5c;
const HEX_MARK = 0x78;

const ESCAPES = new Map<number, number>([
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
  [0x62, 0x08],
  [0x61, 0x07],
]);

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d) || byte === 0;
}

/** Fills `command` with the words of the line; false when a quote is not closed or is followed by a letter. */
export function splitInline(
  line: Bytes,
  from: number,
  end: number,
  command: ParsedCommand,
): boolean {
  // Unquoting only ever shortens.
  const words = Buffer.allocUnsafe(end - from);
  let length = 0;
  let index = from;
  command.source = words;
  command.at = 0;
  for (;;) {
    while (index < end && isSpace(line[index]!)) index += 1;
    if (index >= end) break;
    const start = length;
    while (index < end && !isSpace(line[index]!)) {
      const byte = line[index]!;
      if (byte !== DOUBLE && byte !== SINGLE) {
        words[length] = byte;
        length += 1;
        index += 1;
        continue;
      }
      const quoted = readQuoted(line, index, end, words, length);
      if (quoted === undefined) return false;
      ({ index, length } = quoted);
      if (index < end && !isSpace(line[index]!)) return false;
    }
    command.push(start, length - start);
  }
  command.length = length;
  return true;
}

/** Copies a quoted word without its quotes; undefined when its end is missing. */
function readQuoted(
  line: Bytes,
  open: number,
  end: number,
  words: Bytes,
  at: number,
): { index: number; length: number } | undefined {
  const quote = line[open]!;
  let length = at;
  let index = open + 1;
  while (index < end) {
    const byte = line[index]!;
    if (byte === quote) return { index: index + 1, length };
    if (byte === BACKSLASH && index + 1 < end) {
      const escape = quote === DOUBLE ? doubleEscape(line, index, end) : singleEscape(line, index);
      words[length] = escape.byte;
      index += escape.length;
    } else {
      words[length] = byte;
      index += 1;
    }
    length += 1;
  }
  return undefined;
}

function doubleEscape(line: Bytes, at: number, end: number): { byte: number; length: number } {
  const mark = line[at + 1]!;
  if (mark === HEX_MARK && at + 3 < end) {
    const text = String.fromCharCode(line[at + 2]!, line[at + 3]!);
    if (/^[0-9a-f]{2}$/i.test(text)) return { byte: parseInt(text, 16), length: 4 };
  }
  return { byte: ESCAPES.get(mark) ?? mark, length: 2 };
}

/** Between single quotes only `\'` is special. */
function singleEscape(line: Bytes, at: number): { byte: number; length: number } {
  return line[at + 1] === SINGLE ? { byte: SINGLE, length: 2 } : { byte: BACKSLASH, length: 1 };
}
