import type { LimitCause, LimitFinding } from '#api-types';
import type { Facts } from './facts.ts';

/** A finding of one moment. */
export interface Judged extends Omit<LimitFinding, 'since_ms' | 'worst'> {
  /** Share of the server's possible work that it takes, for the order of findings; refused writes count as all. */
  readonly weight: number;
}

export type Judge = (facts: Facts) => readonly Judged[];

/** Names a limit over time: its value changes, this does not. */
export function limitName({ cause, object }: { cause: LimitCause; object: string | null }): string {
  return object === null ? cause : `${cause} ${object}`;
}

export function percent(share: number): number {
  return Math.round(100 * share);
}

/** Bytes in binary units, for sentences. */
export function inBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1_024 && unit < units.length - 1) {
    value /= 1_024;
    unit += 1;
  }
  return `${unit === 0 ? String(value) : value.toFixed(1)} ${units[unit] ?? ''}`;
}
