/** Keys in the body of a frame, each after its size in four bytes. */

import { asBuffer, type Bytes } from '#base';

export function encodeKeys(keys: readonly Bytes[]): Bytes {
  const bytes = keys.reduce((sum, key) => sum + 4 + key.length, 0);
  const body = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const key of keys) {
    body.writeUInt32LE(key.length, at);
    body.set(key, at + 4);
    at += 4 + key.length;
  }
  return body;
}

/** Parts of the body, not copies. */
export function decodeKeys(body: Bytes): Bytes[] {
  const buffer = asBuffer(body);
  const keys: Bytes[] = [];
  for (let at = 0; at < buffer.length;) {
    const end = at + 4 + buffer.readUInt32LE(at);
    keys.push(buffer.subarray(at + 4, end));
    at = end;
  }
  return keys;
}
