/**
 * A configuration file: what it says, and where.
 *
 * The TOML parser gives values but no places, and takes an integer beyond 64 bits for another one.
 * The scan beside it knows the places and the digits as written; it trusts the parser to have
 * refused what is not TOML.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as Toml from '@iarna/toml';

const require = createRequire(import.meta.url);

/** Place of a key in the text. */
interface Place {
  /** From 1. */
  readonly line: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** A parsed file. */
export interface TomlFile {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Places of keys, by `section.key`. */
  readonly places: ReadonlyMap<string, Place>;
  /** End of the last key of each section; of the section's header, when it has no keys. */
  readonly sectionEnds: ReadonlyMap<string, number>;
}

/** A file that cannot be read or is not TOML. */
export class TomlError extends Error {
  override readonly name = 'TomlError';
}

/** Reads and parses a file; `shownAs` names it in messages. */
export function readToml(file: string, shownAs: string): TomlFile {
  return parseToml(textOf(file, shownAs), shownAs);
}

function textOf(file: string, shownAs: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new TomlError(`${shownAs}: cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** Parses text; `shownAs` names it in messages. */
export function parseToml(text: string, shownAs: string): TomlFile {
  try {
    // Loaded only when there is a file to read, because a start without one need not wait for it.
    const toml = require('@iarna/toml') as typeof Toml;
    const data = toml.parse(text) as Readonly<Record<string, unknown>>;
    return { text, data, ...scan(text) };
  } catch (cause) {
    const { message, line } = cause as Error & { line?: number };
    const reason = message.split(/ at row|\n/, 1)[0]!;
    const where = line === undefined ? shownAs : `${shownAs}:${line + 1}`;
    throw new TomlError(`${where}: not TOML: ${reason}`, { cause });
  }
}

/** True when a written value contains an integer beyond 64 bits. */
export function hasHugeInteger(written: string): boolean {
  const bare = written.replaceAll(/"[^"]*"|'[^']*'|#.*/g, '').replaceAll('_', '');
  const integers = bare.match(/(?<![\w.])[+-]?(0x[\da-f]+|0o[0-7]+|0b[01]+|\d+)(?![\w.])/gi) ?? [];
  return integers.some((digits) => {
    const size = BigInt(digits.replace(/^[+-]/, ''));
    return size > 2n ** 63n - (digits.startsWith('-') ? 0n : 1n);
  });
}

function scan(text: string): Pick<TomlFile, 'places' | 'sectionEnds'> {
  const places = new Map<string, Place>();
  const sectionEnds = new Map<string, number>();
  let section = '';
  let line = 1;
  let at = 0;
  while (at < text.length) {
    const start = skipBlanks(text, at);
    let end = start;
    if (text[start] === '[') {
      end = lineEnd(text, start);
      section = dotted(/^\[+([^\]]*)\]/.exec(text.slice(start, end))?.[1] ?? '');
      sectionEnds.set(section, end);
    } else if (start < text.length && !'#\r\n'.includes(text[start]!)) {
      const equals = keyEnd(text, start);
      const valueStart = skipBlanks(text, equals + 1);
      end = valueEnd(text, valueStart);
      const name = `${section}.${dotted(text.slice(start, equals))}`.replace(/^\./, '');
      places.set(name, { line, valueStart, valueEnd: end });
      sectionEnds.set(section, lineEnd(text, end));
    }
    const next = lineEnd(text, end) + 1;
    line += text.slice(at, next).split('\n').length - 1;
    at = next;
  }
  return { places, sectionEnds };
}

function dotted(key: string): string {
  const parts = key.match(/"[^"]*"|'[^']*'|[^.\s"']+/g) ?? [];
  return parts.map((part) => part.replaceAll(/^["']|["']$/g, '')).join('.');
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  return at;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

function keyEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== '=') {
    at = isQuote(text[at]) ? stringEnd(text, at) : at + 1;
  }
  return at;
}

/** Returns the end of the value that begins here, comments and blanks after it left out. */
function valueEnd(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const char = text[at]!;
    if ((char === '#' || char === '\n') && depth === 0) break;
    if ('[{'.includes(char)) depth += 1;
    if (']}'.includes(char)) depth -= 1;
    if (isQuote(char)) at = stringEnd(text, at);
    else if (char === '#') at = lineEnd(text, at);
    else at += 1;
  }
  return from + text.slice(from, at).trimEnd().length;
}

function isQuote(char: string | undefined): boolean {
  return char === '"' || char === "'";
}

function stringEnd(text: string, from: number): number {
  const quote = text[from]!;
  const fence = text.startsWith(quote.repeat(3), from) ? quote.repeat(3) : quote;
  let at = from + fence.length;
  while (at < text.length && !text.startsWith(fence, at)) {
    at += quote === '"' && text[at] === '\\' ? 2 : 1;
  }
  return at + fence.length;
}
