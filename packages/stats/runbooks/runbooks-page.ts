/** The guide's page of all runbooks, as Markdown. */

import type { Runbook } from '#api-types';
import { RUNBOOKS } from './runbooks.ts';

/** Returns `configs/reference/runbooks.md`. */
export function runbooksPage(): string {
  return [
    '# Runbooks',
    '',
    'What each health code and alert means, where to look and what to do. A running server has the same page at `/debug/runbooks`, and',
    '`svc-server runbook NAME` prints one. Written by `npm run generate`.',
    '',
    ...RUNBOOKS.flatMap(markdownOf),
  ].join('\n');
}

function markdownOf({ name, meaning, look, act, alerts }: Runbook): string[] {
  const others = alerts.filter((alert) => alert !== name);
  return [
    `## ${name}`,
    '',
    ...others.map((alert) => `<a id="${alert.toLowerCase()}"></a>`),
    meaning,
    ...(others.length > 0 ? ['', `Alerts: ${others.join(', ')}.`] : []),
    '',
    'Where to look:',
    '',
    ...look.map((line) => `- ${line}`),
    '',
    'What to do:',
    '',
    ...act.map((line) => `- ${line}`),
    '',
  ];
}
