/** Determines from main's page whether main is stuck, and in which work. */

import type { Page } from '../page/page.ts';
import { silenceText } from './front-standstill.ts';
import { STUCK_US } from './stuck.ts';

/** A main that has not come round to other work for long. */
interface Standstill {
  readonly silentUs: number;
  /** A phrase about main: `has been running get of client 7 for 2.0 s`. */
  readonly doing: string;
}

/**
 * Returns the standstill of main, or null; an idle main is not stuck: its heartbeat is set to the end of its sleep, and a
 * main that wakes late for want of a processor has its sleep on the page.
 */
export function mainStandstill(
  main: Page,
  commandNames: readonly string[],
  nowUs: number,
): Standstill | null {
  const heartbeatUs = main.get('heartbeatUs');
  const isAsleep = heartbeatUs === 0 || main.get('idleSinceUs') > 0;
  const silentUs = isAsleep ? 0 : nowUs - heartbeatUs;
  if (silentUs < STUCK_US) return null;
  return { silentUs, doing: doing(main, commandNames, silentUs) };
}

function doing(main: Page, commandNames: readonly string[], silentUs: number): string {
  const time = `${(silentUs / 1_000_000).toFixed(1)} s`;
  const command = commandNames[(main.get('executing') || main.get('workCommand')) - 1];
  const client = main.get('workClient');
  const of = client === 0 ? '' : ` of client ${String(client)}`;
  if (command !== undefined) return `has been running ${command}${of} for ${time}`;
  if (client !== 0) return `has been reading the input${of} for ${time}`;
  return silenceText(silentUs);
}
