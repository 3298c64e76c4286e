/** Query parameters that several routes have. */

import type { Parameter } from './route.ts';

/** Limits the number of entries; -1 for all. */
export function countParameter(otherwise: number | 'all'): Parameter {
  return {
    name: 'count',
    about: `Number of entries; -1 for all. ${otherwise === 'all' ? 'All' : String(otherwise)} by default.`,
    type: 'integer',
  };
}

export function integer(name: string, about: string): Parameter {
  return { name, about, type: 'integer' };
}

export function string(name: string, about: string): Parameter {
  return { name, about, type: 'string' };
}

/** One of a few words. */
export function word(name: string, about: string, values: readonly string[]): Parameter {
  return { name, about, type: 'string', values };
}

/** Several of a few words, with commas between them. */
export function words(name: string, about: string, values: readonly string[]): Parameter {
  return { name, about, type: 'words', values };
}

/** Given or not; the value is ignored. */
export function flag(name: string, about: string): Parameter {
  return { name, about, type: 'flag' };
}
