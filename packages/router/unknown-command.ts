/** Unknown commands, and their error replies. */

import { type CommandError, errors, latin1, untilNul } from '#base';
import type { Arguments } from '#commands';

/** As much of the name, and of the arguments, is shown. */
const SHOWN_BYTES = 128;

/** True when the name is what lines of an HTTP request begin with, as Redis judges it. */
export function isHttp(args: Arguments): boolean {
  return args.spellsAt(0, 'POST') || args.spellsAt(0, 'HOST:');
}

export function unknownCommand(args: Arguments): CommandError {
  const name = untilNul(args.latin1(0)).slice(0, SHOWN_BYTES);
  let shown = '';
  for (let index = 1; index < args.count && shown.length < SHOWN_BYTES; index += 1) {
    const left = SHOWN_BYTES - shown.length;
    const word = latin1(args.source, args.at(index), Math.min(args.length(index), left));
    shown += `'${untilNul(word)}' `;
  }
  return errors.unknownCommand(name, shown);
}
