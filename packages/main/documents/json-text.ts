/** Bytes of clients in JSON, which only has texts. */

import { isUtf8 } from 'node:buffer';
import { type Bytes, readable } from '#base';

/** The longest character of UTF-8. */
const CHARACTER_BYTES_MAX = 4;

interface KeyText {
  readonly key: string;
  /** True when the key is not UTF-8; each character of `key` is then one byte. */
  readonly binary: boolean;
}

export function keyAsText(key: Bytes): KeyText {
  return { key: readable(key), binary: !isUtf8(key) };
}

/** Returns the start of a key, without a character that was cut in the middle. */
export function beginningAsText(bytes: Bytes): KeyText {
  for (let cut = 0; cut < CHARACTER_BYTES_MAX; cut += 1) {
    const whole = bytes.subarray(0, Math.max(0, bytes.length - cut));
    if (isUtf8(whole)) return keyAsText(whole);
  }
  return keyAsText(bytes);
}
