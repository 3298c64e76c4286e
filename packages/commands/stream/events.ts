/** Events of streams, in the words of keyspace notifications. */

import type { KeyEvent } from '../keyspace/events.ts';

function event(name: string): KeyEvent {
  return { type: 't', name };
}

export const streamEvents = {
  /** Event of an added entry. Changes of what is pending have none, as in Redis. */
  xadd: event('xadd'),
  xdel: event('xdel'),
  xgroupCreate: event('xgroup-create'),
  xgroupCreateconsumer: event('xgroup-createconsumer'),
  xgroupDelconsumer: event('xgroup-delconsumer'),
  xgroupDestroy: event('xgroup-destroy'),
  xgroupSetid: event('xgroup-setid'),
  xsetid: event('xsetid'),
  xtrim: event('xtrim'),
} as const;
