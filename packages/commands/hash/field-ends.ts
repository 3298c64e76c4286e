/** Expiry of fields as it is replicated: as Unix time, not as time to live. */

import type { Bytes } from '#base';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';

export class FieldEnds {
  readonly #context: ShardContext;
  readonly #args: Arguments;
  readonly #ending: Bytes[] = [];
  readonly #removed: Bytes[] = [];
  readonly #endless: Bytes[] = [];

  constructor(context: ShardContext, args: Arguments) {
    this.#context = context;
    this.#args = args;
  }

  /** Records that the field of argument `index` expires at the time given to `report`. */
  set(index: number): void {
    this.#add(this.#ending, index);
  }

  /** It has no end any more. */
  persisted(index: number): void {
    this.#add(this.#endless, index);
  }

  /** Records that the field was removed. */
  removed(index: number): void {
    this.#add(this.#removed, index);
  }

  #add(fields: Bytes[], index: number): void {
    if (this.#context.isReplicated) fields.push(this.#args.copy(index));
  }

  /** Replicates all recorded fields; expiring ones expire at `end`, in Unix milliseconds. */
  report(end: number): void {
    if (!this.#context.isReplicated) return;
    this.#log(['HPEXPIREAT'], [String(end), 'FIELDS'], this.#ending);
    this.#log(['HPERSIST'], ['FIELDS'], this.#endless);
    if (this.#removed.length === 0) return;
    this.#context.logAs(['HDEL', this.#args.copy(1), ...this.#removed]);
  }

  #log(name: readonly string[], words: readonly string[], fields: readonly Bytes[]): void {
    if (fields.length === 0) return;
    const key = this.#args.copy(1);
    this.#context.logAs([...name, key, ...words, String(fields.length), ...fields]);
  }
}
