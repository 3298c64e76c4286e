/** Short addresses of debug pages, as links of health issues have them: `/debug/clients?id=7`. */

import { HttpError, redirect, type Answer } from '../protocol/answer.ts';
import type { Exchange } from '../protocol/exchange.ts';
import type { Route } from '../protocol/route.ts';

/** Pages with an address; `debug-ui/view/places.tsx` has them all. */
const PAGES: ReadonlySet<string> = new Set([
  ...[
    'overview',
    'history',
    'performance',
    'commands',
    'hot-keys',
    'key-fates',
    'scripts',
    'shards',
  ],
  ...['clients', 'memory', 'persistence', 'replication', 'cluster', 'users', 'configuration'],
  ...['logs', 'traces', 'bundles'],
]);

/** Parameters of pages. */
const PARAMETERS = ['id', 'shard', 'sha', 'key', 'command', 'filter', 'section'];

export function pageLinkRoute(): Route {
  return {
    path: '/debug/:page',
    about: 'Redirects to a debug page, as /debug/clients?id=7 does.',
    parameters: PARAMETERS,
    methods: { GET: (exchange) => redirectTo(exchange, exchange.params['page'] ?? '') },
  };
}

function redirectTo({ search }: Exchange, page: string): Answer {
  if (!PAGES.has(page)) throw new HttpError(404, 'not found');
  return redirect(`/debug/#/${page}${search === '' ? '' : `?${search.replace(/^\?/, '')}`}`);
}
