/** Options of SCAN, which other walks over keys have too. */

import { type Bytes, CommandError, errors } from '#base';
import type { Arguments } from '../../arguments/arguments.ts';
import { patternOrAll } from './keys.ts';
import { typeNumber } from './type-names.ts';

export interface ScanOptions {
  count: number;
  /** Undefined for all keys. */
  pattern: Bytes | undefined;
  /** The store's number of the type; -1 for a type that does not exist; undefined for all. */
  type: number | undefined;
  /** The type as it was given; empty for all. */
  typeName: string;
}

/** Maximum number of records that one call visits, regardless of COUNT: the store counts in 31 bits. */
const COUNT_MAX = 2 ** 31 - 1;
const COUNT_DEFAULT = 10;

const noValuesHere = new CommandError('ERR NOVALUES option can only be used in HSCAN');

/** Reads COUNT, MATCH and TYPE; `takesOther` reads an option that only this walk has, and returns false for none. */
export function readScanOptions(
  args: Arguments,
  takesOther: () => boolean = () => false,
): ScanOptions {
  const wanted: ScanOptions = {
    count: COUNT_DEFAULT,
    pattern: undefined,
    type: undefined,
    typeName: '',
  };
  args.position = 2;
  while (args.more) {
    if (args.left >= 2 && args.takes('COUNT')) {
      wanted.count = Math.min(args.roundedAt(args.next()), COUNT_MAX);
      if (wanted.count < 1) throw errors.syntax;
    } else if (args.left >= 2 && args.takes('MATCH')) {
      wanted.pattern = patternOrAll(args.bytes());
    } else if (args.left >= 2 && args.takes('TYPE')) {
      const index = args.next();
      wanted.type = typeNumber(args.source, args.at(index), args.length(index));
      wanted.typeName = args.latin1(index);
    } else if (args.takes('NOVALUES')) {
      throw noValuesHere;
    } else if (!takesOther()) {
      throw errors.syntax;
    }
  }
  return wanted;
}
