/** Numbers in JSON, read as C's `strtod` does: the library `cjson` takes more than JSON has. */

const DIGITS_EXACT_MAX = 15;
const ZERO = 0x30;
const NINE = 0x39;
const MINUS = 0x2d;
const POINT = 0x2e;
/** Bytes that may stand in a number besides digits: letters of exponents, of hexadecimal numbers, of inf and nan. */
const TEXT_BYTES_MAX = 4_096;

/** Forms of numbers, each with what reads it. */
const FORMS: readonly (readonly [RegExp, (found: RegExpExecArray) => number])[] = [
  [
    /^([+-]?)0[xX](?=\.?[\da-fA-F])([\da-fA-F]*)(?:\.([\da-fA-F]*))?(?:[pP]([+-]?\d+))?/,
    hexadecimal,
  ],
  [/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/, ([text]) => Number(text)],
  [/^([+-]?)inf(?:inity)?/i, ([, sign]) => (sign === '-' ? -Infinity : Infinity)],
  [/^[+-]?nan(?:\(\w*\))?/i, () => Number.NaN],
];

function hexadecimal([, sign, whole = '', fraction = '', power = '0']: RegExpExecArray): number {
  const value = Number(`0x${whole}${fraction}`) * 2 ** (Number(power) - fraction.length * 4);
  return sign === '-' ? -value : value;
}

export class NumberReader {
  /** Place behind the number that was read last. */
  end = 0;

  /** Reads the number that begins there; `end` stays at the beginning when there is none. */
  read(bytes: Uint8Array, at: number): number {
    const isNegative = bytes[at] === MINUS;
    const start = isNegative ? at + 1 : at;
    let value = 0;
    let next = start;
    for (; isDigit(bytes[next]!); next += 1) value = value * 10 + bytes[next]! - ZERO;
    if (next === start || next - start > DIGITS_EXACT_MAX) return this.#slow(bytes, at);
    const after = bytes[next]!;
    if (after === POINT) return this.#fraction(bytes, at, value, next);
    // Letters of exponents and hexadecimal numbers, which are rare: e, E, x, X.
    if ((after | 0x20) === 0x65 || (after | 0x20) === 0x78) return this.#slow(bytes, at);
    this.end = next;
    return isNegative ? -value : value;
  }

  #fraction(bytes: Uint8Array, at: number, whole: number, point: number): number {
    let value = whole;
    let next = point + 1;
    for (; isDigit(bytes[next]!); next += 1) value = value * 10 + bytes[next]! - ZERO;
    const digits = next - at;
    // So few digits are an exact integer, and so is the power of ten: their quotient is rounded once.
    if (digits > DIGITS_EXACT_MAX || (bytes[next]! | 0x20) === 0x65) return this.#slow(bytes, at);
    this.end = next;
    const quotient = value / 10 ** (next - point - 1);
    return bytes[at] === MINUS ? -quotient : quotient;
  }

  #slow(bytes: Uint8Array, at: number): number {
    let length = 0;
    while (length < TEXT_BYTES_MAX && isPart(bytes[at + length]!)) length += 1;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + at, length).toString('latin1');
    for (const [form, valueOf] of FORMS) {
      const found = form.exec(text);
      if (found === null) continue;
      this.end = at + found[0].length;
      return valueOf(found);
    }
    this.end = at;
    return 0;
  }
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

/** True for letters, digits, signs, points, parentheses and underscores. */
function isPart(byte: number): boolean {
  const letter = byte | 0x20;
  if (isDigit(byte) || (letter >= 0x61 && letter <= 0x7a)) return true;
  return byte === MINUS || byte === POINT || byte === 0x2b || byte === 0x28 || byte === 0x29;
}
