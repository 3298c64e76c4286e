import type { Page } from '../page/page.ts';

/**
 * Time in microseconds after which a thread is stuck: in one piece of work, or without a heartbeat although it is
 * awake.
 */
export const STUCK_US = 1_000_000;

/** A thread that has been at one command for this long is not waited for by those who ask it for a report. */
const ONE_COMMAND_US = 200_000;

/** True when the page's thread has been at one command for long, and will not reply to a question soon. */
export function isAtOneCommand(page: Page, nowUs: number): boolean {
  return page.get('executing') > 0 && nowUs - page.get('executingSinceUs') >= ONE_COMMAND_US;
}
