/** Events of hashes, in the words of keyspace notifications. */

import type { KeyEvent } from '../keyspace/events.ts';

function event(name: string): KeyEvent {
  return { type: 'h', name };
}

export const hashEvents = {
  hdel: event('hdel'),
  hexpire: event('hexpire'),
  hexpired: event('hexpired'),
  hincrby: event('hincrby'),
  hincrbyfloat: event('hincrbyfloat'),
  hpersist: event('hpersist'),
  hset: event('hset'),
} as const;
