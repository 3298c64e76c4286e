/** Parses query strings; unknown or malformed parameters answer 400. */

import { HttpError } from './answer.ts';

/** No limit, as in SLOWLOG GET -1. */
const ALL = '-1';

/** Returns the number of entries to answer: `otherwise` where no count is given, Infinity for all. */
export function countOf(query: URLSearchParams, otherwise = Infinity): number {
  const text = query.get('count');
  if (text === null) return otherwise;
  if (text === ALL) return Infinity;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new HttpError(400, 'count must be a whole number, or -1 for all');
}

/** A number below `end`; 0 where none is given. */
export function numberBelow(query: URLSearchParams, name: string, end: number): number {
  const text = query.get(name) ?? '0';
  if (/^\d{1,15}$/.test(text) && Number(text) < end) return Number(text);
  throw new HttpError(400, `${name} must be a whole number from 0 to ${end - 1}`);
}

/** A number from `least` to `most`; undefined where none is given. */
export function numberFrom(
  query: URLSearchParams,
  name: string,
  least: number,
  most: number,
): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (/^\d{1,15}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw new HttpError(400, `${name} must be a whole number from ${least} to ${most}`);
}

/** Some of the words that a parameter may list, with commas between them; all where it is not given. */
export function wordsOf<Word extends string>(
  query: URLSearchParams,
  name: string,
  all: readonly Word[],
): ReadonlySet<Word> {
  const text = query.get(name);
  if (text === null) return new Set(all);
  const words = text.split(',').filter((word) => word !== '');
  if (words.every((word): word is Word => (all as readonly string[]).includes(word))) {
    return new Set(words);
  }
  throw new HttpError(400, `${name} must list some of ${all.join(', ')}`);
}

/** One of the words; the first one where none is given. */
export function oneOf<Word extends string>(
  query: URLSearchParams,
  name: string,
  words: readonly [Word, ...(readonly Word[])],
): Word {
  const text = query.get(name) ?? words[0];
  const word = words.find((each) => each === text);
  if (word === undefined) throw new HttpError(400, `${name} must be one of ${words.join(', ')}`);
  return word;
}

/** The bytes of a value, which need be no UTF-8: keys may hold any, written as %00 to %ff. */
export function bytesOf(search: string, name: string): Uint8Array | undefined {
  for (const part of search.split('&')) {
    const [own = '', ...values] = part.split('=');
    if (decoded(own) !== name) continue;
    return Uint8Array.from(Buffer.from(decoded(values.join('=')), 'latin1'));
  }
  return undefined;
}

/** One character for each byte. A request's target has no others. */
function decoded(text: string): string {
  return text
    .replaceAll('+', ' ')
    .replaceAll(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}
