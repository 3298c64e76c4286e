/** Events of sorted sets, in the words of keyspace notifications. */

import type { KeyEvent } from '../keyspace/events.ts';

function event(name: string): KeyEvent {
  return { type: 'z', name };
}

export const sortedSetEvents = {
  georadiusstore: event('georadiusstore'),
  geosearchstore: event('geosearchstore'),
  zadd: event('zadd'),
  zdiffstore: event('zdiffstore'),
  zincr: event('zincr'),
  zinterstore: event('zinterstore'),
  zpopmax: event('zpopmax'),
  zpopmin: event('zpopmin'),
  zrangestore: event('zrangestore'),
  zrem: event('zrem'),
  zremrangebylex: event('zremrangebylex'),
  zremrangebyrank: event('zremrangebyrank'),
  zremrangebyscore: event('zremrangebyscore'),
  zunionstore: event('zunionstore'),
} as const;
