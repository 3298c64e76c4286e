/** Counts error replies by their code. */

import { ERROR_CODES } from '#base';
import { ERROR_CODE_BYTES_MAX, ERROR_TYPES_MAX } from './made-up-errors.ts';
import type { Page } from './page.ts';
import { UserField } from './user-rows.ts';

const indexOfCode = new Map<string, number>(ERROR_CODES.map((code, index) => [code, index]));
/** Reported in place of codes from scripts, once there are too many. */
const TOO_MANY = 'ERRORSTATS_DISABLED';

/** Counts an error reply; `text` begins with its code. */
export function countError(page: Page, text: string): void {
  page.add('errors', 1);
  page.countUser(page.actor, UserField.errors, 1);
  const code = codeOf(text);
  const index = indexOfCode.get(code);
  if (index === undefined) page.madeUpErrors.count(code);
  else page.countError(index);
}

/** Index in ERROR_CODES of the code with which `text` begins, or -1. */
export function errorIndex(text: string): number {
  return indexOfCode.get(codeOf(text)) ?? -1;
}

/** The first word of an error; as in Redis, `ERR` where there is no blank soon enough behind one. */
function codeOf(text: string): string {
  const space = text.indexOf(' ');
  return space < 1 || space > ERROR_CODE_BYTES_MAX ? 'ERR' : text.slice(0, space);
}

/**
 * Returns the codes of error replies with their counts over all pages. Scripts may add as many codes as in Redis;
 * further ones are reported as a single line, until CONFIG RESETSTAT.
 */
export function errorCounts(
  pages: readonly Page[],
): readonly (readonly [code: string, count: number])[] {
  const known = knownErrorCounts(pages);
  const madeUp = madeUpErrorCounts(pages);
  return isTooMany(pages, known.length + madeUp.size)
    ? [...known, [TOO_MANY, 1]]
    : [...known, ...madeUp];
}

/** True when scripts have created more codes than are reported. */
export function areErrorsTooMany(pages: readonly Page[]): boolean {
  return isTooMany(pages, knownErrorCounts(pages).length + madeUpErrorCounts(pages).size);
}

function isTooMany(pages: readonly Page[], types: number): boolean {
  return types > ERROR_TYPES_MAX || pages.some((page) => page.madeUpErrors.isFull);
}

function knownErrorCounts(pages: readonly Page[]): readonly (readonly [string, number])[] {
  return ERROR_CODES.map((code, index): [string, number] => [
    code,
    pages.reduce((sum, page) => sum + page.errorCount(index), 0),
  ]).filter(([, count]) => count > 0);
}

function madeUpErrorCounts(pages: readonly Page[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const page of pages) {
    for (const [code, count] of page.madeUpErrors.read()) {
      counts.set(code, (counts.get(code) ?? 0) + count);
    }
  }
  return new Map([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}
