/** Cost of rules and limits of users to a load. */

import type { ChildServer } from '#testkit';
import { playRound, type Round, type RoundResult } from './rounds.ts';

/** Patterns of keys that a restricted user has; the last one fits. */
const PATTERNS = 20;

/** Users by mode: the default one, one with patterns and a set of commands, and one with limits that it does not reach. */
const USERS = {
  off: undefined,
  'rules of a user': [
    ...Array.from({ length: PATTERNS - 1 }, (_, nth) => `~app${String(nth)}:*`),
    ...['~key:*', '+@read', '+@write', '+@connection', '-@dangerous'],
  ],
  'rate limits': ['~*', '+@all', 'ratelimit:cps=1000000000', 'ratelimit:bps=1000000000000'],
} as const;

type UserResults = Record<keyof typeof USERS, RoundResult[]>;

/** Measures the same round by each user, in turns. */
export async function usersCostOf(
  server: ChildServer,
  round: Round,
  turns: number,
): Promise<UserResults> {
  const client = await server.client();
  const results: UserResults = { off: [], 'rules of a user': [], 'rate limits': [] };
  for (let turn = 0; turn < turns; turn += 1) {
    for (const [mode, rules] of Object.entries(USERS)) {
      if (rules !== undefined) {
        await client.call('ACL', 'SETUSER', 'bench', 'reset', 'on', '>bench', ...rules);
      }
      const user = rules === undefined ? undefined : 'bench';
      results[mode as keyof UserResults].push(await playRound(server, { ...round, user }));
    }
  }
  await client.end();
  return results;
}
