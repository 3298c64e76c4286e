/** Texts of key fates, and the API path for those of one key. */

/** Meaning of each key fate. */
export const MEANINGS: Readonly<Record<string, string>> = {
  'expired-active': 'Expired; removed by active expiry.',
  'expired-lazy': 'Expired; removed when a command accessed it.',
  'expired-fields': 'Hash whose last field expired.',
  evicted: 'Evicted because of maxmemory.',
  deleted:
    'Removed by a command, including one that took the last element or set an expiry in the past.',
  overwritten: 'Overwritten by a command with another value.',
  moved: 'Renamed, or moved to another database or server.',
  flushed: 'Database flushed.',
};

/** A key in a request. */
export interface KeyPlace {
  readonly db: number;
  readonly key: string;
  /** True if each character of the key is one byte. */
  readonly binary: boolean;
}

/** Returns the path of the API for removed keys, of all keys or of one. */
export function fatesPath(count: number, place: KeyPlace | null): string {
  const path = `/debug/api/key-fates?count=${count}`;
  return place === null ? path : `${path}&key=${encoded(place)}&db=${place.db}`;
}

function encoded({ key, binary }: KeyPlace): string {
  // Half of a pair of surrogates is no character, and cannot be sent.
  if (!binary) return encodeURIComponent(key.replaceAll(/\p{Cs}/gu, '\ufffd'));
  return Array.from(key, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
}
