/** Figures of commands over all threads together. */

import { addCounts, type Counts } from './histogram.ts';
import type { Page } from './page.ts';

interface CalledCommand {
  /** As `client|list`. */
  readonly command: string;
  readonly id: number;
  readonly calls: number;
}

/** The commands that were called, those called most first. `names` are by their ids. */
export function calledCommands(names: readonly string[], pages: readonly Page[]): CalledCommand[] {
  return names
    .map((command, id) => ({
      command,
      id,
      calls: pages.reduce((sum, page) => sum + page.command(id, 'calls'), 0),
    }))
    .filter(({ calls }) => calls > 0)
    .sort((a, b) => b.calls - a.calls);
}

/** Sums the execution times of a command over all pages; overwrites `into` with the result. */
export function mergeExecutions(pages: readonly Page[], id: number, into: Counts): void {
  into.fill(0);
  for (const page of pages) {
    if (page.command(id, 'calls') > 0) addCounts(into, page.histogram(id));
  }
}

/** Sums the execution times of all commands of a thread; overwrites `into` with the result, and returns it. */
export function sumExecutions(page: Page, commands: number, into: Counts): Counts {
  into.fill(0);
  for (let id = 0; id < commands; id += 1) {
    if (page.command(id, 'calls') > 0) addCounts(into, page.histogram(id));
  }
  return into;
}
