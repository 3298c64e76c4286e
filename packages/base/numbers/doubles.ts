/** Doubles in text, as Redis 7.4 reads and writes them. */

import { digits, lastDigitExponent, writeShortestDigits } from './shortest-digits.ts';

/** Integers up to here are written with all their digits. */
const INTEGER_MAX = 2 ** 62;
/** An integer of more zeros than this after its digits is written with an exponent. */
const ZEROS_MAX = 7;
/** Fractions with fewer decimal places than this are written without an exponent. */
const FRACTION_DIGITS_MAX = 7;
/** Fractions whose first digit is nearer to the point than this are written without an exponent, too. */
const NEAR_POINT = 4;

/**
 * The text of a double as Redis has it since 7.2: integers in full, other numbers by their shortest
 * digits, with an exponent (without padding) for the very large and small; "inf", "-inf", "nan".
 */
export function formatDouble(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) <= INTEGER_MAX) {
    if (value === 0) return Object.is(value, -0) ? '-0' : '0';
    return Number.isSafeInteger(value) ? String(value) : BigInt(value).toString();
  }
  if (Number.isNaN(value)) return 'nan';
  if (value === Infinity) return 'inf';
  if (value === -Infinity) return '-inf';
  const sign = value < 0 ? '-' : '';
  const count = writeShortestDigits(Math.abs(value));
  let text = '';
  for (let index = 0; index < count; index += 1) text += String.fromCharCode(digits[index]!);
  return sign + placed(text, lastDigitExponent());
}

/** The digits with point, zeros or exponent; the last digit stands for 10^`last`. */
function placed(text: string, last: number): string {
  const count = text.length;
  const first = last + count - 1;
  const distance = Math.abs(first);
  if (last >= 0 && distance < count + ZEROS_MAX) return text + '0'.repeat(last);
  if (last < 0 && (last > -FRACTION_DIGITS_MAX || distance < NEAR_POINT)) {
    const whole = count + last;
    if (whole <= 0) return `0.${'0'.repeat(-whole)}${text}`;
    return `${text.slice(0, whole)}.${text.slice(whole)}`;
  }
  const mantissa = count > 1 ? `${text[0] ?? ''}.${text.slice(1)}` : text;
  return `${mantissa}e${first < 0 ? '-' : '+'}${distance}`;
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const HEXADECIMAL = /^([+-]?)0x([0-9a-f]*)\.?([0-9a-f]*)(?:p([+-]?\d+))?$/i;
const INFINITE = /^[+-]?inf(inity)?$/i;
const ZERO_DECIMAL = /^[+-]?[0.]*(e|$)/i;
const ZERO_HEXADECIMAL = /^[+-]?0x[0.]*(p|$)/i;

/** Reads what C's `strtod` reads, the whole text and no spaces before it; NaN when it is no number. */
export function parseDouble(text: string): number {
  if (DECIMAL.test(text)) return Number(text);
  if (INFINITE.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  const hex = HEXADECIMAL.exec(text);
  if (hex === null) return NaN;
  const [, sign = '', whole = '', fraction = '', power = '0'] = hex;
  if (whole === '' && fraction === '') return NaN;
  const digits16 = Number(BigInt(`0x${whole}${fraction}`));
  const value = digits16 * 2 ** (Number(power) - 4 * fraction.length);
  return sign === '-' ? -value : value;
}

/** Parses a double; NaN also for a number that is too large or too small for one. */
export function parseDoubleInRange(text: string): number {
  const value = parseDouble(text);
  if (value === 0) return ZERO_DECIMAL.test(text) || ZERO_HEXADECIMAL.test(text) ? value : NaN;
  if (value === Infinity || value === -Infinity) return INFINITE.test(text) ? value : NaN;
  return value;
}
