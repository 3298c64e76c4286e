/** Log lines of the history. */

import type { LogFields } from '#base';

export type HistoryLog = (
  level: 'info' | 'warn',
  event: string,
  message: string,
  fields: LogFields,
) => void;
