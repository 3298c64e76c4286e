/**
 * Formats of numbers, times and bytes, everywhere the same: three significant digits, a thin unit, and a dash for what
 * is not known.
 */

/** Text for a value that is not there. */
export const NONE = '–';

const BINARY_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
const COUNT_UNITS = ['', 'k', 'M', 'G', 'T', 'P'];

type Maybe = number | null | undefined;

/** `1.50 KiB`. */
export function bytes(value: Maybe): string {
  return isKnown(value) ? scaled(value, 1024, BINARY_UNITS, 0) : NONE;
}

/** Formats as `1.50 k`, for approximate values. */
export function count(value: Maybe): string {
  return isKnown(value) ? scaled(value, 1000, COUNT_UNITS, 0).trimEnd() : NONE;
}

/** Formats as `12,345`, for exact values. */
export function whole(value: Maybe): string {
  return isKnown(value) ? Math.round(value).toLocaleString('en-US') : NONE;
}

/** `1 client`, `2 clients`. */
export function counted(value: number, noun: string, plural = `${noun}s`): string {
  return `${whole(value)} ${value === 1 ? noun : plural}`;
}

/** `1.50 k/s`. */
export function rate(value: Maybe): string {
  return isKnown(value) ? `${count(value)}/s` : NONE;
}

/** Microseconds as `850 us`, `1.50 ms`, `2.00 s`, `3m 20s`. */
export function micros(value: Maybe): string {
  if (!isKnown(value)) return NONE;
  if (value < 1_000) return `${digits(value)} µs`;
  if (value < 999_500) return `${digits(value / 1_000)} ms`;
  if (value < 60_000_000) return `${digits(value / 1_000_000)} s`;
  return age(value / 1_000_000);
}

/** Seconds as `45s`, `3m 20s`, `2h 5m`, `4d 3h`. */
export function age(value: Maybe): string {
  if (!isKnown(value)) return NONE;
  const seconds = Math.max(0, Math.floor(value));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
  if (seconds < 86_400) {
    return `${Math.floor(seconds / 3_600)}h ${Math.floor((seconds % 3_600) / 60)}m`;
  }
  return `${Math.floor(seconds / 86_400)}d ${Math.floor((seconds % 86_400) / 3_600)}h`;
}

/** `12.5 %`. */
export function percent(value: Maybe): string {
  if (!isKnown(value)) return NONE;
  return `${value >= 99.95 || value === 0 ? value.toFixed(0) : value.toFixed(1)} %`;
}

let isUtc = false;

/** Shows times in UTC, or in the zone of the reader. */
export function setUtc(wanted: boolean): void {
  isUtc = wanted;
}

/** The time of day of a Unix time in milliseconds, in the chosen zone. */
export function clockTime(unixMs: Maybe): string {
  if (!isKnown(unixMs) || unixMs <= 0) return NONE;
  const date = zoned(unixMs);
  return [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(twoDigits).join(':');
}

/** Day and time of a Unix time in milliseconds, in the chosen zone. */
export function dateTime(unixMs: Maybe): string {
  if (!isKnown(unixMs) || unixMs <= 0) return NONE;
  const date = zoned(unixMs);
  const parts = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
  return `${parts.map(twoDigits).join('-')} ${clockTime(unixMs)}`;
}

/** A date whose fields of UTC are those of the chosen zone. */
function zoned(unixMs: number): Date {
  if (isUtc) return new Date(unixMs);
  return new Date(unixMs - new Date(unixMs).getTimezoneOffset() * 60_000);
}

/** Formats a time with milliseconds. */
export function exactTime(unixMs: Maybe): string {
  if (!isKnown(unixMs) || unixMs <= 0) return NONE;
  return `${dateTime(unixMs)}.${String(Math.floor(unixMs) % 1_000).padStart(3, '0')}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

function isKnown(value: Maybe): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Formats with three significant digits. */
function digits(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value) || size >= 99.95) return value.toFixed(0);
  return size >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

function scaled(value: number, step: number, units: readonly string[], from: number): string {
  let index = from;
  let rest = value;
  // What would be rounded up to a whole step is written in the next unit.
  while (Math.abs(rest) >= step - 0.5 && index < units.length - 1) {
    rest /= step;
    index += 1;
  }
  return `${digits(rest)} ${units[index]!}`;
}
