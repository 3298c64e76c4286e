/** Limits and health issues over time. */

import type { LimitFinding } from '#api-types';
import { type Episode, Episodes } from './episodes.ts';
import { type Judged, limitName } from './finding.ts';
import { issueName, type JudgedIssue } from '../issues/report.ts';

/** A limit must hold for this long before it is reported, unless it stops work at once. */
const CONFIRM_US = 900_000;
/** Weight from which a limit is reported at once. */
const AT_ONCE_WEIGHT = 1;

export function limitEpisodes(): Episodes<Judged> {
  return new Episodes<Judged>({
    nameOf: limitName,
    measureOf: (judged) => judged,
    confirmUs: ({ weight }) => (weight >= AT_ONCE_WEIGHT ? 0 : CONFIRM_US),
  });
}

export function issueEpisodes(): Episodes<JudgedIssue> {
  return new Episodes<JudgedIssue>({
    nameOf: issueName,
    measureOf: ({ value, threshold }) =>
      value === null || threshold === null ? null : { value, threshold },
    confirmUs: () => 0,
  });
}

interface Moment {
  readonly nowUs: number;
  readonly wallMs: number;
}

/** Unix milliseconds at which an episode began. */
export function sinceMs({ sinceUs }: Episode<unknown>, { nowUs, wallMs }: Moment): number {
  return Math.round(wallMs - (nowUs - sinceUs) / 1_000);
}

/** Limits that hold, the strongest first. */
export function currentLimits(
  { current }: Episodes<Judged>,
  moment: Moment,
): readonly LimitFinding[] {
  return [...current]
    .sort((a, b) => b.thing.weight - a.thing.weight)
    .map((episode) => {
      const { cause, value, unit, threshold, object, message, advice, link } = episode.thing;
      const since_ms = sinceMs(episode, moment);
      const worst = episode.worst ?? value;
      return { cause, value, unit, threshold, since_ms, worst, object, message, advice, link };
    });
}
