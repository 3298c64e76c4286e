/** Finds subscriptions that a change of rules forbids: their clients are disconnected. */

import { fromLatin1 } from '#base';
import { channelPatterns } from './selector.ts';
import { Permission } from './patterns.ts';
import type { UserRules } from './user-rules.ts';

/** Names that a client has subscribed to, a character for each byte. */
interface SubscribedNames {
  readonly channel: Iterable<string>;
  readonly pattern: Iterable<string>;
  readonly shardChannel: Iterable<string>;
}

/** Returns a predicate for subscriptions that new rules forbid; undefined if the rules revoke no channel. */
export function revokedChannels(
  before: UserRules,
  after: UserRules,
): ((names: SubscribedNames) => boolean) | undefined {
  if (after.allowsAllChannels) return undefined;
  const allowed = new Set(after.channels);
  const isWider = !before.allowsAllChannels && before.channels.every((one) => allowed.has(one));
  if (isWider) return undefined;
  const patterns = channelPatterns([...allowed]);
  const isForbidden = (channel: string): boolean => {
    const bytes = fromLatin1(channel);
    return !patterns.allows(bytes, 0, bytes.length, Permission.both);
  };
  return ({ channel, pattern, shardChannel }) =>
    [...pattern].some((one) => !allowed.has(one)) ||
    [...channel, ...shardChannel].some(isForbidden);
}
