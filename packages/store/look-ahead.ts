/**
 * Brings what several commands will look up near the processor, before the first of them runs.
 *
 * A look-up waits for memory twice: for its slot of the index, and for the record. Done one after the other these
 * waits are most of a short command's time; asked for together, the processor waits for many of them at once. (Valkey
 * 8.0 does the same for the commands of a client's pipeline: `prefetchCommands`.) JavaScript has no prefetch, so the
 * words are read in loops short enough that the processor works on many rounds at a time: hashes first, then slots,
 * then records.
 */

import type { Keyspace } from './keyspace.ts';
import type { RecordTools } from './record-tools.ts';
import type { Ref } from './segment.ts';

/** Keys that are looked ahead for at once. */
export const LOOK_AHEAD_MAX = 32;

export class LookAhead {
  readonly #tools: RecordTools;
  readonly #databases: readonly Keyspace[];
  readonly #keyspaces: Keyspace[] = [];
  readonly #ats = new Int32Array(LOOK_AHEAD_MAX);
  readonly #lengths = new Int32Array(LOOK_AHEAD_MAX);
  readonly #hashes = new Int32Array(LOOK_AHEAD_MAX);
  readonly #refs = new Int32Array(LOOK_AHEAD_MAX);
  #count = 0;
  #next = 0;
  /** Of all words that were read: without a use they would not be read at all. */
  sum = 0;

  constructor(tools: RecordTools, databases: readonly Keyspace[]) {
    this.#tools = tools;
    this.#databases = databases;
  }

  /** Commands whose turn has not come. */
  get left(): number {
    return this.#count - this.#next;
  }

  begin(): void {
    this.#count = 0;
    this.#next = 0;
  }

  /** The next command looks this key up first. Where there is no such database, whoever looks says so. */
  add(database: number, bytes: Uint8Array, at: number, length: number): void {
    const keyspace = this.#databases[database];
    if (keyspace === undefined) {
      this.skip();
      return;
    }
    const nth = this.#count;
    this.#count = nth + 1;
    this.#ats[nth] = at;
    this.#lengths[nth] = length;
    this.#hashes[nth] = this.#tools.hash(bytes, at, length);
    this.#keyspaces[nth] = keyspace;
  }

  /** The next command is none that can be looked ahead for. */
  skip(): void {
    this.#ats[this.#count] = -1;
    this.#count += 1;
  }

  /** Reads what was added. */
  read(): void {
    const count = this.#count;
    const refs = this.#refs;
    let sum = 0;
    for (let nth = 0; nth < count; nth += 1) {
      refs[nth] =
        this.#ats[nth]! < 0 ? 0 : this.#keyspaces[nth]!.contents.index.guess(this.#hashes[nth]!);
    }
    for (let nth = 0; nth < count; nth += 1) {
      const ref: Ref = refs[nth]!;
      if (ref !== 0) sum ^= this.#keyspaces[nth]!.contents.records.word(ref);
    }
    this.sum = sum;
  }

  /** The next command begins: its key need not be hashed again. */
  take(bytes: Uint8Array): void {
    const nth = this.#next;
    this.#next = nth + 1;
    const { hint } = this.#tools;
    hint.bytes = bytes;
    hint.at = this.#ats[nth]!;
    hint.length = this.#lengths[nth]!;
    hint.hash = this.#hashes[nth]!;
  }

  /** The bytes of the keys so far are no more what they were. */
  rest(): void {
    this.#tools.hint.at = -1;
  }

  /** Nor are those of the keys to come, of which nobody will tell. */
  end(): void {
    this.begin();
    this.rest();
  }
}
