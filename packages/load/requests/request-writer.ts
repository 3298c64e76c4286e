/**
 * Writes commands of a template as RESP. What is the same in all of them is written once, into a block that is copied; numbers
 * of keys and elements have a fixed width, so only their digits are changed in the copy.
 */

import { copyBytes, keySlot, type Bytes } from '#base';
import type { RandomNumbers } from './random.ts';
import type { Template, WordPart } from './template.ts';
import { drawSize, fixedSize, largestValue, type ValueSizes } from './value-sizes.ts';

const ZERO = 0x30;
const CR = 0x0d;
const LF = 0x0a;
const DOLLAR = 0x24;
const NUMBER_DIGITS = 12;
const ELEMENT_DIGITS = 6;
const RANDOM_MAX = 10 ** NUMBER_DIGITS;
/** Longest `$N` with its end. */
const HEADER_BYTES_MAX = 18;
/** Values begin at places of a pool, which has this many bytes more than the largest value. */
const POOL_SPARE_BYTES = 4_096;
const POOL_LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_';

/** A number in a block. */
interface Patch {
  readonly at: number;
  readonly digits: number;
  readonly kind: 'key' | 'element' | 'random';
}

/** Bytes that are copied, with numbers in them; then a value of some size, as a word or as the rest of one. */
interface Segment {
  readonly block: Bytes;
  readonly patches: readonly Patch[];
  /** Size of the text beside the value in the word; -1 where no value follows. */
  readonly besideValue: number;
  /** Text before the value in its word. */
  readonly beforeValue: Bytes;
}

/** Sources of what differs between requests. */
interface RequestSources {
  readonly random: RandomNumbers;
  readonly nextKey: () => number;
  readonly elements: number;
  readonly sizes: ValueSizes;
  readonly pool: Bytes;
}

/** Makes a pool of printable bytes that do not repeat, for values. */
export function valuePool(sizes: ValueSizes, random: RandomNumbers): Bytes {
  const pool = Buffer.allocUnsafe(largestValue(sizes) + POOL_SPARE_BYTES);
  for (let at = 0; at < pool.length; at += 1) {
    pool[at] = POOL_LETTERS.charCodeAt(random.word() & 63);
  }
  return pool;
}

export class RequestWriter {
  readonly name: string;
  /** Most bytes of a request. */
  readonly bytesMax: number;
  readonly #segments: readonly Segment[];
  readonly #sources: RequestSources;
  /** Place of the first key in the request; -1 without a key, or where it differs. */
  readonly #keyAt: number;
  readonly #keyLength: number;
  /** Number of the first key of the request written last; -1 without one. */
  key = -1;
  /** Number that the first key is to have; -1 for the next one in the order. */
  #wantedKey = -1;

  constructor(template: Template, sources: RequestSources) {
    const { segments, keyAt, keyLength } = compiled(template, sources);
    this.name = template.name;
    this.#segments = segments;
    this.#sources = sources;
    this.#keyAt = keyAt;
    this.#keyLength = keyLength;
    const largest = largestValue(sources.sizes);
    this.bytesMax = segments.reduce(
      (sum, { block, besideValue }) =>
        sum + block.length + (besideValue < 0 ? 0 : HEADER_BYTES_MAX + besideValue + largest + 2),
      0,
    );
  }

  /** Slot of the first key of the request that begins at a place; -1 where it is unknown. */
  slotAt(target: Bytes, at: number): number {
    return this.#keyAt < 0 ? -1 : keySlot(target, at + this.#keyAt, this.#keyLength);
  }

  /** Writes a request, which has room, and returns the place after it. With `key` its first key is that one again. */
  write(target: Bytes, from: number, key = -1): number {
    let at = from;
    this.#wantedKey = key;
    this.key = -1;
    for (const segment of this.#segments) {
      const { block, patches } = segment;
      copyBytes(block, 0, target, at, block.length);
      for (const { at: place, digits, kind } of patches) {
        writeDigits(target, at + place + digits, this.#numberOf(kind));
      }
      at += block.length;
      if (segment.besideValue >= 0) at = this.#writeValue(target, at, segment);
    }
    return at;
  }

  #numberOf(kind: Patch['kind']): number {
    const { random, elements, nextKey } = this.#sources;
    if (kind === 'element') return random.below(elements);
    if (kind === 'random') return random.below(RANDOM_MAX);
    const number = this.#wantedKey >= 0 ? this.#wantedKey : nextKey();
    this.#wantedKey = -1;
    if (this.key < 0) this.key = number;
    return number;
  }

  /** Writes the length of a word, the text before its value, and the value. */
  #writeValue(target: Bytes, from: number, { besideValue, beforeValue }: Segment): number {
    const { sizes, random, pool } = this.#sources;
    const size = drawSize(sizes, random);
    let at = writeHeader(target, from, besideValue + size);
    copyBytes(beforeValue, 0, target, at, beforeValue.length);
    at += beforeValue.length;
    copyBytes(pool, random.below(pool.length - size + 1), target, at, size);
    return at + size;
  }
}

/** Writes digits that end before a place; those before them are zeros already. */
function writeDigits(target: Bytes, end: number, number: number): void {
  let at = end;
  let left = number;
  while (left > 2 ** 30) {
    const quotient = Math.floor(left / 10);
    at -= 1;
    target[at] = ZERO + (left - 10 * quotient);
    left = quotient;
  }
  while (left > 0) {
    const quotient = (left / 10) | 0;
    at -= 1;
    target[at] = ZERO + (left - 10 * quotient);
    left = quotient;
  }
}

function writeHeader(target: Bytes, from: number, length: number): number {
  target[from] = DOLLAR;
  const text = String(length);
  let at = from + 1;
  for (let index = 0; index < text.length; index += 1) {
    target[at] = text.charCodeAt(index);
    at += 1;
  }
  target[at] = CR;
  target[at + 1] = LF;
  return at + 2;
}

interface Compiled {
  readonly segments: readonly Segment[];
  readonly keyAt: number;
  readonly keyLength: number;
}

/** Block under construction. */
class Draft {
  readonly segments: Segment[] = [];
  #pieces: Buffer[] = [];
  #patches: Patch[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  text(text: string | Bytes): void {
    const bytes = typeof text === 'string' ? Buffer.from(text) : Buffer.from(text);
    this.#pieces.push(bytes);
    this.#length += bytes.length;
  }

  number(kind: Patch['kind'], digits: number): void {
    this.#patches.push({ at: this.#length, digits, kind });
    this.text('0'.repeat(digits));
  }

  end(besideValue: number, beforeValue: Bytes): void {
    this.segments.push({
      block: Buffer.concat(this.#pieces),
      patches: this.#patches,
      besideValue,
      beforeValue,
    });
    [this.#pieces, this.#patches, this.#length] = [[], [], 0];
  }
}

const NO_BYTES = Buffer.alloc(0);

function compiled({ words }: Template, { sizes, pool }: RequestSources): Compiled {
  const draft = new Draft();
  const fixed = fixedSize(sizes);
  let keyAt = -1;
  let keyLength = 0;
  const keyWord = keyWordOf(words);
  draft.text(`*${words.length}\r\n`);
  for (const [nth, parts] of words.entries()) {
    const valueNth = parts.findIndex(({ kind }) => kind === 'value');
    const beside = parts.reduce((sum, part) => sum + widthOf(part), 0);
    const isFixed = valueNth < 0 || fixed !== undefined;
    const length = beside + (valueNth < 0 ? 0 : (fixed ?? 0));
    if (isFixed) draft.text(`$${length}\r\n`);
    else draft.end(beside, plainText(parts.slice(0, valueNth)));
    if (nth === keyWord && isFixed && draft.segments.length === 0) {
      keyAt = draft.length;
      keyLength = length;
    }
    const written = isFixed ? parts : parts.slice(valueNth + 1);
    for (const part of written) addPart(draft, part, pool.subarray(0, fixed ?? 0));
    draft.text('\r\n');
  }
  draft.end(-1, NO_BYTES);
  return { segments: draft.segments, keyAt, keyLength };
}

/** Index of the word that decides the slot: the first with a key's number, otherwise that after the name; -1 for none. */
function keyWordOf(words: Template['words']): number {
  const named = words.findIndex((parts) => parts.some(({ kind }) => kind === 'key'));
  if (named >= 0) return named;
  return words.length > 1 ? 1 : -1;
}

function widthOf(part: WordPart): number {
  switch (part.kind) {
    case 'text':
      return Buffer.byteLength(part.text);
    case 'element':
      return ELEMENT_DIGITS;
    case 'value':
      return 0;
    case 'key':
    case 'random':
      return NUMBER_DIGITS;
  }
}

function addPart(draft: Draft, part: WordPart, value: Bytes): void {
  if (part.kind === 'text') draft.text(part.text);
  else if (part.kind === 'value') draft.text(value);
  else draft.number(part.kind, part.kind === 'element' ? ELEMENT_DIGITS : NUMBER_DIGITS);
}

/** Text before a value whose size differs. Throws if it holds a number, which would have no fixed place. */
function plainText(parts: readonly WordPart[]): Bytes {
  const texts = parts.map((part) => {
    if (part.kind === 'text') return part.text;
    throw new Error(
      `--command: {${part.kind}} before {value} in a word needs a --value-size that is one size`,
    );
  });
  return Buffer.from(texts.join(''));
}
