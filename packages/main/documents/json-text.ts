/** Bytes of clients in JSON, which only has texts. */

import { isUtf8 } from 'node:buffer';
import { type Bytes, readable } from '#base';

/** The longest character of UTF-8. */
const CHARACTER_BYTES_MAX = 4;

interface KeyText {
  readonly key: string;
  /** True when the key is no UTF-8, so that each character of `key` stands for a byte. */
  readonly binary: boolean;
}

export function keyAsText(key: Bytes): KeyText {
  return { key: readable(key), binary: !isUtf8(key) };
}

/** The beginning of a key: what was cut in the middle of a character ends before it. */
export function beginningAsText(bytes: Bytes): KeyText {
  for (let cut = 0; cut < CHARACTER_BYTES_MAX; cut += 1) {
    const whole = bytes.subarray(0, Math.max(0, bytes.length - cut));
    if (isUtf8(whole)) return keyAsText(whole);
  }
  return keyAsText(bytes);
}
