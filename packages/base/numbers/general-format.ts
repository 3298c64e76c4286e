/** Numbers as C prints them with `%.Ng`. */

/** Doubles between these print without an exponent, in JavaScript as in C. */
const PLAIN_MIN = 1e-4;
const PLAIN_DIGITS_MAX = 14;
/** Decimal digits of which a double holds any number. */
const EXACT_DIGITS = 15;
/** Digits that show whether a double lies between two texts, and digits that show all of it. */
const GUARD_DIGITS = 20;
const ALL_DIGITS = 100;

/**
 * Formats a number with `precision` significant digits, without trailing zeros; with an exponent of at least two digits
 * below 1e-4 and from 10^precision up.
 */
export function formatGeneral(value: number, precision: number): string {
  if (!Number.isFinite(value)) return invalid(value);
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const magnitude = Math.abs(value);
  const isPlain = magnitude >= PLAIN_MIN && magnitude < 10 ** Math.min(precision, PLAIN_DIGITS_MAX);
  if (isPlain && precision <= EXACT_DIGITS) {
    const shortest = String(value);
    // The shortest text that is parsed as this double is also the nearest one of this precision, if it has no more
    // digits.
    if (shortest.length <= precision + 1) return shortest;
  }
  return rounded(value, precision);
}

/** Text of a double with all its digits, as C's `%.17g`. */
export function formatDoublePrecisely(value: number): string {
  return formatGeneral(value, 17);
}

function invalid(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  return value > 0 ? 'inf' : '-inf';
}

function rounded(value: number, precision: number): string {
  const [mantissa = '', power = ''] = exponential(value, precision).split('e');
  const exponent = Number(power);
  const sign = value < 0 ? '-' : '';
  const digits = mantissa.replace(/[-.]/g, '').replace(/0+$/, '');
  if (exponent < -4 || exponent >= precision) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
    const shown = String(Math.abs(exponent)).padStart(2, '0');
    return `${sign}${digits[0] ?? ''}${fraction}e${exponent < 0 ? '-' : '+'}${shown}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const rest = digits.slice(exponent + 1);
  return rest === '' ? sign + whole : `${sign}${whole}.${rest}`;
}

/** Rounds half to even, as C does: of two equally near texts JavaScript takes the larger. */
function exponential(value: number, precision: number): string {
  const text = value.toExponential(precision - 1);
  const tail = (digits: number): string =>
    value.toExponential(digits).replace(/[-.]/g, '').split('e')[0]!.slice(precision);
  if (!/^50*$/.test(tail(GUARD_DIGITS)) || !/^50*$/.test(tail(ALL_DIGITS))) return text;
  const [exact = '', power = ''] = value.toExponential(ALL_DIGITS).split('e');
  const even = exact.slice(0, exact.indexOf('.') + precision).replace(/\.$/, '');
  return Number(even.at(-1)) % 2 === 0 ? `${even}e${power}` : text;
}
