/** Events of lists, in the words of keyspace notifications. */

import type { KeyEvent } from '../keyspace/events.ts';

function event(name: string): KeyEvent {
  return { type: 'l', name };
}

export const listEvents = {
  linsert: event('linsert'),
  lpop: event('lpop'),
  lpush: event('lpush'),
  lrem: event('lrem'),
  lset: event('lset'),
  ltrim: event('ltrim'),
  rpop: event('rpop'),
  rpush: event('rpush'),
  sortstore: event('sortstore'),
} as const;
