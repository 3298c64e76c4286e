/** KEEPREF, DELREF and ACKED: what becomes of the references that groups have to entries that are to be removed. */

import type { References } from '#store';
import type { Arguments } from '../../arguments/arguments.ts';
import type { ArgumentDoc } from '../../definition/definition.ts';

export const REFERENCE_WORDS: Readonly<Record<References, string>> = {
  kept: 'KEEPREF',
  dropped: 'DELREF',
  respected: 'ACKED',
};

const ALL = Object.keys(REFERENCE_WORDS) as References[];

export const referencesDoc: ArgumentDoc = {
  name: 'condition',
  type: 'oneof',
  optional: true,
  arguments: ALL.map((references) => ({
    name: REFERENCE_WORDS[references].toLowerCase(),
    type: 'pure-token',
    token: REFERENCE_WORDS[references],
  })),
};

/** Takes such an option at the arguments' position; undefined if there is none. */
export function takeReferences(args: Arguments): References | undefined {
  return ALL.find((references) => args.takes(REFERENCE_WORDS[references]));
}
