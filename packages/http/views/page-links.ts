/** Short addresses of debug pages, as links of health issues have them: `/debug/clients?id=7`. */

import { HttpError, redirect, type Answer } from '../protocol/answer.ts';
import type { Exchange } from '../protocol/exchange.ts';
import { string } from '../protocol/parameters.ts';
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
const PARAMETERS = [
  string('id', 'Client.'),
  string('shard', 'Shard.'),
  string('sha', 'Script.'),
  string('key', 'Key.'),
  string('command', 'Command.'),
  string('filter', 'Text of the filter of the page.'),
  string('section', 'Section of the settings.'),
];

export function pageLinkRoute(): Route {
  return {
    path: '/debug/:page',
    about: 'Redirects to a debug page, as /debug/clients?id=7 does.',
    parameters: PARAMETERS,
    media: 'text/plain',
    status: 303,
    methods: { GET: (exchange) => redirectTo(exchange, exchange.params['page'] ?? '') },
  };
}

function redirectTo({ search }: Exchange, page: string): Answer {
  if (!PAGES.has(page)) throw new HttpError(404, 'not found');
  return redirect(`/debug/#/${page}${search === '' ? '' : `?${search.replace(/^\?/, '')}`}`);
}
