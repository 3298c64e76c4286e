/** The shape that a search looks into, and the nine cells that cover it. */

import { areaOf, cellAt, neighbour, STEPS_MAX, type Cell, type Place } from './cell.ts';
import {
  distanceM,
  EARTH_RADIUS_M,
  exactDistanceM,
  latitudeDistanceM,
  toDegrees,
  toRadians,
} from './distance.ts';

/** A circle, or a box whose sides follow meridians and parallels. */
export interface Shape {
  center: Place;
  /** Metres of the unit that the sizes are given in. */
  unitM: number;
  isBox: boolean;
  radius: number;
  width: number;
  height: number;
}

/** Half of the map's side, from which on no cell is too large. */
const MERCATOR_MAX_M = 20_037_726.37;
/** Latitudes from which on cells are so narrow that one step less is needed, and then another. */
const NARROW_LATITUDE = 66;
const NARROWER_LATITUDE = 80;

/** Distances nearer to a limit than this part of it are judged exactly. */
const DOUBT = 1e-12;

/** The distance of a place from the middle of the shape, or -1 when it is outside. */
export function distanceInside(shape: Shape, place: Place): number {
  const { center, unitM } = shape;
  if (!shape.isBox) return withinLimit(center, place, shape.radius * unitM);
  const limit = (shape.height * unitM) / 2;
  if (latitudeDistanceM(place.latitude, center.latitude) > limit) return -1;
  const beside = { longitude: center.longitude, latitude: place.latitude };
  if (withinLimit(place, beside, (shape.width * unitM) / 2) < 0) return -1;
  return distanceM(center, place);
}

function withinLimit(from: Place, to: Place, limit: number): number {
  let distance = distanceM(from, to);
  if (Math.abs(distance - limit) <= limit * DOUBT) distance = exactDistanceM(from, to);
  return distance > limit ? -1 : distance;
}

/** The cells to look into: the one in the middle first, without those that cannot hold anything. */
export function cellsFor(shape: Shape): readonly Cell[] {
  const edges = boundingBox(shape);
  let steps = stepsFor(shape);
  let cell = cellAt(shape.center, steps);
  if (steps > 1 && isTooSmall(cell, edges)) {
    steps -= 1;
    cell = cellAt(shape.center, steps);
  }
  const { west, east, south, north } = areaOf(cell);
  const isUseful = (columns: number, rows: number): boolean =>
    steps < 2 ||
    !(
      (rows < 0 && south < edges.south) ||
      (rows > 0 && north > edges.north) ||
      (columns < 0 && west < edges.west) ||
      (columns > 0 && east > edges.east)
    );
  const wanted = DIRECTIONS.filter(([columns, rows]) => isUseful(columns, rows));
  return [cell, ...wanted.map(([columns, rows]) => neighbour(cell, columns, rows))];
}

/** Columns and rows to north, south, east, west, and then between them: results come in this order. */
const DIRECTIONS: readonly (readonly [columns: number, rows: number])[] = [
  [0, 1],
  [0, -1],
  [1, 0],
  [-1, 0],
  [1, 1],
  [-1, 1],
  [1, -1],
  [-1, -1],
];

interface Edges {
  west: number;
  east: number;
  south: number;
  north: number;
}

function boundingBox(shape: Shape): Edges {
  const { longitude, latitude } = shape.center;
  const height = shape.unitM * (shape.isBox ? shape.height / 2 : shape.radius);
  const width = shape.unitM * (shape.isBox ? shape.width / 2 : shape.radius);
  const up = toDegrees(height / EARTH_RADIUS_M);
  // Towards the pole the same width spans more degrees.
  const narrow = latitude < 0 ? latitude - up : latitude + up;
  const across = toDegrees(width / EARTH_RADIUS_M / Math.cos(toRadians(narrow)));
  return {
    west: longitude - across,
    east: longitude + across,
    south: latitude - up,
    north: latitude + up,
  };
}

/** Returns a first guess of how fine the cells may be so that nine of them cover the shape. */
function stepsFor(shape: Shape): number {
  const { latitude } = shape.center;
  let rangeM = shape.unitM * (shape.isBox ? halfDiagonal(shape) : shape.radius);
  if (rangeM === 0) return STEPS_MAX;
  let steps = 1;
  while (rangeM < MERCATOR_MAX_M) {
    rangeM *= 2;
    steps += 1;
  }
  steps -= 2;
  if (Math.abs(latitude) > NARROW_LATITUDE) steps -= 1;
  if (Math.abs(latitude) > NARROWER_LATITUDE) steps -= 1;
  return Math.min(Math.max(steps, 1), STEPS_MAX);
}

function halfDiagonal({ width, height }: Shape): number {
  return Math.sqrt((width / 2) * (width / 2) + (height / 2) * (height / 2));
}

/** True when a cell and its neighbours leave a part of the box uncovered. */
function isTooSmall(cell: Cell, edges: Edges): boolean {
  return (
    areaOf(neighbour(cell, 0, 1)).north < edges.north ||
    areaOf(neighbour(cell, 0, -1)).south > edges.south ||
    areaOf(neighbour(cell, 1, 0)).east < edges.east ||
    areaOf(neighbour(cell, -1, 0)).west > edges.west
  );
}
