/** Kinds of text without certain characters: names that nodes of a cluster announce, with Redis' limits and words; tokens. */

import * as v from 'valibot';
import { text, ValueError, type Kind } from './kinds.ts';

/** Longest host name, as in Redis. */
const HOSTNAME_LENGTH_MAX = 255;
/** Characters that Redis keeps out of names of nodes. */
const NODE_NAME_FORBIDDEN = /[!#$%&()*+.:;<>?@[\]^{|}~]/;

/** A host name; empty means unset. */
export const hostname: Kind<string> = named(
  'a host name of letters, digits, hyphens and dots',
  (value) => {
    if (value.length > HOSTNAME_LENGTH_MAX) return 'Hostnames must be less than 256 characters';
    if (/^[A-Za-z0-9.-]*$/.test(value)) return undefined;
    return 'Hostnames may only contain alphanumeric characters, hyphens or dots';
  },
);

/** A name that people have for a node; empty means unset. */
export const nodeName: Kind<string> = named(
  'a string without the characters !#$%&()*+.:;<>?@[]^{|}~',
  (value) =>
    NODE_NAME_FORBIDDEN.test(value)
      ? 'Announced human node name contained invalid character'
      : undefined,
);

/** Availability zone of a server, with the characters of names of nodes; empty means unset. */
export const availabilityZone: Kind<string> = named(
  'a string without the characters !#$%&()*+.:;<>?@[]^{|}~',
  (value) =>
    NODE_NAME_FORBIDDEN.test(value) ? 'Availability zone contained invalid character' : undefined,
);

/** A token that HTTP's header Authorization can carry; empty means unset. */
export const token: Kind<string> = named(
  'a string of visible ASCII characters without blanks and line breaks',
  (value) =>
    /^[\x21-\x7e]*$/.test(value)
      ? undefined
      : 'A token may only contain visible ASCII characters, without blanks and line breaks',
);

/** A release of three numbers, each of which fits into a byte of Lua's REDIS_VERSION_NUM. */
export const release: Kind<string> = named(
  'a version of three numbers up to 255, such as "8.4.0"',
  (value) => {
    const isRelease =
      /^\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(value) &&
      value.split('.').every((part) => Number(part) < 256);
    return isRelease ? undefined : 'A version is three numbers up to 255 with dots between them';
  },
);

/** Text that a rule may refuse. */
function named(allowed: string, faultOf: (value: string) => string | undefined): Kind<string> {
  return {
    ...text,
    allowed,
    schema: v.pipe(
      v.string(),
      v.check((value) => faultOf(value) === undefined),
    ),
    parse(value) {
      const fault = faultOf(value);
      if (fault !== undefined) throw new ValueError(fault);
      return value;
    },
  };
}
