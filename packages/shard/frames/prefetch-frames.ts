/** Looks through the frames that wait in a shard's ring for keys that will be looked up. */

import type { Bytes } from '#base';
import { type CommandEntry, commandTable } from '#commands';
import {
  DATABASE_SHIFT,
  FrameKind,
  KIND_MASK,
  type LinkMemory,
  Request,
  type RingReader,
  TRANSFERRED,
} from '#link';
import { type KeyPrefetch, LOOK_AHEAD_MAX } from '#store';

/** With fewer frames there is little to be won. */
const FRAMES_MIN = 3;
const KEY = 1;

export class FramePrefetch {
  readonly #requests: RingReader;
  readonly #memory: LinkMemory;
  readonly #ahead: KeyPrefetch;
  readonly #entries: readonly CommandEntry[] = commandTable.entries;

  constructor(requests: RingReader, memory: LinkMemory, ahead: KeyPrefetch) {
    this.#requests = requests;
    this.#memory = memory;
    this.#ahead = ahead;
  }

  /** The frame that `next` of the ring gave is about to be taken. */
  take(): void {
    const ahead = this.#ahead;
    if (ahead.left === 0) this.#look();
    ahead.take(this.#memory.bytes);
  }

  /** True when the frame that was taken last looks at one value, which is in memory as far as is known. */
  get isInMemory(): boolean {
    return this.#ahead.isInMemory;
  }

  /** The frames that were taken are given back. */
  end(): void {
    this.#ahead.rest();
  }

  #look(): void {
    const requests = this.#requests;
    const ahead = this.#ahead;
    ahead.begin();
    requests.rewind();
    let keys = 0;
    while (ahead.left < LOOK_AHEAD_MAX) {
      const at = requests.peek();
      if (at < 0) break;
      if (this.#add(at >> 2)) keys += 1;
      else ahead.skip();
    }
    if (keys >= (ahead.isAsked ? 1 : FRAMES_MIN)) ahead.read(this.#memory.bytes);
  }

  #add(word: number): boolean {
    const { words, bytes } = this.#memory;
    const kindWord = words[word + Request.kind]!;
    if ((kindWord & (KIND_MASK | TRANSFERRED)) !== FrameKind.command) return false;
    const entry = this.#entries[words[word + Request.command]!];
    if (!beginsWithKey(entry)) return false;
    addFirstKey(this.#ahead, entry.field, kindWord >>> DATABASE_SHIFT, bytes, words, word);
    if (entry.looksAtFirstOnly) this.#ahead.report();
    return true;
  }
}

/** True when a command's arguments begin with the key that it looks up first. */
export function beginsWithKey(entry: CommandEntry | undefined): entry is CommandEntry {
  return entry?.firstArgumentIsKey === true && entry.container === undefined;
}

/**
 * Has that key looked ahead for, of the command in the frame or record that begins at `word`, and the field that is its
 * argument `field`, if that is not 0.
 */
export function addFirstKey(
  ahead: KeyPrefetch,
  field: number,
  database: number,
  bytes: Bytes,
  words: Int32Array,
  word: number,
): void {
  const spans = word + Request.spans;
  const count = words[word + Request.argumentCount]!;
  const body = (spans + 2 * count) << 2;
  const key = spans + 2 * KEY;
  ahead.add(database, bytes, body + words[key]!, words[key + 1]!);
  if (field === 0 || field >= count) return;
  const span = spans + 2 * field;
  ahead.addField(body + words[span]!, words[span + 1]!);
}
