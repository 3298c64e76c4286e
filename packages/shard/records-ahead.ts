/** Looks through the records of a block of the log for keys that will be looked up. */

import { Request } from '#link';
import {
  Record,
  RECORD_DATABASE_SHIFT,
  RECORD_GROUPED,
  RECORD_KIND_MASK,
  RecordKind,
} from '#persistence';
import { LOOK_AHEAD_MAX, type LookAhead } from '#store';
import type { Frame } from './frame.ts';
import { entryOf, isPlainSet } from './record-commands.ts';

const KEY = 1;

export class RecordsAhead {
  readonly #ahead: LookAhead;

  constructor(ahead: LookAhead) {
    this.#ahead = ahead;
  }

  /** The record is about to be done again, and those behind it in its block after it. */
  take(record: Frame): void {
    const ahead = this.#ahead;
    if (ahead.left === 0) this.#look(record);
    ahead.take(record.bytes);
  }

  /** The block is left, whether all of it was done or not. */
  end(): void {
    this.#ahead.begin();
    this.#ahead.end();
  }

  #look(record: Frame): void {
    const ahead = this.#ahead;
    const { words, word } = record;
    ahead.begin();
    while (ahead.left < LOOK_AHEAD_MAX && record.word < words.length) {
      if (!this.#add(record)) ahead.skip();
      const size = words[record.word + Record.bytes]!;
      // Whoever does it again says what is wrong with it.
      if (size <= 0) break;
      record.word += size >> 2;
    }
    record.word = word;
    ahead.read();
  }

  #add(record: Frame): boolean {
    const { words, word, bytes } = record;
    const kindWord = words[word + Record.kind]!;
    const kind = kindWord & (RECORD_KIND_MASK | RECORD_GROUPED);
    if (kind !== RecordKind.command) return false;
    const isSimple = isPlainSet(record) || entryOf(record, Request.spans)?.firstArgumentIsKey;
    if (isSimple !== true) return false;
    const spans = word + Request.spans;
    const body = (spans + 2 * words[word + Record.argumentCount]!) << 2;
    const key = spans + 2 * KEY;
    this.#ahead.add(kindWord >>> RECORD_DATABASE_SHIFT, bytes, body + words[key]!, words[key + 1]!);
    return true;
  }
}
