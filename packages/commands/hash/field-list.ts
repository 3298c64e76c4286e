/** FIELDS, a number, and as many fields: how the commands that deal with single fields name them. */

import { CommandError } from '#base';
import type { Arguments } from '../arguments/arguments.ts';
import type { ArgumentDoc } from '../definition/definition.ts';

export const fieldsBlock: ArgumentDoc = {
  name: 'fields',
  type: 'block',
  token: 'FIELDS',
  arguments: [
    { name: 'numfields', type: 'integer' },
    { name: 'field', type: 'string', multiple: true },
  ],
};

const noFields = new CommandError(
  'ERR Mandatory argument FIELDS is missing or not at the right position',
);
const notPositive = new CommandError('ERR Number of fields must be a positive integer');
const mismatch = new CommandError(
  'ERR The `numfields` parameter must match the number of arguments',
);

/** Reads FIELDS at argument `index` and the number of fields, which go to the end; returns the index of the first. */
export function demandFieldCount(
  args: Arguments,
  index: number,
  error: CommandError = notPositive,
): number {
  if (index + 1 >= args.count || !args.spellsAt(index, 'FIELDS')) throw noFields;
  const count = args.roundedAt(index + 1, error);
  if (count < 1) throw error;
  const first = index + 2;
  if (count !== args.count - first) throw mismatch;
  return first;
}
