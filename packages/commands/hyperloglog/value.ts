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

/** Raises a register; answers the value as it is then, or undefined when it was that high already. */
export function raised(
  context: ShardContext,
  value: Bytes,
  register: number,
  count: number,
): Bytes | undefined {
  if (hyperloglog.isDense(value)) {
    if (hyperloglog.denseRegister(value, register) >= count) return undefined;
    hyperloglog.setDenseRegister(value, register, count);
    return value;
  }
  const bytesMax = context.settings.number('hll-sparse-max-bytes');
  const outcome = hyperloglog.raiseSparse(value, register, count, bytesMax);
  if (outcome === 'kept') return undefined;
  if (outcome === 'broken') throw corrupted;
  if (outcome !== 'too-large') return outcome;
  const dense = hyperloglog.toDense(value);
  if (dense === undefined) throw corrupted;
  hyperloglog.setDenseRegister(dense, register, count);
  return dense;
}
