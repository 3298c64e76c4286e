/** Rewrites the values in use of sparse extents, so that the extents can be deleted. */
import type { Bytes } from '#base';
import type { Databases } from '../keyspace/databases.ts';
import { entriesOf, isSound, NTH_BITS, readEntry } from '../warm/extent.ts';
import { keyspaceOf } from './settle.ts';

/** Fraction of dead bytes below which nothing is rewritten. */
const DEAD_SHARE_MIN = 0.3;

/** Returns an extent that is worth rewriting; -1 if there is none. */
export function sparseExtent({ tier }: Databases): number {
  if (tier.deadBytes <= tier.extents.byteCount * DEAD_SHARE_MIN) return -1;
  for (const extent of tier.sparse) return extent;
  return -1;
}

/** Moves the values in use of all sparse extents at once, until there are none, or one that cannot be read or moved now. */
export function compactAll(store: Databases, read: (extent: number) => Bytes | undefined): void {
  const { sparse } = store.tier;
  for (let extent = sparseExtent(store); extent >= 0; extent = sparseExtent(store)) {
    const bytes = read(extent);
    if (bytes === undefined) return;
    moveLive(store, extent, bytes, () => false);
    if (sparse.has(extent)) return;
  }
}

/**
 * Adds the values in use of an extent, whose bytes are at hand, to the one that is being filled. `isAwaited`: a value
 * is under way to a command, which finds it by the number that it has.
 */
export function moveLive(
  store: Databases,
  extent: number,
  bytes: Bytes,
  isAwaited: (number: number) => boolean,
): void {
  const { tier } = store;
  const keyspace = keyspaceOf(store, tier.extents.owner(extent));
  const entries = keyspace === undefined ? undefined : entriesOf(bytes);
  tier.sparse.delete(extent);
  if (keyspace === undefined || entries === undefined) return;
  for (const [nth, entry] of entries.entries()) {
    const number = ((extent << NTH_BITS) | nth) >>> 0;
    if (isAwaited(number) || tier.loans.has(number) || !isSound(entry)) continue;
    const { keyAt, keyLength, valueAt, valueLength, ...details } = readEntry(entry);
    const name = tier.nameOf(number) ?? entry.subarray(keyAt, keyAt + keyLength);
    const ref = keyspace.lookUp(name, name.length);
    if (ref === 0 || !keyspace.isWarm(ref) || keyspace.warmNumber(ref) !== number) continue;
    const value = entry.subarray(valueAt, valueAt + valueLength);
    const head = { ...details, valueLength };
    const key = { bytes: name, at: 0, length: name.length };
    const next = tier.add(keyspace.contents.records.warmOwner, head, key, (target, at) => {
      target.set(value, at);
    });
    if (next < 0) {
      // There is no room now: the rest is moved another time.
      tier.sparse.add(extent);
      return;
    }
    tier.counts.add('tierCompactedBytes', entry.length);
    keyspace.moveWarm(ref, next);
    tier.renumber(number);
  }
}
