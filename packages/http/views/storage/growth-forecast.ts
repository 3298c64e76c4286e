/** Growth of used memory by a straight line through its last readings, and the time at which it is full. */

import type { MemoryForecast } from '#api-types';

/** An hour, with a reading every ten seconds. */
const READINGS_MAX = 360;
/** Shortest measurement that a growth is computed from. */
const SECONDS_MIN = 60;
/** Share of the variance that the line must explain, so that memory which goes up and down has no forecast. */
const FIT_MIN = 0.5;

interface MemoryReading {
  readonly timeMs: number;
  readonly bytes: number;
}

export class GrowthForecast {
  #readings: MemoryReading[] = [];

  add(timeMs: number, bytes: number): void {
    this.#readings.push({ timeMs, bytes });
    if (this.#readings.length > READINGS_MAX) this.#readings.shift();
  }

  /** Returns the growth; null until it was measured long enough. `limitBytes` of 0 is no limit. */
  forecast(limitBytes: number): MemoryForecast | null {
    const first = this.#readings[0];
    const last = this.#readings.at(-1);
    if (first === undefined || last === undefined) return null;
    const seconds = (last.timeMs - first.timeMs) / 1_000;
    if (seconds < SECONDS_MIN) return null;
    const { slope, fit } = lineThrough(this.#readings);
    const grows = slope > 0 && fit >= FIT_MIN && limitBytes > 0;
    const leftBytes = Math.max(0, limitBytes - last.bytes);
    return {
      seconds: Math.round(seconds),
      bytes_per_sec: Math.round(slope),
      full_time_ms: grows ? Math.round(last.timeMs + (1_000 * leftBytes) / slope) : null,
    };
  }
}

/** Least squares: the slope in bytes per second, and the share of the variance that the line explains. */
function lineThrough(readings: readonly MemoryReading[]): { slope: number; fit: number } {
  const startMs = readings[0]!.timeMs;
  const count = readings.length;
  const xs = readings.map(({ timeMs }) => (timeMs - startMs) / 1_000);
  const meanX = xs.reduce((sum, x) => sum + x, 0) / count;
  const meanY = readings.reduce((sum, { bytes }) => sum + bytes, 0) / count;
  let xx = 0;
  let xy = 0;
  let yy = 0;
  for (const [nth, { bytes }] of readings.entries()) {
    const x = xs[nth]! - meanX;
    const y = bytes - meanY;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  if (xx === 0 || yy === 0) return { slope: 0, fit: 0 };
  return { slope: xy / xx, fit: (xy * xy) / (xx * yy) };
}
