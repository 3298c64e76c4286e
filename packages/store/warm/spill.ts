/** Moving values between memory and the warm tier. */
import { finish, type Bytes } from '#base';
import type { Keyspace } from '../keyspace/keyspace.ts';
import { sizeOf } from '../keyspace/key-sizes.ts';
import { KEY_INLINE_BYTES_MAX, LONG_COPY_BYTES } from '../limits.ts';
import type { Ref } from '../memory/segment.ts';
import { WordWriter } from '../memory/word-bytes.ts';
import { blobOf, type Records } from '../records/records.ts';
import { codecAt, type Encoded } from '../records/value-codec.ts';
import {
  hasFieldExpiry,
  PLACE_MASK,
  PLACE_OBJECT,
  PLACE_WARM,
  withoutValue,
  withValue,
} from '../records/record-head.ts';
import { entryBytes } from './extent.ts';
import type { WarmTier } from './warm-tier.ts';

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

/** Writes the value into the tier; answers the warm record that takes the place of `ref`, or 0. */
export function spillValue(keyspace: Keyspace, tier: WarmTier, ref: Ref): Ref {
  if (!maySpill(keyspace, tier, ref)) return 0;
  const { records } = keyspace.contents;
  const size = sizeOf(keyspace, ref);
  const number = entryFor(keyspace, tier, ref);
  if (number < 0) return 0;
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
  tier.stats.spills += 1;
  return next;
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

/** Returns the bytes that the value of a record would take in the tier, about. */
export function spilledBytes(keyspace: Keyspace, ref: Ref): number {
  return entryBytes(keyspace.key(ref).length, keyspace.length(ref));
}

/** Takes a warm value, which is read now if it is not at hand, back; answers the record that takes the place of `ref`. */
export function unspillValue(records: Records, tier: WarmTier, ref: Ref): Ref {
  const number = records.number(ref) >>> 0;
  const loan = records.loan(ref);
  const bare = withoutValue(records.head(ref));
  let next: Ref;
  if (loan.object !== undefined) {
    records.objects.reserve();
    next = records.rebuild(ref, bare | PLACE_OBJECT);
    records.setNumber(next, records.addObject(loan.object, loan.objectBytes));
  } else {
    const { bytes } = loan;
    const head = withValue(bare, bytes.length);
    records.blobs.reserve();
    next = records.rebuild(ref, head);
    if ((head & PLACE_MASK) === 0) records.writeInline(next, bytes, 0, bytes.length);
    else
      records.setNumber(next, records.addBlob(blobOf(true, bytes, 0, bytes.length), bytes.length));
  }
  tier.loans.delete(number);
  tier.release(number);
  tier.stats.unspills += 1;
  return next;
}
