/** Health of a server and what limits it, as lines of text. */

import type { Health } from '#api-types';
import { shown } from './columns.ts';

const CHARS_MAX = 400;

/** Returns the lines of a health document. */
export function healthLines(health: Health): string[] {
  const { status, issues, limited_by: limits } = health;
  return [
    `Health: ${status}`,
    ...issues.flatMap(({ severity, code, message }) => [
      `  ${severity} ${code}: ${shown(message, CHARS_MAX)}`,
      `    svc-server runbook ${code}`,
    ]),
    limits.length === 0 ? 'Limited by: nothing' : 'Limited by:',
    ...limits.flatMap(({ cause, message, advice }) => [
      `  ${cause}: ${shown(message, CHARS_MAX)}`,
      `    ${shown(advice, CHARS_MAX)}`,
    ]),
  ];
}
