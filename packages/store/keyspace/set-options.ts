/** Ways to store a value, made once for each: a command makes none of its own. */

import { ValueType } from '../values/value-type.ts';

export interface SetOptions {
  /** True to keep the expiry of the key, which is removed otherwise. */
  readonly keepTtl: boolean;
  /** A number of ValueType. */
  readonly type: number;
  readonly encoding: number;
  /** Expiry that is set at once, in Unix milliseconds; -1 for none. */
  readonly expireAt: number;
  /** The value begins its memory, which is the record's from now on where it has no room for it. */
  readonly isGiven: boolean;
}

/** All properties are there in one order, so that the keyspace meets one shape of object. */
export function setOptions(options: Partial<SetOptions> = {}): SetOptions {
  return {
    keepTtl: options.keepTtl ?? false,
    type: options.type ?? ValueType.string,
    encoding: options.encoding ?? 0,
    expireAt: options.expireAt ?? -1,
    isGiven: options.isGiven ?? false,
  };
}

/** A new string, which does not expire. */
export const PLAIN = setOptions();

/** A string that expires when the key did. */
export const KEEP_TTL = setOptions({ keepTtl: true });
