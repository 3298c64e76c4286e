/** Setting one register of a sparse code, as Redis does: the same opcodes come out. */

import { type Bytes } from '#base';
import { HEADER_BYTES, runAt, SPARSE_VALUE_MAX, type Run } from './registers.ts';

/** Opcodes that are looked at for neighbours to join. */
const JOIN_OPCODES = 5;
const ZERO_RUN_MAX = 64;
const VALUE_RUN_MAX = 4;

/** What became of it: not raised, raised in a code that may be new, too large for a code, or a broken code. */
export type SparseOutcome = Bytes | 'kept' | 'too-large' | 'broken';

/** Raises a register to `count`. `bytesMax` bounds the whole value. */
export function raiseSparse(
  value: Bytes,
  register: number,
  count: number,
  bytesMax: number,
): SparseOutcome {
  if (count > SPARSE_VALUE_MAX) return 'too-large';
  let at = HEADER_BYTES;
  let previousAt = HEADER_BYTES;
  let first = 0;
  let run: Run | undefined;
  while (at < value.length) {
    run = runAt(value, at);
    if (register < first + run.length) break;
    previousAt = at;
    at += run.bytes;
    first += run.length;
    run = undefined;
  }
  if (run === undefined) return 'broken';
  if (run.value >= count) return 'kept';
  const opcodes = splitRun(run, register - first, count);
  const size = value.length - run.bytes + opcodes.length;
  if (size > value.length && size > bytesMax) return 'too-large';
  const parts = [value.subarray(0, at), Uint8Array.from(opcodes), value.subarray(at + run.bytes)];
  // An opcode that the end of the value had cut in two was as long as a whole one: what takes its place is cut too.
  return joinNeighbours(Buffer.concat(parts, size), previousAt);
}

/** The opcodes that take the place of a run when the register at `offset` in it gets a value of its own. */
function splitRun(run: Run, offset: number, count: number): number[] {
  const opcodes: number[] = [];
  const push = (value: number, length: number): void => {
    if (length === 0) return;
    if (value > 0) opcodes.push(0x80 | ((value - 1) << 2) | (length - 1));
    else if (length <= ZERO_RUN_MAX) opcodes.push(length - 1);
    else opcodes.push(0x40 | ((length - 1) >> 8), (length - 1) & 0xff);
  };
  push(run.value, offset);
  push(count, 1);
  push(run.value, run.length - offset - 1);
  return opcodes;
}

/** Joins runs of the same value that follow each other, near the change. */
function joinNeighbours(value: Bytes, from: number): Bytes {
  let size = value.length;
  let at = from;
  for (let looked = 0; looked < JOIN_OPCODES && at < size; looked += 1) {
    const run = runAt(value, at);
    const next = at + 1 < size ? runAt(value, at + 1) : undefined;
    if (run.value > 0 && next?.value === run.value && run.length + next.length <= VALUE_RUN_MAX) {
      value[at + 1] = 0x80 | ((run.value - 1) << 2) | (run.length + next.length - 1);
      value.copyWithin(at, at + 1, size);
      size -= 1;
    } else {
      at += run.bytes;
    }
  }
  return value.subarray(0, size);
}
