/** Distances on a sphere, in metres, by the haversine formula and with Redis' radius. */

import { asBuffer, type Bytes, writeInteger } from '#base';
import { preciseAsin, preciseCos, preciseSin } from './precise.ts';
import type { Place } from './cell.ts';

export const EARTH_RADIUS_M = 6_372_797.560_856;

const RADIANS = Math.PI / 180;

export function toRadians(degrees: number): number {
  return degrees * RADIANS;
}

export function toDegrees(radians: number): number {
  return radians / RADIANS;
}

/** The distance as quickly as it can be had: the last bits may differ from C's. */
export function distanceM(from: Place, to: Place): number {
  // The functions are named, since those of an argument are not compiled into their caller.
  const across = Math.sin((toRadians(to.longitude) - toRadians(from.longitude)) / 2);
  if (across === 0) return latitudeDistanceM(from.latitude, to.latitude);
  const south = toRadians(from.latitude);
  const north = toRadians(to.latitude);
  const up = Math.sin((north - south) / 2);
  const chord = up * up + Math.cos(south) * Math.cos(north) * across * across;
  return 2 * EARTH_RADIUS_M * Math.asin(Math.sqrt(chord));
}

/** The distance with every bit as C has it, for what is shown and stored. */
export function exactDistanceM(from: Place, to: Place): number {
  const across = preciseSin((toRadians(to.longitude) - toRadians(from.longitude)) / 2);
  if (across === 0) return latitudeDistanceM(from.latitude, to.latitude);
  const south = toRadians(from.latitude);
  const north = toRadians(to.latitude);
  const up = preciseSin((north - south) / 2);
  const chord = up * up + preciseCos(south) * preciseCos(north) * across * across;
  return 2 * EARTH_RADIUS_M * preciseAsin(Math.sqrt(chord));
}

/** The distance of two places on one meridian. */
export function latitudeDistanceM(from: number, to: number): number {
  return EARTH_RADIUS_M * Math.abs(toRadians(to) - toRadians(from));
}

/** Units by name, in metres. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ['M', 1],
  ['KM', 1000],
  ['FT', 0.3048],
  ['MI', 1609.34],
]);

/** Metres of the unit with this name, in any case; undefined when there is none. */
export function unitM(name: string): number | undefined {
  return UNITS.get(name.toUpperCase());
}

const DECIMALS = 10_000;

/** Bytes of a distance that `writeDistance` can write itself: fifteen digits and the point. */
const WRITTEN_BYTES_MAX = 16;
/** Bytes of the longest distance, which not even the largest unit reaches. */
export const DISTANCE_BYTES_MAX = 400;
const ZERO = 0x30;
const POINT = 0x2e;

/** Four decimals; of two equally near texts the even one. */
export function formatDistance(distance: number): string {
  const units = unitsOf(distance);
  const whole = Math.floor(units / DECIMALS);
  return `${whole}.${String(units - whole * DECIMALS).padStart(4, '0')}`;
}

/** Writes the text of a distance at the start of some bytes, and returns its length. */
export function writeDistance(distance: number, into: Bytes): number {
  const units = unitsOf(distance);
  if (!(units < 10 ** (WRITTEN_BYTES_MAX - 1))) {
    return asBuffer(into).write(formatDistance(distance), 'latin1');
  }
  const whole = Math.floor(units / DECIMALS);
  const point = writeInteger(whole, into, 0);
  into[point] = POINT;
  let rest = units - whole * DECIMALS;
  for (let at = point + 4; at > point; at -= 1) {
    const tenth = Math.floor(rest / 10);
    into[at] = ZERO + rest - 10 * tenth;
    rest = tenth;
  }
  return point + 5;
}

/** Returns the distance as a number of last decimals. */
function unitsOf(distance: number): number {
  const scaled = distance * DECIMALS;
  const below = Math.floor(scaled);
  const rest = scaled - below;
  const isUp = rest > 0.5 || (rest === 0.5 && below % 2 === 1);
  return isUp ? below + 1 : below;
}
