/** Counts error replies by their code. */

import { ERROR_CODES } from '#base';
import type { Page } from './page.ts';
import { UserField } from './user-rows.ts';

const indexOfCode = new Map<string, number>(ERROR_CODES.map((code, index) => [code, index]));

/** Counts an error reply; `text` begins with its code. */
export function countError(page: Page, text: string): void {
  page.add('errors', 1);
  page.countUser(page.actor, UserField.errors, 1);
  const index = errorIndex(text);
  if (index >= 0) page.countError(index);
}

/** Index in ERROR_CODES of the code with which `text` begins, or -1. */
export function errorIndex(text: string): number {
  const space = text.indexOf(' ');
  return indexOfCode.get(space < 0 ? text : text.slice(0, space)) ?? -1;
}
