/** A graph of an event's samples in characters, as Redis draws it. */

import type { EventSeries } from './ports.ts';

const COLUMNS = 80;
const ROWS = 4;
/** Levels within a row, from low to high; a bar continues in the row above. */
const LEVELS = '_o#';
const BAR = '|';

/** Returns the graph of an event, with a header that shows the extremes. */
export function eventGraph({ event, samples, usMax }: EventSeries, nowMs: number): string {
  const values = samples.map(({ us }) => Math.floor(us / 1_000));
  const high = Math.max(...values);
  const low = Math.min(...values);
  const ages = samples.map(({ unixSeconds }) => age(Math.floor(nowMs / 1_000) - unixSeconds));
  const head = `${event} - high ${String(high)} ms, low ${String(low)} ms (all time high ${String(Math.floor(usMax / 1_000))} ms)`;
  const parts: string[] = [];
  for (let from = 0; from < values.length; from += COLUMNS) {
    const heights = values.slice(from, from + COLUMNS).map((value) => heightOf(value, low, high));
    parts.push(drawn(heights, ages.slice(from, from + COLUMNS)));
  }
  return `${head}\n${'-'.repeat(COLUMNS)}\n${parts.join('\n')}`;
}

/** Formats how long ago something was, in the largest unit that fits. */
function age(seconds: number): string {
  if (seconds < 60) return `${String(seconds)}s`;
  if (seconds < 3_600) return `${String(Math.floor(seconds / 60))}m`;
  if (seconds < 86_400) return `${String(Math.floor(seconds / 3_600))}h`;
  return `${String(Math.floor(seconds / 86_400))}d`;
}

function heightOf(value: number, low: number, high: number): number {
  const steps = LEVELS.length * ROWS;
  return Math.min(steps - 1, Math.floor(((value - low) * steps) / (high - low || 1)));
}

function drawn(heights: readonly number[], labels: readonly string[]): string {
  const lines: string[] = [];
  for (let row = ROWS - 1; row >= 0; row -= 1) {
    const floor = row * LEVELS.length;
    lines.push(
      heights.map((height) => (height < floor ? ' ' : (LEVELS[height - floor] ?? BAR))).join(''),
    );
  }
  lines.push(' '.repeat(heights.length));
  const longest = Math.max(...labels.map(({ length }) => length));
  for (let nth = 0; nth < longest; nth += 1) {
    lines.push(labels.map((label) => label[nth] ?? ' ').join(''));
  }
  return `${lines.join('\n')}\n`;
}
