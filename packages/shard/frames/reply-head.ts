/** Heads of frames from a shard to main. */

import { Reply } from '#link';
import { ticksToWord } from '#stats';

/** Head of a reply frame: its fields besides the body. */
export interface ReplyHead {
  kind: number;
  sequence: number;
  /** Monotonic microseconds, low 32 bits. */
  doneUs: number;
  queueUs: number;
  executeTicks: number;
  /** Bits of ReplyFlag. */
  flags: number;
}

export const NO_TIMES = { queueUs: 0, executeTicks: 0, flags: 0 };

/** Writes the head of a frame that begins at the word, but for its sizes. */
export function writeHead(
  words: Int32Array,
  word: number,
  head: ReplyHead,
  connection: number,
): void {
  words[word + Reply.kind] = head.kind;
  words[word + Reply.connection] = connection;
  words[word + Reply.sequence] = head.sequence;
  words[word + Reply.doneUs] = head.doneUs;
  words[word + Reply.queueUs] = head.queueUs;
  words[word + Reply.executeTicks] = ticksToWord(head.executeTicks);
  words[word + Reply.flags] = head.flags;
}
