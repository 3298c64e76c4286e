/** Bulk strings whose length has one or two digits, by words of four bytes: so most are written. */

import { copyWords, type Spans } from '#base';

const LF = 0x0a;
/** Lengths below this have one or two digits. */
export const SHORT_BULK_BYTES = 100;
/** The first four bytes of such bulk strings, by their length: a header of one digit, or one of two without its LF. */
const SHORT_HEADERS = Int32Array.from({ length: SHORT_BULK_BYTES }, (_, length) =>
  Buffer.from(`$${String(length)}\r\n`, 'latin1').readInt32LE(),
);
/** CR and LF. */
const LINE_END = 0x0a0d;

/** Copied at once, at least. */
const WORDS_BYTES = 16;

/** Writes one; returns where what comes next goes. */
export function shortBulk(
  to: DataView,
  target: number,
  from: DataView,
  fromAt: number,
  length: number,
): number {
  let at = headed(to, target, length);
  copyWords(to, at, from, fromAt, length);
  at += length;
  to.setInt16(at, LINE_END, true);
  return at + 2;
}

/**
 * Writes many, where there is room for 16 bytes more than they take: what the words of one write too much, the next one
 * writes again.
 */
export function shortBulks(spans: Spans, to: DataView, target: number): number {
  const { memory, places, ats, lengths, count } = spans;
  let at = target;
  for (let nth = 0; nth < count; nth += 1) {
    const { bytes, view } = memory[places[nth]!]!;
    const from = ats[nth]!;
    const length = lengths[nth]!;
    if (from + length + WORDS_BYTES > bytes.length) {
      at = shortBulk(to, at, view, from, length);
      continue;
    }
    at = headed(to, at, length);
    to.setInt32(at, view.getInt32(from, true), true);
    to.setInt32(at + 4, view.getInt32(from + 4, true), true);
    to.setInt32(at + 8, view.getInt32(from + 8, true), true);
    to.setInt32(at + 12, view.getInt32(from + 12, true), true);
    for (let done = WORDS_BYTES; done < length; done += 4) {
      to.setInt32(at + done, view.getInt32(from + done, true), true);
    }
    at += length;
    to.setInt16(at, LINE_END, true);
    at += 2;
  }
  return at;
}

/** Begins one; returns where its bytes go. */
function headed(to: DataView, at: number, length: number): number {
  to.setInt32(at, SHORT_HEADERS[length]!, true);
  to.setUint8(at + 4, LF);
  return length < 10 ? at + 4 : at + 5;
}
