/** Events of sets, in the words of keyspace notifications. */

import type { KeyEvent } from '../keyspace/events.ts';

function event(name: string): KeyEvent {
  return { type: 's', name };
}

export const setEvents = {
  sadd: event('sadd'),
  sdiffstore: event('sdiffstore'),
  sinterstore: event('sinterstore'),
  spop: event('spop'),
  srem: event('srem'),
  sunionstore: event('sunionstore'),
} as const;
