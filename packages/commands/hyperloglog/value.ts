/** HyperLogLogs as keys hold them: strings of Redis' own format. */

import { type Bytes, CommandError, errors } from '#base';
import { hyperloglog, KEEP_TTL, type Ref, valueScratch, ValueType } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { StringForm } from '../string/encoding.ts';

const notValid = new CommandError('WRONGTYPE Key is not a valid HyperLogLog string value.');
export const corrupted = new CommandError('INVALIDOBJ Corrupted HLL object detected');

/** The value itself: what is written to it is written to the key. Throws when it is none. */
export function valueOf({ keyspace }: ShardContext, ref: Ref): Bytes {
  if (keyspace.type(ref) !== ValueType.string) throw errors.wrongType;
  const { bytes, at, length } = keyspace.value(ref);
  const value = bytes.subarray(at, at + length);
  if (!hyperloglog.isHyperLogLog(value)) throw notValid;
  return value;
}

/** The value of a command that may write to it; whether or not it does, it is kept as such a string then. */
export function ownValueOf(context: ShardContext, ref: Ref): Bytes {
  const value = valueOf(context, ref);
  context.keyspace.setEncoding(ref, StringForm.raw);
  return value;
}

/** Writes a whole value to the key that argument `index` names, keeping when it expires. */
export function keep(context: ShardContext, args: Arguments, index: number, value: Bytes): Ref {
  const { keyspace } = context;
  const ref = keyspace.set(args.keySpan(index), valueScratch.all(value), KEEP_TTL);
  keyspace.setEncoding(ref, StringForm.raw);
  return ref;
}

/** A HyperLogLog whose registers are raised: a dense one where it is, a sparse one in memory of this thread. */
class RaisedValue {
  readonly #code = new hyperloglog.SparseCode();
  #dense: Bytes | undefined;
  /** Value as it was, while it is dense: its registers are raised in place. */
  #own: Bytes | undefined;

  open(value: Bytes): this {
    this.#own = hyperloglog.isDense(value) ? value : undefined;
    this.#dense = this.#own;
    if (this.#dense === undefined) this.#code.assign(value);
    return this;
  }

  /** Releases the value, which lies in the store. */
  close(): void {
    this.#own = undefined;
    this.#dense = undefined;
  }

  /** The value as it is now, good until the next is opened. */
  get value(): Bytes {
    return this.#dense ?? this.#code.value;
  }

  /** True when the value is where it was, and need not be kept. */
  get isInPlace(): boolean {
    return this.#own !== undefined;
  }

  /** Raises a register, or answers that it was that high already, or that its code is broken. */
  raise(
    register: number,
    count: number,
    sparseBytesMax: number,
  ): Exclude<hyperloglog.SparseOutcome, 'too-large'> {
    if (this.#dense === undefined) {
      const outcome = this.#code.raise(register, count, sparseBytesMax);
      if (outcome !== 'too-large') return outcome;
      this.#dense = hyperloglog.toDense(this.#code.value);
      if (this.#dense === undefined) return 'broken';
    } else if (hyperloglog.denseRegister(this.#dense, register) >= count) {
      return 'kept';
    }
    hyperloglog.setDenseRegister(this.#dense, register, count);
    return 'raised';
  }
}

/** One serves the whole thread. */
export const raisedScratch = new RaisedValue();
