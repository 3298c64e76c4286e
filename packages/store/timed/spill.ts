/** Moving values into the warm tier. */
import { type Bytes, finish } from '#base';
import type { Keyspace } from '../keyspace/keyspace.ts';
import { sizeOf } from './value-count.ts';
import { KEY_INLINE_BYTES_MAX, LONG_COPY_BYTES } from '../memory/limits.ts';
import type { Ref } from '../memory/segment.ts';
import { WordWriter } from '../memory/word-bytes.ts';
import type { Encoded } from '../values/codecs.ts';
import { codecAt } from '../keyspace/value-codec.ts';
import {
  hasFieldExpiry,
  PLACE_MASK,
  PLACE_OBJECT,
  PLACE_WARM,
  withoutValue,
} from '../records/record-head.ts';
import type { WarmTier } from '../warm/warm-tier.ts';

/** A longer string stays in memory, since copying it would keep the shard for more than a millisecond. */
const STRING_BYTES_MAX = 4 * LONG_COPY_BYTES;

/** True when the value of a record may be spilled, as far as can be seen without looking at it. */
export function maySpill(keyspace: Keyspace, tier: WarmTier, ref: Ref): boolean {
  const { records } = keyspace.contents;
  const head = records.head(ref);
  const place = head & PLACE_MASK;
  if (place === PLACE_WARM || hasFieldExpiry(records.word(ref))) return false;
  if (keyspace.key(ref).length > KEY_INLINE_BYTES_MAX) return false;
  if (place === PLACE_OBJECT) return records.objects.number(records.number(ref)) <= LONG_COPY_BYTES;
  const length = records.valueLength(ref);
  return length >= tier.bytesMin && length <= STRING_BYTES_MAX;
}

/** Moves a value into the tier; false when that is not worth it, or there is no room now. */
export function spill(keyspace: Keyspace, tier: WarmTier, ref: Ref): boolean {
  if (!maySpill(keyspace, tier, ref)) return false;
  const { records } = keyspace.contents;
  const size = sizeOf(keyspace, ref);
  const number = entryFor(keyspace, tier, ref);
  if (number < 0) return false;
  const head = records.head(ref);
  let next: Ref;
  try {
    next = records.rebuild(ref, withoutValue(head) | PLACE_WARM);
  } catch (error) {
    tier.release(number);
    throw error;
  }
  records.setNumber(next, number | 0);
  records.setWarmSize(next, size);
  records.freeValue(ref, head);
  tier.counts.add('tierSpills', 1);
  keyspace.standIn(ref, next);
  return true;
}

function entryFor(keyspace: Keyspace, tier: WarmTier, ref: Ref): number {
  const isObject = keyspace.isObject(ref);
  const form: Encoded | undefined = isObject
    ? finish(codecAt(keyspace, ref).encode(keyspace.object(ref)))
    : undefined;
  const valueLength = form?.byteCount ?? keyspace.length(ref);
  if (valueLength < tier.bytesMin) return -1;
  const { bytes, at, length } = keyspace.key(ref);
  const key = { bytes, at, length };
  const head = {
    type: keyspace.type(ref),
    encoding: keyspace.encoding(ref),
    isObject,
    valueLength,
  };
  return tier.add(keyspace.contents.records.warmOwner, head, key, (target: Bytes, to) => {
    if (form !== undefined) {
      finish(form.write(new WordWriter(target, to)));
      return;
    }
    const value = keyspace.value(ref);
    target.set(value.bytes.subarray(value.at, value.at + value.length), to);
  });
}
