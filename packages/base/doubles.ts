/** Doubles in text, as Redis 7.4 reads and writes them. */

/**
 * The shortest text that reads back as the same double, in the form of C's `%.17g`:
 * an exponent only below 1e-5 or from 1e17 up, at least two exponent digits, "inf", "-inf", "nan".
 */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (value === Infinity) return 'inf';
  if (value === -Infinity) return '-inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= -5 && exponent < 17) return plain(value);
  const sign = exponent < 0 ? '-' : '+';
  return `${mantissa}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function plain(value: number): string {
  const text = String(value);
  if (!text.includes('e')) return text;
  // JavaScript turns to exponents below 1e-6; the digits are the same.
  const [mantissa = '', exponentText = '0'] = text.split('e');
  const exponent = Number(exponentText);
  const sign = mantissa.startsWith('-') ? '-' : '';
  const digits = mantissa.replace('-', '').replace('.', '');
  return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const HEXADECIMAL = /^([+-]?)0x([0-9a-f]*)\.?([0-9a-f]*)(?:p([+-]?\d+))?$/i;
const INFINITE = /^[+-]?inf(inity)?$/i;

/** Reads what C's `strtod` reads, the whole text and no spaces before it; NaN when it is no number. */
export function parseDouble(text: string): number {
  if (DECIMAL.test(text)) return Number(text);
  if (INFINITE.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  const hex = HEXADECIMAL.exec(text);
  if (hex === null) return NaN;
  const [, sign = '', whole = '', fraction = '', power = '0'] = hex;
  if (whole === '' && fraction === '') return NaN;
  const digits = Number(BigInt(`0x${whole}${fraction}`));
  const value = digits * 2 ** (Number(power) - 4 * fraction.length);
  return sign === '-' ? -value : value;
}
