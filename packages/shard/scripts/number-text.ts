/** Numbers of scripts as arguments of commands: integers as they are, others with 17 digits as C's `%.17g` prints them. */

const DIGITS = 17;
/** Doubles from here on hold no integer of 64 bits. */
const INT64_END = 2 ** 63;

export function numberText(value: number): string {
  if (Number.isSafeInteger(value)) return Object.is(value, -0) ? '0' : String(value);
  if (Number.isNaN(value)) return '-nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Number.isInteger(value) && value >= -INT64_END && value < INT64_END) {
    return BigInt(value).toString();
  }
  const [mantissa = '', exponentText = '0'] = value.toExponential(DIGITS - 1).split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < DIGITS) return withoutZeros(value.toPrecision(DIGITS));
  const sign = exponent < 0 ? '-' : '+';
  return `${withoutZeros(mantissa)}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function withoutZeros(digits: string): string {
  return digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
}
