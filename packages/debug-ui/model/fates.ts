/** Key fates in words, and the path that asks for those of one key. */

/** Meaning of each key fate. */
export const MEANINGS: Readonly<Record<string, string>> = {
  'expired-active': 'Its time had come; the shard found it by itself.',
  'expired-lazy': 'Its time had come; a command met it.',
  'expired-fields': 'A hash whose last field has expired.',
  evicted: 'Removed to keep within maxmemory.',
  deleted: 'By a command, also by one that took its last element or set its end to the past.',
  overwritten: 'A command has put another value in its place.',
  moved: 'It has another name now, or is in another database or on another server.',
  flushed: 'Its database was emptied.',
};

/** A key as it is asked for. */
export interface KeyPlace {
  readonly db: number;
  readonly key: string;
  /** Each character of the key stands for a byte. */
  readonly binary: boolean;
}

/** Returns the path that tells the fates of all keys, or of one. */
export function fatesPath(count: number, place: KeyPlace | null): string {
  const path = `/debug/api/key-fates?count=${count}`;
  return place === null ? path : `${path}&key=${encoded(place)}&db=${place.db}`;
}

function encoded({ key, binary }: KeyPlace): string {
  // Half of a pair of surrogates is no character, and cannot be sent.
  if (!binary) return encodeURIComponent(key.replaceAll(/\p{Cs}/gu, '\ufffd'));
  return Array.from(key, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
}
