/** Positions of the spans of a frame's command, and the commands in a transaction's frame. */

import { FrameKind, HOST_WORDS, Request } from '#link';
import { Frame } from './frame.ts';

/** The spans of a host's frame begin after its own words, and so do the frames in a transaction's. */
export const HOST_SPANS = Request.spans + HOST_WORDS;

/** Returns the index of the frame's spans, counted from its first word. */
export function spansOf({ kind }: Frame): number {
  return kind === FrameKind.host || kind === FrameKind.offer || kind === FrameKind.share
    ? HOST_SPANS
    : Request.spans;
}

/** The commands in a transaction's frame, each a frame itself; one object is moved from one to the next. */
export function* framesIn(transaction: Frame): Iterable<Frame> {
  const { bytes, words, word } = transaction;
  const frame = new Frame(bytes, words, word + HOST_SPANS);
  const count = words[word + Request.argumentCount]!;
  for (let nth = 0; nth < count; nth += 1) {
    yield frame;
    frame.word += frame.byteCount >>> 2;
  }
}
