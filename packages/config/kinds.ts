/**
 * The kinds of values a setting can have: how each is read from TOML and from text, and written back.
 *
 * Text is Redis' side (CONFIG SET and GET), and its errors are Redis' words. TOML is ours.
 */
import { INT64_MAX } from '#base';
import * as v from 'valibot';

/** Value that a setting can hold. Sizes are bytes; an unset string is empty. */
export type Value = number | boolean | string | readonly number[] | readonly string[];

/** Reader and writer of one kind of value. */
export interface Kind<V extends Value> {
  /** Allowed values, in words that end a sentence. */
  readonly allowed: string;
  /** Unit of a number; undefined for values without one. */
  readonly unit?: string;
  /** Judges a value as TOML gives it. */
  readonly schema: v.GenericSchema<unknown, V>;
  /** Reads text, as CONFIG SET, the environment and the command line give it. */
  parse(text: string): V;
  /** Writes text, as CONFIG GET shows it. */
  format(value: V): string;
  /** Writes a TOML value. */
  toml(value: V): string;
  /** Returns the value without its secret parts; for values that are only partly secret. */
  redact?(value: V): V;
}

/** A value that is not allowed, in Redis' words. */
export class ValueError extends Error {
  override readonly name = 'ValueError';
}

/** Lowest and highest allowed value; a bigint where Redis' own bound is beyond 2^53. */
interface Bounds {
  readonly least?: number;
  readonly most?: number | bigint;
  readonly unit?: string;
}

const INT32_MAX = 2 ** 31 - 1;
/** The most a C `long` or `long long` holds, which Redis' texts name. */
export const LONG_MAX = INT64_MAX;

/** A whole number. */
export function integer(bounds: Bounds = {}): Kind<number> {
  const { least = 0, most = INT32_MAX, unit } = bounds;
  return {
    allowed: `an integer from ${least} to ${String(most)}${unit === undefined ? '' : `, ${unit}`}`,
    ...(unit === undefined ? {} : { unit }),
    schema: v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(Number(most))),
    parse(text) {
      const value = isInteger(text) ? BigInt(text) : undefined;
      if (value === undefined || BigInt.asIntN(64, value) !== value) {
        throw new ValueError("argument couldn't be parsed into an integer");
      }
      return within(value, least, most);
    },
    format: formatInteger(most),
    toml: formatInteger(most),
  };
}

/** An integer; values out of bounds become the nearest bound, as in Redis. */
export function clamped(least: number, most: number): Kind<number> {
  const clamp = (value: number): number => Math.min(most, Math.max(least, value));
  const kind = integer();
  return {
    ...kind,
    allowed: `an integer; less than ${least} is ${least}, and more than ${most} is ${most}`,
    schema: v.pipe(v.number(), v.integer(), v.minValue(0), v.transform(clamp)),
    parse: (text) => clamp(kind.parse(text)),
  };
}

/** A size: a number of bytes, or a number with a unit such as "512mb". */
export function bytes(bounds: Bounds = {}): Kind<number> {
  const { least = 0, most = LONG_MAX } = bounds;
  const parse = (text: string): number => {
    const size = sizeOrNone(text);
    if (size === undefined) throw new ValueError('argument must be a memory value');
    return within(size, least, most);
  };
  return {
    allowed: `a size such as 1048576 or "512mb", ${sizesBetween(least, most)}`,
    unit: 'bytes',
    schema: v.union([
      v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(Number(most))),
      readable(parse),
    ]),
    parse,
    format: formatInteger(most),
    toml: (value) => tomlSize(value),
  };
}

function sizesBetween(least: number, most: number | bigint): string {
  return most === LONG_MAX ? `at least ${least}` : `from ${least} to ${most}`;
}

/**
 * A size, or a share of another size such as "5%". A share is held as a negative number, as Redis
 * holds it.
 */
export function bytesOrPercent(percentMost: number): Kind<number> {
  const size = bytes();
  const parse = (text: string): number => {
    const percent = /^(\d+)%$/.exec(text)?.[1];
    if (percent === undefined) {
      if (sizeOrNone(text) !== undefined) return size.parse(text);
      throw new ValueError('argument must be a memory or percent value');
    }
    if (Number(percent) > percentMost) {
      throw new ValueError(`percentage argument must be less or equal to ${percentMost}`);
    }
    return 0 - Number(percent);
  };
  return {
    allowed: `a size such as "512mb", or a share such as "5%" up to ${percentMost}%`,
    schema: v.union([v.pipe(v.number(), v.integer(), v.minValue(0)), readable(parse)]),
    parse,
    format: (value) => (value < 0 ? `${-value}%` : size.format(value)),
    toml: (value) => (value < 0 ? `"${-value}%"` : size.toml(value)),
  };
}

/** A number with a fraction. */
export function float(least: number, most: number): Kind<number> {
  const allowed = `a number from ${least} to ${most}`;
  return {
    allowed,
    schema: v.pipe(v.number(), v.finite(), v.minValue(least), v.maxValue(most)),
    parse(text) {
      const value = numberOrNone(text);
      if (value === undefined || value < least || value > most) {
        throw new ValueError(`argument must be ${allowed}`);
      }
      return value;
    },
    format: String,
    toml: tomlFloat,
  };
}

/** Yes or no. */
export const yesOrNo: Kind<boolean> = {
  allowed: 'true or false',
  schema: v.boolean(),
  parse(text) {
    const word = text.toLowerCase();
    if (word !== 'yes' && word !== 'no') throw new ValueError("argument must be 'yes' or 'no'");
    return word === 'yes';
  },
  format: (value) => (value ? 'yes' : 'no'),
  toml: String,
};

/** Any text. Empty means unset. */
export const text: Kind<string> = {
  allowed: 'a string',
  schema: v.string(),
  parse: (value) => value,
  format: (value) => value,
  toml: (value) => JSON.stringify(value),
};

/** An address to listen on, or a name that stands for one. Empty would be every address there is. */
export const address: Kind<string> = {
  ...text,
  allowed: 'an address such as "127.0.0.1"; "0.0.0.0" or "::" is all',
  schema: v.pipe(v.string(), v.nonEmpty()),
  parse(value) {
    if (value === '') throw new ValueError('argument must be an address');
    return value;
  },
};

/**
 * A password of clients, which is bytes: each is a character, as in what CONFIG SET and AUTH say. Files and the
 * environment have its UTF-8.
 */
export const password: Kind<string> = {
  ...text,
  schema: v.pipe(v.string(), v.transform(bytesOf)),
  toml: (value) => JSON.stringify(Buffer.from(value, 'latin1').toString('utf8')),
};

/** The UTF-8 of a text, a character for each byte. */
export function bytesOf(value: string): string {
  return Buffer.from(value, 'utf8').toString('latin1');
}

/** The address of a collector: a URL without a path, since gRPC has its own. */
export const collectorUrl: Kind<string> = {
  allowed: 'a URL such as "http://localhost:4317" or "https://collector:4317"',
  schema: v.pipe(v.string(), v.check(isCollectorUrl)),
  parse(value) {
    if (isCollectorUrl(value)) return value;
    throw new ValueError('argument must be a URL such as http://localhost:4317');
  },
  format: (value) => value,
  toml: (value) => JSON.stringify(value),
};

function isCollectorUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname, pathname, search } = new URL(value);
  const isWeb = protocol === 'http:' || protocol === 'https:';
  return isWeb && hostname !== '' && pathname === '/' && search === '';
}

/** One of some words. */
export function oneOf(...words: readonly string[]): Kind<string> {
  return {
    allowed: `one of ${words.map((word) => `"${word}"`).join(', ')}`,
    schema: v.picklist(words),
    parse(value) {
      const word = value.toLowerCase();
      if (words.includes(word)) return word;
      throw new ValueError(`argument(s) must be one of the following: ${words.join(', ')}`);
    },
    format: (value) => value,
    toml: (value) => JSON.stringify(value),
  };
}

/** One of some words, in letters of any case in files too. */
export function wordOf(...words: readonly string[]): Kind<string> {
  const kind = oneOf(...words);
  return { ...kind, schema: readable((value) => kind.parse(value)) };
}

/** TOML strings that a parser of text accepts, as what it makes of them. */
export function readable<V>(parse: (text: string) => V): v.GenericSchema<unknown, V> {
  return v.pipe(
    v.string(),
    v.check((input) => {
      try {
        parse(input);
        return true;
      } catch {
        return false;
      }
    }),
    v.transform(parse),
  );
}

/** The bytes that a text such as "10mb" means: "m" is a million, "mb" 1024 * 1024. */
export function sizeOrNone(value: string): bigint | undefined {
  const [, digits, unit] = /^(\d+)(b|kb?|mb?|gb?|)$/i.exec(value) ?? [];
  if (digits === undefined || unit === undefined) return undefined;
  const base = unit.length === 2 ? 1024n : 1000n;
  const power = BigInt(Math.max(0, ' kmg'.indexOf(unit.charAt(0).toLowerCase() || ' ')));
  return BigInt(digits) * base ** power;
}

/** A size as TOML: with a unit where that is exact, else plain. */
function tomlSize(value: number): string {
  return value >= 1024 && value % 1024 === 0 ? `"${shortSize(value)}"` : String(value);
}

/** A size as short as is exact: 67108864 becomes 64mb. */
export function shortSize(value: number): string {
  for (const [unit, size] of [
    ['gb', 1024 ** 3],
    ['mb', 1024 ** 2],
    ['kb', 1024],
  ] as const) {
    if (value >= size && value % size === 0) return `${value / size}${unit}`;
  }
  return String(value);
}

/** True when a text is an integer as Redis writes it. */
export function isInteger(value: string): boolean {
  return /^(0|-?[1-9]\d*)$/.test(value);
}

/** The number a text stands for, if it is a finite one. */
export function numberOrNone(value: string): number | undefined {
  const parsed = value.trim() === '' ? NaN : Number(value);
  return Number.isFinite(parsed) ? parsed : undefined;
}

function within(value: bigint, least: number, most: number | bigint): number {
  if (value >= BigInt(least) && value <= BigInt(most)) return Number(value);
  throw new ValueError(`argument must be between ${least} and ${String(most)} inclusive`);
}

// A number can be a little more than the bound it was made from when that is beyond 2^53.
function formatInteger(most: number | bigint): (value: number) => string {
  return (value) => {
    if (Number.isSafeInteger(value)) return String(value);
    const exact = BigInt(value);
    return String(exact > BigInt(most) ? most : exact);
  };
}

/** A number as TOML, where 1 and 1.0 are not of one type. */
export function tomlFloat(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}
