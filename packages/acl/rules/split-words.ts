/** Splits rules that stand in one text into words, with quotes as Redis' sdssplitargs reads them: also within a word. */

import { untilNul } from '#base';

const SPACES = ' \t\n\v\f\r';

/** Spaces that end a word outside of quotes; others are a part of it. */
const ENDS = ' \t\n\r';
const HEX_ESCAPE = /\\x([0-9a-f]{2})/iy;

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  a: '\x07',
};

/** The words of a text up to its first NUL; undefined when quotes are not closed, or not followed by a space. */
export function splitWords(bytes: string): readonly string[] | undefined {
  const text = untilNul(bytes);
  const words: string[] = [];
  let at = 0;
  for (;;) {
    while (at < text.length && SPACES.includes(text[at]!)) at += 1;
    if (at === text.length) return words;
    const read = readWord(text, at);
    if (read === undefined) return undefined;
    words.push(read.word);
    at = read.end;
  }
}

interface ReadWord {
  readonly word: string;
  readonly end: number;
}

function readWord(text: string, start: number): ReadWord | undefined {
  let word = '';
  let at = start;
  while (at < text.length && !ENDS.includes(text[at]!)) {
    const char = text[at]!;
    if (char === '"' || char === "'") {
      const quoted = readQuoted(text, at + 1, char);
      if (quoted === undefined) return undefined;
      return { word: word + quoted.word, end: quoted.end };
    }
    word += char;
    at += 1;
  }
  return { word, end: at };
}

/** Reads what stands in quotes, up to behind the one that closes them. */
function readQuoted(text: string, start: number, quote: string): ReadWord | undefined {
  let word = '';
  let at = start;
  while (at < text.length && text[at] !== quote) {
    const { char, length } = quote === '"' ? escaped(text, at) : literal(text, at);
    word += char;
    at += length;
  }
  const end = at + 1;
  if (end > text.length || (end < text.length && !SPACES.includes(text[end]!))) return undefined;
  return { word, end };
}

function escaped(text: string, at: number): { char: string; length: number } {
  if (text[at] !== '\\' || at + 1 === text.length) return { char: text[at]!, length: 1 };
  HEX_ESCAPE.lastIndex = at;
  const hex = HEX_ESCAPE.exec(text);
  if (hex !== null) return { char: String.fromCharCode(parseInt(hex[1]!, 16)), length: 4 };
  const char = text[at + 1]!;
  return { char: ESCAPES[char] ?? char, length: 2 };
}

function literal(text: string, at: number): { char: string; length: number } {
  return text.startsWith("\\'", at) ? { char: "'", length: 2 } : { char: text[at]!, length: 1 };
}

/** Returns a word for use in parentheses, quoted if necessary. */
export function quoteWord(word: string): string {
  if (!/["']|\)$/.test(word)) return word;
  return `"${word.replaceAll(/["\\]/g, '\\$&')}"`;
}
