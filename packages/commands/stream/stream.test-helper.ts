/** Fixtures of the tests of streams. */

/** A stream and a string. */
export const streamLines = [
  'XADD s 1-1 a 1 b 2',
  'XADD s 1-2 a 3 b 4',
  'XADD s 2-0 c 5',
  'XADD s 5-0 a 6 b 7',
  'SET str x',
];

/** A stream with two groups, of which one has delivered everything, and a string. */
export const groupLines = [
  ...streamLines,
  'XGROUP CREATE s g 0',
  'XGROUP CREATE s h 2 ENTRIESREAD 3',
  'XREADGROUP GROUP g c COUNT 3 STREAMS s >',
  'XREADGROUP GROUP g d STREAMS s >',
  'XDEL s 1-2',
  'XCLAIM s g d 0 2-0 IDLE 600000 JUSTID',
  'XGROUP CREATECONSUMER s g e',
];

/** A command that was logged, as a line. */
export function lineOf(words: readonly (string | Uint8Array)[]): string {
  return words.map((word) => Buffer.from(word as string).toString('latin1')).join(' ');
}
