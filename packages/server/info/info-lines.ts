/** A line of INFO, and how sizes are written. */

export type Line = readonly [name: string, value: string | number];

const BYTE_UNITS = ['B', 'K', 'M', 'G', 'T', 'P'];

/** 1.50M, as Redis writes sizes for people. */
function humanBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < BYTE_UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return unit === 0 ? `${String(bytes)}B` : `${value.toFixed(2)}${BYTE_UNITS[unit] ?? ''}`;
}

/** A size as a number, and for people. */
export function size(name: string, bytes: number): Line[] {
  return [
    [name, bytes],
    [`${name}_human`, humanBytes(bytes)],
  ];
}
