/** Databases by number, as arguments name them. */

import { CommandError, errors } from '#base';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';

const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;

const beyondInt32 = new CommandError(
  `ERR value is out of range, value must between ${INT32_MIN} and ${INT32_MAX}`,
);

/** The number that argument `index` gives; `error` says otherwise what is wrong with it. */
export function databaseIndexAt(args: Arguments, index: number, error?: CommandError): number {
  const value = args.roundedAt(index, error);
  if (value < INT32_MIN || value > INT32_MAX) throw error ?? beyondInt32;
  return value;
}

export function demandDatabase(context: ShardContext, database: number): void {
  if (database < 0 || database >= context.store.databases.length) throw errors.databaseOutOfRange;
}
