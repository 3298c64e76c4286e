/** Counts error replies by their code. */

import { ERROR_CODES } from '#base';
import type { Page } from './page.ts';

const indexOfCode = new Map<string, number>(ERROR_CODES.map((code, index) => [code, index]));

/** Counts an error reply; `text` begins with its code. */
export function countError(page: Page, text: string): void {
  page.add('errors', 1);
  const space = text.indexOf(' ');
  const index = indexOfCode.get(space < 0 ? text : text.slice(0, space));
  if (index !== undefined) page.countError(index);
}
