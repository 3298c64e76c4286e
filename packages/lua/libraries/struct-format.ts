/** Formats of the library `struct`: options, sizes, byte order and alignment. */

import type { LuaVm } from '../lua-vm.ts';

const INT_MAX = 2 ** 31 - 1;
const INT_BYTES = 4;
/** Integers have this many bytes at most. */
const INTEGER_BYTES_MAX = 32;
const NATIVE_ALIGNMENT = 8;
const ZERO = 0x30;
const NINE = 0x39;

/** Sizes of options that have a fixed one, as on x86-64. */
// prettier-ignore
const SIZES: Readonly<Record<string, number>> = {
  B: 1, b: 1, H: 2, h: 2, L: 8, l: 8, T: 8, f: 4, d: 8, x: 1,
};

const INTEGERS = 'bBhHlLTiI';

/** True for options of integers. */
export function isInteger(option: string): boolean {
  return INTEGERS.includes(option);
}

export class FormatReader {
  readonly #vm: LuaVm;
  #L = 0;
  #at = 0;
  #alignment = 1;
  isLittle = true;

  constructor(vm: LuaVm) {
    this.#vm = vm;
  }

  /** Begins to read the format that lies there, up to a NUL byte. */
  begin(L: number, at: number): void {
    this.#L = L;
    this.#at = at;
    this.#alignment = 1;
    this.isLittle = true;
  }

  get more(): boolean {
    return this.#vm.bytes[this.#at] !== 0;
  }

  option(): string {
    return String.fromCharCode(this.#vm.bytes[this.#at++]!);
  }

  /** Reads the size of an option; 0 for those that have none. */
  size(option: string): number {
    if (option === 'c') return this.#number(1);
    if (option !== 'i' && option !== 'I') return SIZES[option] ?? 0;
    const size = this.#number(INT_BYTES);
    if (size > INTEGER_BYTES_MAX) {
      const limit = `limit of ${INTEGER_BYTES_MAX}`;
      this.#vm.error(this.#L, `integral size ${size} is larger than ${limit}`);
    }
    return size;
  }

  /** Returns the padding in bytes that aligns an element of `size` bytes. */
  padding(at: number, option: string, size: number): number {
    if (size === 0 || option === 'c') return 0;
    const unit = Math.min(size, this.#alignment);
    return (unit - (at & (unit - 1))) & (unit - 1);
  }

  /** Applies an option that is no element, or raises an error about it. */
  control(option: string): void {
    switch (option) {
      case ' ':
        return;
      case '>':
        this.isLittle = false;
        return;
      case '<':
        this.isLittle = true;
        return;
      case '!': {
        const alignment = this.#number(NATIVE_ALIGNMENT);
        if (alignment <= 0 || (alignment & (alignment - 1)) !== 0) {
          this.#vm.error(this.#L, `alignment ${alignment} is not a power of 2`);
        }
        this.#alignment = alignment;
        return;
      }
      default:
        this.#vm.argumentError(this.#L, 1, `invalid format option '${option}'`);
    }
  }

  #number(otherwise: number): number {
    const { bytes } = this.#vm;
    if (!isDigit(bytes[this.#at]!)) return otherwise;
    let value = 0;
    do {
      const digit = bytes[this.#at]! - ZERO;
      if (value * 10 > INT_MAX - digit) this.#vm.error(this.#L, 'integral size overflow');
      value = value * 10 + digit;
      this.#at += 1;
    } while (isDigit(bytes[this.#at]!));
    return value;
  }
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}
