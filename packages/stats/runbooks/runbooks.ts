/** Runbook of each health code and alert: one table for pages, the program and the guide. */

import type { HealthCode, Runbook } from '#api-types';
import { CLUSTER_ALERTS, CLUSTER_RUNBOOKS } from './cluster-runbooks.ts';
import { DATA_ALERTS, DATA_RUNBOOKS } from './data-runbooks.ts';
import type { RunbookText } from './runbook.ts';
import { SERVER_ALERTS, SERVER_RUNBOOKS } from './server-runbooks.ts';

const BY_CODE: Readonly<Record<HealthCode, RunbookText>> = {
  ...SERVER_RUNBOOKS,
  ...DATA_RUNBOOKS,
  ...CLUSTER_RUNBOOKS,
};

/** Codes of all health issues. */
export const HEALTH_CODES = Object.keys(BY_CODE) as readonly HealthCode[];

/** All runbooks: those of health codes, then those of alerts without a code. */
export const RUNBOOKS: readonly Runbook[] = [
  ...HEALTH_CODES.map((name) => ({ name, ...BY_CODE[name] })),
  ...SERVER_ALERTS,
  ...DATA_ALERTS,
  ...CLUSTER_ALERTS,
];

/** The runbook of a health code or an alert, in any case of letters; undefined if there is none. */
export function runbookOf(name: string): Runbook | undefined {
  const wanted = name.toLowerCase();
  return RUNBOOKS.find((runbook) =>
    [runbook.name, ...runbook.alerts].some((each) => each.toLowerCase() === wanted),
  );
}
