/** HyperLogLogs as keys hold them: strings of Redis' own format. */

import { CommandError, errors, type Bytes } from '#base';
import { hyperloglog, ValueType, type Ref } from '#store';
import type { Arguments } from '../arguments.ts';
import type { ShardContext } from '../contexts.ts';
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
  const ref = keyspace.set(
    ...([args.source, args.at(index), args.length(index)] as const),
    ...([value, 0, value.length, true] as const),
  );
  keyspace.setEncoding(ref, StringForm.raw);
  return ref;
}

/** Raises a register; answers the value as it is then, that it was that high already, or that its code is broken. */
export function raised(
  context: ShardContext,
  value: Bytes,
  register: number,
  count: number,
): Bytes | 'kept' | 'broken' {
  if (hyperloglog.isDense(value)) {
    if (hyperloglog.denseRegister(value, register) >= count) return 'kept';
    hyperloglog.setDenseRegister(value, register, count);
    return value;
  }
  const bytesMax = context.settings.number('hll-sparse-max-bytes');
  const outcome = hyperloglog.raiseSparse(value, register, count, bytesMax);
  if (outcome !== 'too-large') return outcome;
  const dense = hyperloglog.toDense(value);
  if (dense === undefined) return 'broken';
  hyperloglog.setDenseRegister(dense, register, count);
  return dense;
}
