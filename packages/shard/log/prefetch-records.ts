/** Looks through the records of a block of the log for keys that will be looked up. */

import { Request } from '#link';
import {
  Record,
  RECORD_DATABASE_SHIFT,
  RECORD_GROUPED,
  RECORD_KIND_MASK,
  RecordKind,
} from '#persistence';
import { type KeyPrefetch, LOOK_AHEAD_MAX } from '#store';
import type { Frame } from '../frames/frame.ts';
import { addFirstKey, beginsWithKey } from '../frames/prefetch-frames.ts';
import { entryOf, hasSoundSize, isPlainSet } from './record-commands.ts';

export class RecordPrefetch {
  readonly #ahead: KeyPrefetch;

  constructor(ahead: KeyPrefetch) {
    this.#ahead = ahead;
  }

  /** The record is about to be done again, and those after it in its block after it. */
  take(record: Frame): void {
    const ahead = this.#ahead;
    if (ahead.left === 0) this.#look(record);
    ahead.take(record.bytes);
  }

  /** The block is left, whether all of it was done or not. */
  end(): void {
    this.#ahead.end();
  }

  #look(record: Frame): void {
    const ahead = this.#ahead;
    const { words, word } = record;
    ahead.begin();
    while (ahead.left < LOOK_AHEAD_MAX && record.word < words.length) {
      // Its faults are reported by the replay.
      const isSound = hasSoundSize(record);
      if (!isSound || !this.#add(record)) ahead.skip();
      if (!isSound) break;
      record.word += record.byteCount >>> 2;
    }
    record.word = word;
    ahead.read(record.bytes);
  }

  #add(record: Frame): boolean {
    const { words, word, bytes } = record;
    const kindWord = words[word + Record.kind]!;
    const kind = kindWord & (RECORD_KIND_MASK | RECORD_GROUPED);
    if (kind !== RecordKind.command) return false;
    let field = 0;
    if (!isPlainSet(record)) {
      const entry = entryOf(record, Request.spans);
      if (!beginsWithKey(entry)) return false;
      ({ field } = entry);
    }
    addFirstKey(this.#ahead, field, kindWord >>> RECORD_DATABASE_SHIFT, bytes, words, word);
    return true;
  }
}
