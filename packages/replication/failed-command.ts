/** Commands of a primary's stream that this server could not run, as far as reports name them. */

import { asBuffer, type Bytes } from '#base';
import type { Primary } from './protocol/primary/primary.ts';
import type { ErrorPlace } from './reply-errors.ts';

/** Commands whose places are remembered: a power of two, and more than may be under way. */
const PLACES = 4_096;
/** Bytes of a command that are looked at. */
const SAMPLE_BYTES = 1_024;
/** Longest word that is shown. */
const WORD_CHARS_MAX = 128;

/** Command by its name and the word behind that, mostly its key. */
export interface NamedCommand {
  readonly command: string;
  readonly key: string;
}

/** Offsets of the last commands of a stream. */
export class CommandPlaces {
  readonly #places = new Float64Array(PLACES);
  #count = 0;

  /** Records the offset of the next command, which is counted once it is accepted. */
  note(offset: number): void {
    this.#places[this.#count & (PLACES - 1)] = offset;
  }

  /** Counts the command noted last. */
  taken(): void {
    this.#count += 1;
  }

  /** Returns the offset of the command with an error reply; undefined if it is too old. */
  of({ nth, left }: ErrorPlace): number | undefined {
    // The commands of a transaction precede its EXEC.
    const wanted = nth - left;
    const isKept = wanted >= 0 && this.#count - wanted < PLACES;
    return isKept ? this.#places[wanted & (PLACES - 1)] : undefined;
  }
}

/** Returns the command at an offset of a stream; without a name if the stream no longer has it. */
export function commandAt(stream: Primary['stream'], offset: number | undefined): NamedCommand {
  const { id, offset: end } = stream;
  const from = offset ?? end;
  const kept = stream.kept(id, from, Math.min(end, from + SAMPLE_BYTES));
  return namedIn(kept?.from === from ? kept.bytes : new Uint8Array(0));
}

/** Name and key of the command that bytes begin with, which may be cut off. */
export function namedIn(bytes: Bytes): NamedCommand {
  const text = asBuffer(bytes).toString('latin1', 0, Math.min(bytes.length, SAMPLE_BYTES));
  const words = text.startsWith('*') ? wordsOf(text) : (text.split('\r\n')[0] ?? '').split(' ');
  const [command = '', key = ''] = words.map((word) =>
    word.slice(0, WORD_CHARS_MAX).replaceAll(/[^\x20-\x7e]/g, '?'),
  );
  return { command, key };
}

function wordsOf(text: string): string[] {
  const words: string[] = [];
  let at = text.indexOf('\r\n') + 2;
  while (at > 1 && text[at] === '$' && words.length < 2) {
    const end = text.indexOf('\r\n', at);
    if (end < 0) break;
    const length = Number(text.slice(at + 1, end));
    words.push(text.slice(end + 2, end + 2 + length));
    at = end + 4 + length;
  }
  return words;
}
