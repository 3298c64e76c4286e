/** Names that clients give themselves: printable, without spaces, so that CLIENT LIST can be split. */

import { CommandError } from '#base';
import type { Arguments } from '../arguments/arguments.ts';

const PRINTABLE = /^[!-~]*$/;

const badName = new CommandError(
  'ERR Client names cannot contain spaces, newlines or special characters.',
);

/** The next argument as a client's name; may be empty. */
export function readName(args: Arguments): string {
  const name = args.text();
  if (!PRINTABLE.test(name)) throw badName;
  return name;
}

/** The next argument as a library's name or version; errors spell the option before it as the client did. */
export function readLibraryWord(args: Arguments): string {
  const option = args.latin1(args.position - 1);
  const word = args.text();
  if (!PRINTABLE.test(word)) {
    throw new CommandError(`ERR ${option} cannot contain spaces, newlines or special characters.`);
  }
  return word;
}
