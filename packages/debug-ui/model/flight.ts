/** Events of the flight recorder in a readable form: duration and further values. */

import type { FlightEntry } from './api.ts';
import { bytes, micros, whole } from './format.ts';

/** Fields that have a column of their own. */
const COLUMNS = new Set(['time_ms', 'thread', 'event', 'duration_us']);

/** Null where it has no length. */
export function durationOf({ duration_us: us }: FlightEntry): number | null {
  return typeof us === 'number' ? us : null;
}

/** `frames 3, command debug|sleep`: what only this kind of event has, but for its length. */
export function detailsOf(entry: FlightEntry): string {
  return Object.entries(entry)
    .filter(([name, value]) => value !== null && !COLUMNS.has(name))
    .map(([name, value]) => `${words(name)} ${shown(name, value)}`)
    .join(', ');
}

function words(name: string): string {
  return name.replace(/_us$/, '').replaceAll('_', ' ');
}

function shown(name: string, value: string | number | null): string {
  if (typeof value !== 'number') return String(value);
  if (name.endsWith('_us')) return micros(value);
  return name === 'bytes' ? bytes(value) : whole(value);
}
