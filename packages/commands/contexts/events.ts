/** Events of keys, in the words of keyspace notifications. */

import type { EventClass } from './contexts.ts';

export interface KeyEvent {
  type: EventClass;
  name: string;
}

function event(type: EventClass, name: string): KeyEvent {
  return { type, name };
}

export const events = {
  append: event('$', 'append'),
  copyTo: event('g', 'copy_to'),
  del: event('g', 'del'),
  expire: event('g', 'expire'),
  incrby: event('$', 'incrby'),
  incrbyfloat: event('$', 'incrbyfloat'),
  keymiss: event('m', 'keymiss'),
  moveFrom: event('g', 'move_from'),
  moveTo: event('g', 'move_to'),
  new: event('n', 'new'),
  overwritten: event('o', 'overwritten'),
  typeChanged: event('c', 'type_changed'),
  persist: event('g', 'persist'),
  pfadd: event('$', 'pfadd'),
  /** A change that is not announced: PFCOUNT keeps what it counted. */
  silent: event('$', ''),
  renameFrom: event('g', 'rename_from'),
  renameTo: event('g', 'rename_to'),
  set: event('$', 'set'),
  setbit: event('$', 'setbit'),
  setrange: event('$', 'setrange'),

  linsert: event('l', 'linsert'),
  lpop: event('l', 'lpop'),
  lpush: event('l', 'lpush'),
  lrem: event('l', 'lrem'),
  lset: event('l', 'lset'),
  ltrim: event('l', 'ltrim'),
  rpop: event('l', 'rpop'),
  rpush: event('l', 'rpush'),
  sortstore: event('l', 'sortstore'),

  hdel: event('h', 'hdel'),
  hexpire: event('h', 'hexpire'),
  hexpired: event('h', 'hexpired'),
  hincrby: event('h', 'hincrby'),
  hincrbyfloat: event('h', 'hincrbyfloat'),
  hpersist: event('h', 'hpersist'),
  hset: event('h', 'hset'),

  sadd: event('s', 'sadd'),
  sdiffstore: event('s', 'sdiffstore'),
  sinterstore: event('s', 'sinterstore'),
  spop: event('s', 'spop'),
  srem: event('s', 'srem'),
  sunionstore: event('s', 'sunionstore'),

  georadiusstore: event('z', 'georadiusstore'),
  geosearchstore: event('z', 'geosearchstore'),
  zadd: event('z', 'zadd'),
  zdiffstore: event('z', 'zdiffstore'),
  zincr: event('z', 'zincr'),
  zinterstore: event('z', 'zinterstore'),
  zpopmax: event('z', 'zpopmax'),
  zpopmin: event('z', 'zpopmin'),
  zrangestore: event('z', 'zrangestore'),
  zrem: event('z', 'zrem'),
  zremrangebylex: event('z', 'zremrangebylex'),
  zremrangebyrank: event('z', 'zremrangebyrank'),
  zremrangebyscore: event('z', 'zremrangebyscore'),
  zunionstore: event('z', 'zunionstore'),

  /** Event of an added entry. Changes of what is pending have none, as in Redis. */
  xadd: event('t', 'xadd'),
  xdel: event('t', 'xdel'),
  xgroupCreate: event('t', 'xgroup-create'),
  xgroupCreateconsumer: event('t', 'xgroup-createconsumer'),
  xgroupDelconsumer: event('t', 'xgroup-delconsumer'),
  xgroupDestroy: event('t', 'xgroup-destroy'),
  xgroupSetid: event('t', 'xgroup-setid'),
  xsetid: event('t', 'xsetid'),
  xtrim: event('t', 'xtrim'),
} as const;
