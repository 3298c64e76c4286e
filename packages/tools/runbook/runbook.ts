/** `svc-server runbook`: prints what a health code or an alert means, where to look and what to do. */

import { readSubcommand } from '#config';
import { RUNBOOKS, runbookOf } from '#stats';
import { columns } from '../text/columns.ts';

/** Runs the subcommand; returns the exit code. */
export function runbook(args: readonly string[], print: (text: string) => void): Promise<number> {
  const [name = ''] = readSubcommand('runbook', args).operands;
  print(name === 'list' ? listed() : textOf(name));
  return Promise.resolve(0);
}

function listed(): string {
  return columns(RUNBOOKS.map(({ name, alerts }) => [name, alerts.join(', ')])).join('\n');
}

function textOf(name: string): string {
  const found = runbookOf(name);
  if (found === undefined) {
    throw new Error(`there is no runbook ${name}; svc-server runbook list names all`);
  }
  const { meaning, look, act, alerts } = found;
  return [
    found.name,
    `  ${plain(meaning)}`,
    ...(alerts.length > 0 ? [`  Alerts: ${alerts.join(', ')}`] : []),
    'Where to look:',
    ...look.map((line) => `  - ${plain(line)}`),
    'What to do:',
    ...act.map((line) => `  - ${plain(line)}`),
  ].join('\n');
}

/** Text without the marks of Markdown. */
function plain(text: string): string {
  return text.replaceAll('`', '').replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');
}
