/** Commands that are logged instead of those that were run, as records. */

import type { Bytes } from '#base';
import { frameBytes, REQUEST_HEADER_BYTES } from '#link';
import { Record } from '#persistence';

/** One word of a command that is logged instead of the one that was run. */
export type EffectWord = string | Bytes;

/** A command that does what was done, in the database that it was done in. */
export interface Effect {
  readonly words: readonly EffectWord[];
  readonly database: number;
}

/** A command in the form of a frame; the head is the journal's to fill. */
export function recordOf(words: readonly EffectWord[]): Uint8Array<ArrayBuffer> {
  const parts = words.map((word) =>
    typeof word === 'string' ? Buffer.from(word, 'latin1') : word,
  );
  const bodyBytes = parts.reduce((sum, { length }) => sum + length, 0);
  const spans = REQUEST_HEADER_BYTES + 8 * parts.length;
  const record = new Uint8Array(frameBytes(spans + bodyBytes));
  const view = new DataView(record.buffer);
  let at = 0;
  for (const [nth, part] of parts.entries()) {
    view.setInt32(REQUEST_HEADER_BYTES + 8 * nth, at, true);
    view.setInt32(REQUEST_HEADER_BYTES + 8 * nth + 4, part.length, true);
    record.set(part, spans + at);
    at += part.length;
  }
  view.setInt32(4 * Record.argumentCount, parts.length, true);
  view.setInt32(4 * Record.bodyBytes, bodyBytes, true);
  return record;
}
