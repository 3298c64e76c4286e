/** Sentences about a monitor. */

import type { MonitorTailContent } from './monitor-tail.ts';

const ENDS: Readonly<Record<NonNullable<MonitorTailContent['ended_by']>, string>> = {
  stopped: 'Stopped.',
  'page-hidden': 'Stopped, since this page was hidden.',
  'page-closed': 'Stopped, since this page was left.',
  'logged-out': 'Stopped by the log-out.',
  'not-renewed': 'Stopped by the server: this page sent no request for a minute.',
  'time-limit': 'Stopped by the server after the longest time.',
  gone: 'The server no longer has this monitor.',
};

/** Returns why a monitor has ended; null while it runs. */
export function endOf({ ended_by: endedBy }: Pick<MonitorTailContent, 'ended_by'>): string | null {
  return endedBy === null ? null : ENDS[endedBy];
}
