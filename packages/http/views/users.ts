/** Users with what they may do and have done, and who was denied what: main has the rules and the log of denials. */

import type { UsersDocument } from '#api-types';
import { countOf } from '../protocol/query.ts';
import { documentRoute, type Route } from '../protocol/route.ts';

/** Users answered when no count is given: there may be thousands, and their rules are told, too. */
const COUNT = 128;

export function usersRoute(document: (count: number) => Promise<UsersDocument>): Route {
  return documentRoute(
    'users',
    'Users with their rules and statistics, and the latest denials; ?count= (-1: all).',
    ({ query }) => document(countOf(query, COUNT)),
    ['count'],
  );
}
