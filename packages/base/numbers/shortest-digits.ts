/**
 * The decimal digits of a double, by Loitsch's Grisu2.
 *
 * They always read back as the same double, and are the shortest such digits for all but one number
 * in a thousand. Redis prints scores by the same algorithm, so that these rare ones must agree, too:
 * that is why JavaScript's own digits, which are always the shortest, do not do.
 *
 * A 64-bit number is two words of 32 bits in `number`s; a high word may be larger while a sum is made.
 */

const TWO_32 = 2 ** 32;
const MANTISSA_BITS = 52;
const EXPONENT_BIAS = 1023 + MANTISSA_BITS;
/** A scaled number's exponent lies between these, so that its integer part fits one word. */
const EXPONENT_MIN = -60;
const EXPONENT_MAX = -32;
const POWER_FIRST = -348;
const POWER_STEP = 8;
const POWER_COUNT = 87;
const LOG10_OF_2 = 0.301_029_995_663_981_14;
/** Digits of one word. */
const WORD_DIGITS = 10;
const ZERO = 0x30;

/** Powers of ten as fractions of 64 bits, with exponents of two. */
const powerHigh = new Uint32Array(POWER_COUNT);
const powerLow = new Uint32Array(POWER_COUNT);
const powerExponent = new Int16Array(POWER_COUNT);

for (let index = 0; index < POWER_COUNT; index += 1) {
  const { fraction, exponent } = powerOfTen(POWER_FIRST + index * POWER_STEP);
  powerHigh[index] = Number(fraction >> 32n);
  powerLow[index] = Number(fraction & 0xffff_ffffn);
  powerExponent[index] = exponent;
}

/** Digits as ASCII, most significant first, after `writeShortestDigits`. */
export const digits = new Uint8Array(24);

const scratch = new DataView(new ArrayBuffer(8));
/** The high and low word of the last product. */
let high = 0;
let low = 0;
/** The decimal exponent of the last digit. */
let exponent10 = 0;

/** Decimal exponent of the last digit written. */
export function lastDigitExponent(): number {
  return exponent10;
}

/** Writes the digits of a positive finite double into `digits`; returns how many. */
export function writeShortestDigits(value: number): number {
  scratch.setFloat64(0, value);
  const bitsHigh = scratch.getUint32(0);
  const biased = bitsHigh >>> 20;
  let fractionHigh = bitsHigh & 0xf_ffff;
  const fractionLow = scratch.getUint32(4);
  const isPowerOfTwo = biased > 1 && fractionHigh === 0 && fractionLow === 0;
  if (biased > 0) fractionHigh |= 0x10_0000;
  const exponent = (biased === 0 ? 1 : biased) - EXPONENT_BIAS;

  // As an integer of up to 53 bits, doubled and one more, shifted until the top bit is set.
  const shift = Math.clz32(fractionHigh === 0 ? fractionLow : fractionHigh);
  const normalShift = fractionHigh === 0 ? shift + 32 : shift;
  const top = exponent - normalShift;
  const power = powerFor(top);
  const exponent2 = top + powerExponent[power]! + 64;
  const half = 2 ** (normalShift - 1);

  scaled(fractionHigh, fractionLow, normalShift, 0, power);
  const middleHigh = high;
  const middleLow = low;
  scaled(fractionHigh, fractionLow, normalShift, half, power);
  const upperHigh = low === 0 ? high - 1 : high;
  const upperLow = low === 0 ? TWO_32 - 1 : low - 1;
  scaled(fractionHigh, fractionLow, normalShift, isPowerOfTwo ? -half / 2 : -half, power);
  const lowerHigh = low === TWO_32 - 1 ? high + 1 : high;
  const lowerLow = low === TWO_32 - 1 ? 0 : low + 1;

  exponent10 = -(POWER_FIRST + power * POWER_STEP);
  subtract(upperHigh, upperLow, middleHigh, middleLow);
  const distanceHigh = high;
  const distanceLow = low;
  subtract(upperHigh, upperLow, lowerHigh, lowerLow);
  return generate(upperHigh, upperLow, distanceHigh, distanceLow, high, low, -exponent2);
}

/** The power of ten that brings a number with this exponent into the range where digits are made. */
function powerFor(exponent: number): number {
  const guess = -(exponent + POWER_COUNT) * LOG10_OF_2;
  let index = Math.trunc((guess - POWER_FIRST) / POWER_STEP);
  for (;;) {
    const reached = exponent + powerExponent[index]! + 64;
    if (reached < EXPONENT_MIN) index += 1;
    else if (reached > EXPONENT_MAX) index -= 1;
    else return index;
  }
}

/** Shifts a number up, adds to it, and multiplies by a power of ten; the top 64 bits, rounded. */
function scaled(
  fractionHigh: number,
  fractionLow: number,
  shift: number,
  addend: number,
  power: number,
): void {
  let aHigh: number;
  let aLow: number;
  if (shift >= 32) {
    aHigh = (fractionLow << (shift - 32)) >>> 0;
    aLow = 0;
  } else {
    aHigh = ((fractionHigh << shift) | (fractionLow >>> (32 - shift))) >>> 0;
    aLow = (fractionLow << shift) >>> 0;
  }
  // The addend is below 2^63 and a multiple of the lowest bit that the shift left.
  const addHigh = Math.floor(addend / TWO_32);
  aLow += addend - addHigh * TWO_32;
  const carry = aLow >= TWO_32 ? 1 : 0;
  aLow -= carry * TWO_32;
  aHigh += addHigh + carry;
  multiply(aHigh, aLow, powerHigh[power]!, powerLow[power]!);
}

function multiply(aHigh: number, aLow: number, bHigh: number, bLow: number): void {
  const highLow = Math.imul(aHigh, bLow) >>> 0;
  const highLowTop = topOf(aHigh, bLow, highLow);
  const lowHigh = Math.imul(aLow, bHigh) >>> 0;
  const lowHighTop = topOf(aLow, bHigh, lowHigh);
  const lowLowTop = topOf(aLow, bLow, Math.imul(aLow, bLow) >>> 0);
  const highHigh = Math.imul(aHigh, bHigh) >>> 0;
  const carry = Math.floor((highLow + lowHigh + lowLowTop + 2 ** 31) / TWO_32);
  const sum = highHigh + highLowTop + lowHighTop + carry;
  const over = Math.floor(sum / TWO_32);
  high = topOf(aHigh, bHigh, highHigh) + over;
  low = sum - over * TWO_32;
}

/** The high word of a product whose low word is known: a double is inexact, but never by half a word. */
function topOf(a: number, b: number, lowWord: number): number {
  return Math.round((a * b - lowWord) / TWO_32);
}

function subtract(aHigh: number, aLow: number, bHigh: number, bLow: number): void {
  const borrow = aLow < bLow ? 1 : 0;
  high = aHigh - bHigh - borrow;
  low = aLow - bLow + borrow * TWO_32;
}

/**
 * Writes digits of `upper` until what is left is within `delta` of it, then brings the last one as
 * near as it gets to the number itself, which lies `distance` below. The binary point stands `point`
 * bits from the right.
 */
// eslint-disable-next-line @typescript-eslint/max-params -- The parts of three numbers.
function generate(
  upperHigh: number,
  upperLow: number,
  distanceHigh: number,
  distanceLow: number,
  deltaHigh: number,
  deltaLow: number,
  point: number,
): number {
  const scale = 2 ** (point - 32);
  let whole = Math.floor(upperHigh / scale);
  let restHigh = upperHigh - whole * scale;
  let restLow = upperLow;
  let count = 0;
  let divisor = 10 ** (WORD_DIGITS - 1);
  for (let left = WORD_DIGITS - 1; left >= 0; left -= 1) {
    const digit = Math.floor(whole / divisor);
    whole -= digit * divisor;
    if (digit > 0 || count > 0) {
      digits[count] = ZERO + digit;
      count += 1;
    }
    const remainder = whole * scale + restHigh;
    if (remainder < deltaHigh || (remainder === deltaHigh && restLow <= deltaLow)) {
      exponent10 += left;
      const unit = divisor * scale;
      approach(count, deltaHigh, deltaLow, remainder, restLow, unit, distanceHigh, distanceLow);
      return count;
    }
    divisor /= 10;
  }
  let wantedHigh = deltaHigh;
  let wantedLow = deltaLow;
  let nearHigh = distanceHigh;
  let nearLow = distanceLow;
  for (;;) {
    restHigh = tenfoldHigh(restHigh, restLow);
    restLow = Math.imul(restLow, 10) >>> 0;
    wantedHigh = tenfoldHigh(wantedHigh, wantedLow);
    wantedLow = Math.imul(wantedLow, 10) >>> 0;
    nearHigh = tenfoldHigh(nearHigh, nearLow);
    nearLow = Math.imul(nearLow, 10) >>> 0;
    exponent10 -= 1;
    const digit = Math.floor(restHigh / scale);
    restHigh -= digit * scale;
    if (digit > 0 || count > 0) {
      digits[count] = ZERO + digit;
      count += 1;
    }
    if (restHigh < wantedHigh || (restHigh === wantedHigh && restLow < wantedLow)) {
      approach(count, wantedHigh, wantedLow, restHigh, restLow, scale, nearHigh, nearLow);
      return count;
    }
  }
}

function tenfoldHigh(highWord: number, lowWord: number): number {
  return highWord * 10 + Math.floor((lowWord * 10) / TWO_32);
}

/**
 * Lowers the last digit while the remainder stays below the limit and comes nearer to the distance.
 * `unit` is the high word of one of that digit; its low word is zero.
 */
// eslint-disable-next-line @typescript-eslint/max-params -- The parts of three numbers and a unit.
function approach(
  count: number,
  deltaHigh: number,
  deltaLow: number,
  restHigh: number,
  restLow: number,
  unit: number,
  distanceHigh: number,
  distanceLow: number,
): void {
  let at = restHigh;
  for (;;) {
    if (!isLess(at, restLow, distanceHigh, distanceLow)) return;
    subtract(deltaHigh, deltaLow, at, restLow);
    if (high < unit) return;
    const next = at + unit;
    // Beyond the distance, the step must come nearer than staying: compared by twice the distance.
    if (!isLess(next, restLow, distanceHigh, distanceLow)) {
      subtract(distanceHigh, distanceLow, at, restLow);
      const beforeHigh = high;
      const beforeLow = low;
      subtract(next, restLow, distanceHigh, distanceLow);
      if (!isLess(high, low, beforeHigh, beforeLow)) return;
    }
    digits[count - 1]! -= 1;
    at = next;
  }
}

function isLess(aHigh: number, aLow: number, bHigh: number, bLow: number): boolean {
  return aHigh < bHigh || (aHigh === bHigh && aLow < bLow);
}

/** 10^power as a fraction of 64 bits with its top bit set, rounded to the nearest. */
function powerOfTen(power: number): { fraction: bigint; exponent: number } {
  const guard = 1300n;
  const scaledPower =
    power >= 0 ? (10n ** BigInt(power)) << guard : (1n << (guard * 2n)) / 10n ** BigInt(-power);
  const shiftedBy = power >= 0 ? guard : guard * 2n;
  const surplus = BigInt(scaledPower.toString(2).length - 64);
  let fraction = (scaledPower + (1n << (surplus - 1n))) >> surplus;
  let exponent = Number(surplus - shiftedBy);
  if (fraction === 1n << 64n) {
    fraction >>= 1n;
    exponent += 1;
  }
  return { fraction, exponent };
}
