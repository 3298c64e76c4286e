/** Events of keys, in the words of keyspace notifications. */

import type { EventClass } from '../contexts.ts';

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
  persist: event('g', 'persist'),
  pfadd: event('$', 'pfadd'),
  /** A change that is not announced: PFCOUNT keeps what it counted. */
  silent: event('$', ''),
  renameFrom: event('g', 'rename_from'),
  renameTo: event('g', 'rename_to'),
  set: event('$', 'set'),
  setbit: event('$', 'setbit'),
  setrange: event('$', 'setrange'),
} as const;
