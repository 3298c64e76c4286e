/** A runbook as the tables have it. */

import type { Runbook } from '#api-types';

/** A runbook without its name. */
export type RunbookText = Omit<Runbook, 'name'>;
