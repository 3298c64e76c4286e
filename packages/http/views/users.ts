/** Users with their permissions, statistics and denials: the rules and the log of denials come from main. */

import type { UsersDocument } from '#api-types';
import { countOf } from '../protocol/query.ts';
import { countParameter } from '../protocol/parameters.ts';
import { documentRoute, type Route } from '../protocol/route.ts';

/** Default number of users: there may be thousands, with their rules. */
const COUNT = 128;

export function usersRoute(document: (count: number) => Promise<UsersDocument>): Route {
  return documentRoute(
    'users',
    'Users with their rules and statistics, and the latest denials; ?count= (-1: all).',
    ({ query }) => document(countOf(query, COUNT)),
    [countParameter(COUNT)],
  );
}
