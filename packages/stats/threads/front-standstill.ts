import type { Page } from '../page/page.ts';
import { STUCK_US } from './stuck.ts';

/** Microseconds for which a front thread has given no sign of life; 0 unless it is stuck. */
export function frontSilenceUs(front: Page, nowUs: number): number {
  const aliveUs = front.get('aliveUs');
  const isAsleep = aliveUs === 0 || front.get('idleSinceUs') > 0;
  const silentUs = isAsleep ? 0 : nowUs - aliveUs;
  return silentUs < STUCK_US ? 0 : silentUs;
}

/** A phrase about a thread that is silent: `has not responded for 2.0 s`. */
export function silenceText(silentUs: number): string {
  return `has not responded for ${(silentUs / 1_000_000).toFixed(1)} s`;
}
