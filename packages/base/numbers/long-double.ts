/**
 * The 80-bit floating point numbers of x86 ("long double"): what INCRBYFLOAT counts in.
 *
 * A finite number is sign, a mantissa of at most 64 bits and a power of two. All is done on bigints
 * and rounded once, to the nearest, of two equally near ones to the even: so every result is the one
 * the processor's own arithmetic has.
 */

const MANTISSA_BITS = 64;
/** Power of two of the smallest number's last bit. */
const POWER_MIN = -16_445;
/** Power of two of the largest number's last bit. */
const POWER_MAX = 16_320;
/** Longest text that Redis takes for a `long double`. */
export const LONG_DOUBLE_BYTES_MAX = 5 * 1024 - 1;
/** Decimal exponents beyond this are zero or infinite for any digits: text has at most 5 KiB. */
const DECIMAL_EXPONENT_MAX = 20_000;

export interface LongDouble {
  readonly negative: boolean;
  /** Its value is mantissa * 2^power; a zero mantissa is zero. */
  readonly mantissa: bigint;
  readonly power: number;
  readonly infinite: boolean;
}

const DECIMAL = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i;
const HEXADECIMAL = /^([+-]?)0x([0-9a-f]*)\.?([0-9a-f]*)(?:p([+-]?\d+))?$/i;
const INFINITE = /^[+-]?inf(inity)?$/i;

/**
 * Reads what C's `strtold` reads, the whole text and no spaces before it. Answers undefined when it
 * is no number, and also when it is too small or too large for one.
 */
export function parseLongDouble(text: string): LongDouble | undefined {
  if (INFINITE.test(text)) return infinity(text.startsWith('-'));
  const value = parseDecimal(text) ?? parseHexadecimal(text);
  return value?.infinite === true ? undefined : value;
}

/** The sum; undefined when it is no number (infinity less infinity). */
export function addLongDoubles(a: LongDouble, b: LongDouble): LongDouble | undefined {
  if (a.infinite && b.infinite && a.negative !== b.negative) return undefined;
  if (a.infinite) return a;
  if (b.infinite) return b;
  const power = Math.min(a.power, b.power);
  const sum = signed(a, power) + signed(b, power);
  if (sum === 0n) return { ...ZERO, negative: a.negative && b.negative };
  const magnitude = sum < 0n ? -sum : sum;
  return rounded(sum < 0n, magnitude, 1n, power);
}

export function negatedLongDouble(value: LongDouble): LongDouble {
  return { ...value, negative: !value.negative };
}

/** Negative if the first number is the smaller one, positive if the second is, else 0. */
export function compareLongDoubles(a: LongDouble, b: LongDouble): number {
  if (a.infinite || b.infinite) return infinityOf(a) - infinityOf(b);
  const power = Math.min(a.power, b.power);
  const difference = signed(a, power) - signed(b, power);
  return difference < 0n ? -1 : Number(difference > 0n);
}

/** 1 or -1 for infinity, 0 for other numbers. */
function infinityOf({ infinite, negative }: LongDouble): number {
  if (!infinite) return 0;
  return negative ? -1 : 1;
}

/** Seventeen decimals, without the zeros at their end and never "-0": what Redis shows people. */
export function formatLongDouble(value: LongDouble): string {
  if (value.infinite) return value.negative ? '-inf' : 'inf';
  const { mantissa, power } = value;
  const scaled = mantissa * 10n ** BigInt(DECIMALS);
  const units = power >= 0 ? scaled << BigInt(power) : dividedToEven(scaled, 1n << BigInt(-power));
  const digits = units.toString().padStart(DECIMALS + 1, '0');
  const decimals = digits.slice(-DECIMALS).replace(/0+$/, '');
  const whole = digits.slice(0, -DECIMALS);
  const text = decimals === '' ? whole : `${whole}.${decimals}`;
  return value.negative && text !== '0' ? `-${text}` : text;
}

/** The largest finite number. */
export const LONG_DOUBLE_MAX: LongDouble = {
  negative: false,
  mantissa: 2n ** BigInt(MANTISSA_BITS) - 1n,
  power: POWER_MAX,
  infinite: false,
};

const DECIMALS = 17;
const ZERO: LongDouble = { negative: false, mantissa: 0n, power: 0, infinite: false };

function infinity(negative: boolean): LongDouble {
  return { ...ZERO, negative, infinite: true };
}

function parseDecimal(text: string): LongDouble | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = match;
  if (whole === '' && fraction === '') return undefined;
  const digits = BigInt(whole + fraction);
  const negative = sign === '-';
  if (digits === 0n) return { ...ZERO, negative };
  const exponent = Number(exponentText) - fraction.length;
  if (Math.abs(exponent) > DECIMAL_EXPONENT_MAX) return undefined;
  const scale = 10n ** BigInt(Math.abs(exponent));
  return exponent >= 0
    ? notVanished(rounded(negative, digits * scale, 1n, 0))
    : notVanished(rounded(negative, digits, scale, 0));
}

function parseHexadecimal(text: string): LongDouble | undefined {
  const match = HEXADECIMAL.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', powerText = '0'] = match;
  if (whole === '' && fraction === '') return undefined;
  const digits = BigInt(`0x${whole}${fraction}`);
  const negative = sign === '-';
  if (digits === 0n) return { ...ZERO, negative };
  const power = Number(powerText) - 4 * fraction.length;
  if (Math.abs(power) > 4 * DECIMAL_EXPONENT_MAX) return undefined;
  return notVanished(rounded(negative, digits, 1n, power));
}

/** A number that is not zero but would be kept as zero counts as none. */
function notVanished(value: LongDouble): LongDouble | undefined {
  return value.mantissa === 0n ? undefined : value;
}

/** Returns the number as a multiple of 2^power, with its sign; `power` is at most its own exponent. */
function signed(value: LongDouble, power: number): bigint {
  const magnitude = value.mantissa << BigInt(value.power - power);
  return value.negative ? -magnitude : magnitude;
}

/** The number nearest to numerator / denominator * 2^power. */
function rounded(
  negative: boolean,
  numerator: bigint,
  denominator: bigint,
  power: number,
): LongDouble {
  // The quotient has 64 bits or one more; only the division shows which.
  const excess = bitLength(numerator) - bitLength(denominator) - MANTISSA_BITS;
  let shift = Math.max(excess, POWER_MIN - power);
  let mantissa = shifted(numerator, denominator, shift);
  if (bitLength(mantissa) > MANTISSA_BITS) {
    shift += 1;
    mantissa = shifted(numerator, denominator, shift);
  }
  // Rounding up may need one bit more, all of whose lower ones are zero.
  if (bitLength(mantissa) > MANTISSA_BITS) {
    shift += 1;
    mantissa >>= 1n;
  }
  if (mantissa !== 0n && shift + power > POWER_MAX) return infinity(negative);
  return { negative, mantissa, power: shift + power, infinite: false };
}

/** numerator / denominator / 2^shift, to the nearest, of two to the even. */
function shifted(numerator: bigint, denominator: bigint, shift: number): bigint {
  return shift >= 0
    ? dividedToEven(numerator, denominator << BigInt(shift))
    : dividedToEven(numerator << BigInt(-shift), denominator);
}

function dividedToEven(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const twice = 2n * (numerator - quotient * denominator);
  const isUp = twice > denominator || (twice === denominator && (quotient & 1n) === 1n);
  return isUp ? quotient + 1n : quotient;
}

function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}
