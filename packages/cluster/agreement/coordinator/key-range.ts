/** The range of keys that begin with a prefix, as etcd takes it. */

/** Returns the first key, and the key after the last; the prefix ends in a slash. */
export function keyRange(prefix: string): { readonly key: Buffer; readonly rangeEnd: Buffer } {
  const key = Buffer.from(prefix);
  const rangeEnd = Buffer.from(prefix);
  rangeEnd[rangeEnd.length - 1]! += 1;
  return { key, rangeEnd };
}
