/** Bringing values back from the warm tier. */
import type { Ref } from '../memory/segment.ts';
import { blobOf, type Records } from '../records/records.ts';
import { PLACE_MASK, PLACE_OBJECT, withoutValue, withValue } from '../records/record-head.ts';
import type { WarmTier } from '../warm/warm-tier.ts';

/** Moves a warm value back to memory, reading it if it is not lent; returns the record that replaces `ref`. */
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
  tier.counts.add('tierUnspills', 1);
  return next;
}
