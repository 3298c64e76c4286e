/** Distances on a sphere, in metres, by the haversine formula and with Redis' radius. */

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

/** Functions that distances are computed with. */
interface Trigonometry {
  sin: (x: number) => number;
  cos: (x: number) => number;
  asin: (x: number) => number;
}

const exact: Trigonometry = { sin: preciseSin, cos: preciseCos, asin: preciseAsin };

/** The distance as quickly as it can be had: the last bits may differ from C's. */
export function distanceM(from: Place, to: Place): number {
  return haversine(from, to, Math);
}

/** The distance with every bit as C has it, for what is shown and stored. */
export function exactDistanceM(from: Place, to: Place): number {
  return haversine(from, to, exact);
}

/** The distance of two places on one meridian. */
export function latitudeDistanceM(from: number, to: number): number {
  return EARTH_RADIUS_M * Math.abs(toRadians(to) - toRadians(from));
}

function haversine(from: Place, to: Place, { sin, cos, asin }: Trigonometry): number {
  const across = sin((toRadians(to.longitude) - toRadians(from.longitude)) / 2);
  if (across === 0) return latitudeDistanceM(from.latitude, to.latitude);
  const south = toRadians(from.latitude);
  const north = toRadians(to.latitude);
  const up = sin((north - south) / 2);
  const chord = up * up + cos(south) * cos(north) * across * across;
  return 2 * EARTH_RADIUS_M * asin(Math.sqrt(chord));
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

/** Four decimals; of two equally near texts the even one. */
export function formatDistance(distance: number): string {
  const scaled = distance * DECIMALS;
  const below = Math.floor(scaled);
  const rest = scaled - below;
  const isUp = rest > 0.5 || (rest === 0.5 && below % 2 === 1);
  const units = isUp ? below + 1 : below;
  const whole = Math.floor(units / DECIMALS);
  return `${whole}.${String(units - whole * DECIMALS).padStart(4, '0')}`;
}
