/** Scripts and functions with their figures, and those that run now: main collects them from the shards. */

import type { ScriptsDocument } from '#api-types';
import { countOf } from '../protocol/query.ts';
import { countParameter } from '../protocol/parameters.ts';
import { documentRoute, type Route } from '../protocol/route.ts';

/** Default number of scripts, which limits the size of their sources. */
const COUNT = 128;

export function scriptsRoute(document: (count: number) => Promise<ScriptsDocument>): Route {
  return documentRoute(
    'scripts',
    'Scripts and functions by execution time, and the running ones; ?count= (-1: all).',
    ({ query }) => document(countOf(query, COUNT)),
    [countParameter(COUNT)],
  );
}
