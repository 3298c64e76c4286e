/** Places, distances and units as arguments. */

import { CommandError } from '#base';
import type { Arguments } from '../arguments/arguments.ts';
import { LATITUDE_MAX, LONGITUDE_MAX, type Place } from './cell.ts';
import { unitM } from './distance.ts';

const unknownUnit = new CommandError('ERR unsupported unit provided. please use M, KM, FT, MI');

/** The longitude of argument `index` and the latitude of the next. */
export function placeAt(args: Arguments, index: number): Place {
  const longitude = args.doubleAt(index);
  const latitude = args.doubleAt(index + 1);
  if (Math.abs(longitude) > LONGITUDE_MAX || Math.abs(latitude) > LATITUDE_MAX) {
    throw new CommandError(
      `ERR invalid longitude,latitude pair ${sixDecimals(longitude)},${sixDecimals(latitude)}`,
    );
  }
  return { longitude, latitude };
}

/** Metres of the unit that argument `index` names. */
export function unitAt(args: Arguments, index: number): number {
  const metres = unitM(args.latin1(index));
  if (metres === undefined) throw unknownUnit;
  return metres;
}

/** From here on JavaScript writes exponents, and there are no decimals. */
const LARGE = 1e21;

/** As C's `%f`. */
function sixDecimals(value: number): string {
  if (value === Infinity) return 'inf';
  if (value === -Infinity) return '-inf';
  return Math.abs(value) < LARGE ? value.toFixed(6) : `${BigInt(value).toString()}.000000`;
}
