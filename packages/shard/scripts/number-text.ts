/** Numbers of scripts as arguments of commands: as replies have them, but for zero and what is no number. */

import { formatDouble } from '#base';

export function numberText(value: number): string {
  if (Number.isNaN(value)) return '-nan';
  // Zero has no sign here.
  return formatDouble(value === 0 ? 0 : value);
}
