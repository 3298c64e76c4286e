/** Commands in RESP, as a client of another server sends them. */

import type { Bytes } from '#base';

/** The bytes of a command of these words; text is sent as UTF-8. */
export function commandBytes(words: readonly (string | Bytes)[]): Bytes {
  const bulks = words.flatMap((word) => {
    const bytes = typeof word === 'string' ? Buffer.from(word) : word;
    return [Buffer.from(`$${bytes.length}\r\n`), bytes, LINE_END];
  });
  return Buffer.concat([Buffer.from(`*${words.length}\r\n`), ...bulks]);
}

const LINE_END = Buffer.from('\r\n');
