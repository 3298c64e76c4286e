/** Setting registers of a sparse code, as Redis does: the same opcodes come out. */

import type { Bytes } from '#base';
import { HEADER_BYTES, REGISTERS, SPARSE_VALUE_MAX } from './registers.ts';

/** Opcodes that are looked at for neighbours to join. */
const JOIN_OPCODES = 5;
const ZERO_RUN_MAX = 64;
const VALUE_RUN_MAX = 4;
/** Maximum number of bytes into which a run is split by a single register. */
const SPLIT_BYTES_MAX = 5;
const BYTES_USUAL = 4_096;
/** Base-2 logarithm of the number of registers between two remembered positions. */
const MARK_SHIFT = 8;
const MARKS = REGISTERS >> MARK_SHIFT;
/** Maximum number of bytes after a replaced run that joining may change. */
const JOIN_BYTES_MAX = 2 * JOIN_OPCODES;

/** Registers of a run by its opcode; 0 for a run of zeros in two bytes. */
const lengths = Uint8Array.from({ length: 256 }, (_, opcode) => {
  if (opcode >= 0x80) return (opcode & 3) + 1;
  return opcode < 0x40 ? opcode + 1 : 0;
});

/** Outcome of a change: raised, that high before, too large for a code, or a broken code. */
export type SparseOutcome = 'raised' | 'kept' | 'too-large' | 'broken';

/** A sparse value that is being changed, in memory that is used for one after the other. */
export class SparseCode {
  #bytes: Bytes = new Uint8Array(BYTES_USUAL);
  #size = 0;
  /** Opcodes that take the place of a run. */
  readonly #opcodes = new Uint8Array(SPLIT_BYTES_MAX);
  #count = 0;
  /** Places of the run with every 256th register and of the run before it, and its first register; 0 = not known. */
  readonly #markAts = new Int32Array(MARKS);
  readonly #markBefores = new Int32Array(MARKS);
  readonly #markFirsts = new Int32Array(MARKS);
  /** The run that was found last: where it is, and the one before it; its first register, and how many it has. */
  #at = 0;
  #before = 0;
  #first = 0;
  #length = 0;

  /** Takes over a value. */
  assign(value: Bytes): void {
    this.#reserve(value.length);
    this.#bytes.set(value);
    this.#size = value.length;
    this.#markAts.fill(0);
    this.#markAts[0] = HEADER_BYTES;
    this.#markBefores[0] = HEADER_BYTES;
  }

  /** Current value; valid until the next one is assigned. */
  get value(): Bytes {
    return this.#bytes.subarray(0, this.#size);
  }

  /** Raises a register to `count`. `bytesMax` bounds the whole value. */
  raise(register: number, count: number, bytesMax: number): SparseOutcome {
    if (count > SPARSE_VALUE_MAX) return 'too-large';
    if (!this.#find(register)) return 'broken';
    const at = this.#at;
    const opcode = this.#bytes[at]!;
    const value = opcode >= 0x80 ? ((opcode >> 2) & 31) + 1 : 0;
    if (value >= count) return 'kept';
    const runBytes = (opcode & 0xc0) === 0x40 ? 2 : 1;
    const sizeBefore = this.#size;
    this.#split(value, this.#length, register - this.#first, count);
    if (!this.#replace(at, runBytes, bytesMax)) return 'too-large';
    this.#join(this.#before);
    this.#moveMarks(at + runBytes + JOIN_BYTES_MAX, this.#size - sizeBefore);
    return 'raised';
  }

  /** Finds the run that has a register; false when there is none. */
  #find(register: number): boolean {
    const markAts = this.#markAts;
    const bytes = this.#bytes;
    const size = this.#size;
    let mark = register >> MARK_SHIFT;
    while (markAts[mark] === 0) mark -= 1;
    let at = markAts[mark]!;
    let before = this.#markBefores[mark]!;
    let first = this.#markFirsts[mark]!;
    let marked = (mark + 1) << MARK_SHIFT;
    while (at < size) {
      // By a table, since no processor foresees what kind of run comes next.
      const short = lengths[bytes[at]!]!;
      const length = short > 0 ? short : longLength(bytes, at, size);
      const end = first + length;
      for (; marked < end && marked <= register; marked += 1 << MARK_SHIFT) {
        const nth = marked >> MARK_SHIFT;
        markAts[nth] = at;
        this.#markBefores[nth] = before;
        this.#markFirsts[nth] = first;
      }
      if (register < end) {
        this.#at = at;
        this.#before = before;
        this.#first = first;
        this.#length = length;
        return true;
      }
      before = at;
      at += short > 0 ? 1 : 2;
      first = end;
    }
    return false;
  }

  /** Updates the positions after a change of the last found run up to `end`: later bytes have moved by `distance`. */
  #moveMarks(end: number, distance: number): void {
    for (let nth = 1; nth < MARKS; nth += 1) {
      const at = this.#markAts[nth]!;
      if (at <= this.#before) continue;
      if (this.#markBefores[nth]! < end) {
        this.#markAts[nth] = 0;
      } else {
        this.#markAts[nth] = at + distance;
        this.#markBefores[nth]! += distance;
      }
    }
  }

  /** The opcodes that take the place of a run when the register at `offset` in it gets a value of its own. */
  #split(value: number, length: number, offset: number, count: number): void {
    this.#count = 0;
    this.#push(value, offset);
    this.#push(count, 1);
    this.#push(value, length - offset - 1);
  }

  #push(value: number, length: number): void {
    if (length === 0) return;
    if (value > 0) {
      this.#opcodes[this.#count] = 0x80 | ((value - 1) << 2) | (length - 1);
    } else if (length <= ZERO_RUN_MAX) {
      this.#opcodes[this.#count] = length - 1;
    } else {
      this.#opcodes[this.#count] = 0x40 | ((length - 1) >> 8);
      this.#count += 1;
      this.#opcodes[this.#count] = (length - 1) & 0xff;
    }
    this.#count += 1;
  }

  /** Puts the opcodes in the place of a run; false when that would be too large. */
  #replace(at: number, runBytes: number, bytesMax: number): boolean {
    const before = this.#size;
    const count = this.#count;
    // An opcode that the end of the value had cut in two was as long as a whole one: what takes its place is cut too.
    const size = before - runBytes + count;
    if (size > before && size > bytesMax) return false;
    this.#reserve(size + SPLIT_BYTES_MAX);
    const bytes = this.#bytes;
    if (count !== runBytes) bytes.copyWithin(at + count, at + runBytes, before);
    for (let nth = 0; nth < count; nth += 1) bytes[at + nth] = this.#opcodes[nth]!;
    this.#size = size;
    return true;
  }

  /** Joins runs of the same value that follow each other, near the change. */
  #join(from: number): void {
    const bytes = this.#bytes;
    let at = from;
    for (let looked = 0; looked < JOIN_OPCODES && at < this.#size; looked += 1) {
      const opcode = bytes[at]!;
      const next = at + 1 < this.#size ? bytes[at + 1]! : 0;
      const isPair = opcode >= 0x80 && next >= 0x80 && ((opcode ^ next) & 0x7c) === 0;
      const length = (opcode & 3) + (next & 3) + 2;
      if (isPair && length <= VALUE_RUN_MAX) {
        bytes[at + 1] = (opcode & 0xfc) | (length - 1);
        bytes.copyWithin(at, at + 1, this.#size);
        this.#size -= 1;
      } else {
        at += (opcode & 0xc0) === 0x40 ? 2 : 1;
      }
    }
  }

  #reserve(size: number): void {
    if (size <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * size);
    larger.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = larger;
  }
}

/** Returns the length of a run of zeros in two bytes; what the end of the value has cut off is zero. */
function longLength(bytes: Bytes, at: number, size: number): number {
  return (((bytes[at]! & 63) << 8) | (at + 1 < size ? bytes[at + 1]! : 0)) + 1;
}
