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
import { type Edges, edgesOf, isInside, reachM } from './polygon.ts';

/** A circle, a box whose sides follow meridians and parallels, or a polygon. */
export interface Shape {
  /** Place that distances are measured from. */
  center: Place;
  /** Vertices of a polygon; undefined for other shapes. */
  vertices?: readonly Place[];
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
  const { center, unitM, vertices } = shape;
  if (vertices !== undefined) return isInside(vertices, place) ? distanceM(center, place) : -1;
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
  const start = startOf(shape, edges);
  let steps = stepsFor(shape, edges);
  let cell = cellAt(start, steps);
  while (steps > 1 && isTooSmall(cell, edges)) {
    steps -= 1;
    cell = cellAt(start, steps);
    // As Redis has it for other shapes, whose center is in their middle.
    if (shape.vertices === undefined) break;
  }
  if (steps === 1 && shape.vertices !== undefined) return wholeMap(cell);
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

/** Keeps a place off the end of the map, where no cell is. */
const WITHIN_MAP = 1 - 1e-9;

/** A place in the middle cell. The middle of the vertices of a large polygon may be outside, and even off the map. */
function startOf({ center, vertices }: Shape, { west, east, south, north }: Edges): Place {
  if (vertices === undefined) return center;
  const within = (value: number, least: number, most: number): number =>
    Math.min(Math.max(value, least), most) * WITHIN_MAP;
  return {
    longitude: within(center.longitude, west, east),
    latitude: within(center.latitude, south, north),
  };
}

/** All four cells of one step, from `first` on. */
function wholeMap(first: Cell): readonly Cell[] {
  const { column, row, steps } = first;
  return [
    first,
    { column, row: row ^ 1, steps },
    { column: column ^ 1, row, steps },
    { column: column ^ 1, row: row ^ 1, steps },
  ];
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

function boundingBox(shape: Shape): Edges {
  if (shape.vertices !== undefined) return edgesOf(shape.vertices);
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
function stepsFor(shape: Shape, edges: Edges): number {
  const { latitude } = shape.center;
  let rangeM =
    shape.vertices === undefined
      ? shape.unitM * (shape.isBox ? halfDiagonal(shape) : shape.radius)
      : reachM(shape.center, edges);
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
