/** Save points: times and numbers of changes after which an automatic snapshot is due. */

import type { Settings } from '#config';

/** A snapshot is due when both the time and the number of changes since the last are reached. */
export interface SavePoint {
  readonly seconds: number;
  readonly changes: number;
}

/** All points, the interval among them as one of a single change. */
export function savePoints(settings: Settings): readonly SavePoint[] {
  const interval = settings.number('snapshot.interval-secs');
  const others = settings.list('snapshot.save-points').map((point) => {
    const [seconds = 0, changes = 0] = point.split(' ').map(Number);
    return { seconds, changes };
  });
  return interval > 0 ? [{ seconds: interval, changes: 1 }, ...others] : others;
}

/** True when writes are refused while the last snapshot has failed. */
export function refusesUnsaved(settings: Settings): boolean {
  return settings.boolean('snapshot.stop-writes-on-error') && savePoints(settings).length > 0;
}
