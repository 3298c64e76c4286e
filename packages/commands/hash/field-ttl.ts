/** Times to live of fields, and HPERSIST. */

import type { HashValue } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard, type OneShardCommand } from '../definition/definition.ts';
import { oneKey } from '../definition/keys.ts';
import {
  MILLISECONDS,
  SECONDS,
  UNIX_MILLISECONDS,
  UNIX_SECONDS,
  type TimeForm,
} from '../keyspace/expiry/time-forms.ts';
import { changedAt } from '../elements/lookup.ts';
import { events } from '../contexts/events.ts';
import { demandFieldCount, fieldsBlock } from './field-list.ts';
import { hashToRead, hashToWrite } from './lookup.ts';

const FIELDS_INDEX = 2;
const NO_FIELD = -2;
const NO_END = -1;
const PERSISTED = 1;

function lifetime(name: string, { unitMs, absolute }: TimeForm, summary: string): OneShardCommand {
  return oneShard({
    name,
    summary,
    since: '7.4.0',
    complexity: 'O(N) for N fields.',
    group: 'hash',
    arity: -5,
    flags: ['readonly', 'fast'],
    keys: oneKey('RO', 'access'),
    args: [{ name: 'key', type: 'key' }, fieldsBlock],
    run(context, args) {
      const { reply, nowMs } = context;
      const hash = hashToRead(context, args);
      const first = demandFieldCount(args, FIELDS_INDEX);
      reply.arrayHeader(args.count - first);
      for (let index = first; index < args.count; index += 1) {
        const end = endOf(hash, args, index, nowMs);
        const value = absolute ? end : end - nowMs;
        if (end < 0) reply.integer(end);
        else reply.integer(unitMs === 1000 ? Math.floor((value + 999) / 1000) : value);
      }
    },
  });
}

const httl = lifetime('HTTL', SECONDS, 'Returns the time to live of fields, in seconds.');
const hpttl = lifetime(
  'HPTTL',
  MILLISECONDS,
  'Returns the time to live of fields, in milliseconds.',
);
const hexpiretime = lifetime(
  'HEXPIRETIME',
  UNIX_SECONDS,
  'Returns the expiry of fields as Unix time in seconds.',
);
const hpexpiretime = lifetime(
  'HPEXPIRETIME',
  UNIX_MILLISECONDS,
  'Returns the expiry of fields as Unix time in milliseconds.',
);

const hpersist = oneShard({
  name: 'HPERSIST',
  summary: 'Removes the expiry of fields.',
  since: '7.4.0',
  complexity: 'O(N) for N fields.',
  group: 'hash',
  arity: -5,
  flags: ['write', 'fast'],
  keys: oneKey('RW', 'update'),
  args: [{ name: 'key', type: 'key' }, fieldsBlock],
  run(context, args) {
    const hash = hashToWrite(context, args);
    const first = demandFieldCount(args, FIELDS_INDEX);
    context.reply.arrayHeader(args.count - first);
    let persisted = 0;
    for (let index = first; index < args.count; index += 1) {
      const end = endOf(hash, args, index, context.nowMs);
      if (hash !== undefined && end >= 0) {
        hash.setExpiry(-1);
        persisted += 1;
      }
      context.reply.integer(end >= 0 ? PERSISTED : end);
    }
    announce(context, args, persisted);
  },
});

export const fieldLifetimes = [httl, hpttl, hexpiretime, hpexpiretime, hpersist];

function announce(context: ShardContext, args: Arguments, persisted: number): void {
  if (persisted > 0) changedAt(context, args, 1, events.hpersist);
}

/** Returns the time at which the field that argument `index` names ends, or what to answer instead. */
function endOf(hash: HashValue | undefined, args: Arguments, index: number, nowMs: number): number {
  if (hash === undefined || !hash.find(args.source, args.at(index), args.length(index))) {
    return NO_FIELD;
  }
  const { expiry } = hash;
  if (expiry < 0) return NO_END;
  return expiry < nowMs ? NO_FIELD : expiry;
}
