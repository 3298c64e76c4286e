/** Text of a terminal: columns, sizes and times. */

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;
const UNIT_STEP = 1_024;
const MS_PER_S = 1_000;
const US_PER_MS = 1_000;

/** Returns rows as lines whose columns are aligned, each after two blanks. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [nth, text] of row.entries()) widths[nth] = Math.max(widths[nth] ?? 0, text.length);
  }
  return rows.map((row) => {
    const cells = row.map((text, nth) => text.padEnd(widths[nth] ?? 0));
    return `  ${cells.join('  ').trimEnd()}`;
  });
}

/** Returns a size with its unit. */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= UNIT_STEP && unit < UNITS.length - 1) {
    value /= UNIT_STEP;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}

/** Returns a duration given in microseconds, with its unit. */
export function durationText(us: number): string {
  if (us < US_PER_MS) return `${us} us`;
  if (us < US_PER_MS * MS_PER_S) return `${(us / US_PER_MS).toFixed(1)} ms`;
  return `${(us / US_PER_MS / MS_PER_S).toFixed(2)} s`;
}

/** Returns a duration as `durationText` does, with one digit after the point of microseconds. */
export function timeText(us: number): string {
  return durationText(Math.round(us * 10) / 10);
}

/** Returns text without characters that a terminal would obey, and no longer than `charsMax`. */
export function shown(text: string, charsMax: number): string {
  const plain = text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '?');
  return plain.length > charsMax ? `${plain.slice(0, charsMax - 3)}...` : plain;
}
