/** Polygons whose edges are straight lines on a map of longitudes and latitudes, as in Valkey. */

import type { Place } from './cell.ts';
import { distanceM, toDegrees, toRadians } from './distance.ts';

export interface Edges {
  west: number;
  east: number;
  south: number;
  north: number;
}

/** The place in the middle of the vertices, all of which count alike; as points in space. */
export function middleOf(vertices: readonly Place[]): Place {
  let x = 0;
  let y = 0;
  let z = 0;
  for (const { longitude, latitude } of vertices) {
    const along = toRadians(longitude);
    const up = toRadians(latitude);
    x += Math.cos(up) * Math.cos(along);
    y += Math.cos(up) * Math.sin(along);
    z += Math.sin(up);
  }
  return {
    longitude: toDegrees(Math.atan2(y, x)),
    latitude: toDegrees(Math.atan2(z, Math.hypot(x, y))),
  };
}

export function edgesOf(vertices: readonly Place[]): Edges {
  const edges = { west: Infinity, east: -Infinity, south: Infinity, north: -Infinity };
  for (const { longitude, latitude } of vertices) {
    edges.west = Math.min(edges.west, longitude);
    edges.east = Math.max(edges.east, longitude);
    edges.south = Math.min(edges.south, latitude);
    edges.north = Math.max(edges.north, latitude);
  }
  return edges;
}

/** Metres from a place to the furthest corner. */
export function reachM(from: Place, { west, east, south, north }: Edges): number {
  const corners = [west, east].flatMap((longitude) =>
    [south, north].map((latitude) => distanceM(from, { longitude, latitude })),
  );
  return Math.max(...corners);
}

/** True when a line from the place to the east crosses an odd number of sides. */
export function isInside(vertices: readonly Place[], { longitude, latitude }: Place): boolean {
  let inside = false;
  let before = vertices.at(-1)!;
  for (const vertex of vertices) {
    const spans = vertex.latitude > latitude !== before.latitude > latitude;
    if (spans) {
      const part = (latitude - vertex.latitude) / (before.latitude - vertex.latitude);
      const crossing = vertex.longitude + part * (before.longitude - vertex.longitude);
      if (longitude < crossing) inside = !inside;
    }
    before = vertex;
  }
  return inside;
}
