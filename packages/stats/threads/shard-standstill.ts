import type { Page } from '../page/page.ts';
import { STUCK_US } from './stuck.ts';

/**
 * Microseconds for which a shard has been stuck; 0 unless it is. `executingUs` is the time that its current command has
 * run, null without one.
 */
export function shardSilenceUs(page: Page, executingUs: number | null, nowUs: number): number {
  if (executingUs !== null && executingUs >= STUCK_US) return executingUs;
  // An idle thread is never stuck.
  if (page.get('idleSinceUs') > 0 || page.get('heartbeatUs') === 0) return 0;
  const silentUs = nowUs - page.get('heartbeatUs');
  return silentUs >= STUCK_US ? silentUs : 0;
}
