/** HEXPIRE, HPEXPIRE, HEXPIREAT and HPEXPIREAT: setting the expiry of fields. */

import { CommandError } from '#base';
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
import { changedAt, removeIfEmpty, takenAt } from '../elements/lookup.ts';
import { events } from '../contexts/events.ts';
import { demandFieldCount, fieldsBlock } from './field-list.ts';
import { FieldEnds } from './field-ends.ts';
import { fieldEnd } from './field-time.ts';
import { hashToWrite } from './lookup.ts';

/** Results for a field in the reply. */
const Outcome = { noField: -2, refused: 0, set: 1, deleted: 2 } as const;

const CONDITIONS = ['NX', 'XX', 'GT', 'LT'] as const;
type Condition = (typeof CONDITIONS)[number] | undefined;

const noFieldCount = new CommandError('ERR Parameter `numFields` should be greater than 0');

function expiring(
  name: string,
  { doc, unitMs, absolute }: TimeForm,
  summary: string,
): OneShardCommand {
  const command = name.toLowerCase();
  return oneShard({
    name,
    summary,
    since: '7.4.0',
    complexity: 'O(N) for N fields.',
    group: 'hash',
    arity: -6,
    flags: ['write', 'denyoom', 'fast'],
    keys: oneKey('RW', 'update'),
    args: [
      { name: 'key', type: 'key' },
      doc,
      {
        name: 'condition',
        type: 'oneof',
        optional: true,
        arguments: CONDITIONS.map((token) => {
          return { name: token.toLowerCase(), type: 'pure-token', token };
        }),
      },
      fieldsBlock,
    ],
    run(context, args) {
      const hash = hashToWrite(context, args);
      const baseMs = absolute ? 0 : context.nowMs;
      const end = fieldEnd(args, 2, unitMs, baseMs, command);
      const condition = CONDITIONS.find((each) => args.spellsAt(3, each));
      const first = demandFieldCount(args, condition === undefined ? 3 : 4, noFieldCount);
      context.reply.arrayHeader(args.count - first);
      if (hash === undefined) answerMissing(context, args, first);
      else setEnds(context, args, hash, { first, end, condition });
    },
  });
}

const hexpire = expiring('HEXPIRE', SECONDS, 'Sets the time to live of fields, in seconds.');
const hpexpire = expiring(
  'HPEXPIRE',
  MILLISECONDS,
  'Sets the time to live of fields, in milliseconds.',
);
const hexpireat = expiring(
  'HEXPIREAT',
  UNIX_SECONDS,
  'Sets the expiry of fields as Unix time in seconds.',
);
const hpexpireat = expiring(
  'HPEXPIREAT',
  UNIX_MILLISECONDS,
  'Sets the expiry of fields as Unix time in milliseconds.',
);

export const fieldExpiry = [hexpire, hpexpire, hexpireat, hpexpireat];

function answerMissing({ reply }: ShardContext, args: Arguments, first: number): void {
  for (let index = first; index < args.count; index += 1) reply.integer(Outcome.noField);
}

interface Wish {
  /** The argument that names the first field. */
  first: number;
  end: number;
  condition: Condition;
}

function setEnds(context: ShardContext, args: Arguments, hash: HashValue, wish: Wish): void {
  const { reply, store } = context;
  hash.allowExpiry();
  let changed = 0;
  let deleted = 0;
  const ends = new FieldEnds(context, args);
  for (let index = wish.first; index < args.count; index += 1) {
    let outcome: number = Outcome.noField;
    if (hash.count > 0 && hash.find(args.source, args.at(index), args.length(index))) {
      outcome = setEnd(hash, wish, context);
    }
    if (outcome === Outcome.deleted) deleted += 1;
    if (outcome === Outcome.set) changed += 1;
    if (outcome === Outcome.deleted) ends.removed(index);
    else if (outcome === Outcome.set) ends.set(index);
    reply.integer(outcome);
  }
  ends.report(wish.end);
  store.stats.add('expiredFields', deleted);
  if (deleted > 0) takenAt(context, args, 1, events.hdel, deleted, removeIfEmpty(context, hash));
  else if (changed > 0) changedAt(context, args, 1, events.hexpire);
}

/** Sets the end of the current field, where the condition admits it. */
function setEnd(hash: HashValue, { end, condition }: Wish, context: ShardContext): number {
  const { expiry } = hash;
  if (!admits(condition, expiry, end)) return Outcome.refused;
  if (context.isOver(end)) {
    hash.remove();
    return Outcome.deleted;
  }
  hash.setExpiry(end);
  return Outcome.set;
}

/** Without an end a field counts as one that lives longer than any other. */
function admits(condition: Condition, expiry: number, end: number): boolean {
  const has = expiry >= 0;
  switch (condition) {
    case undefined:
      return true;
    case 'NX':
      return !has;
    case 'XX':
      return has;
    case 'GT':
      return has && end > expiry;
    case 'LT':
      return !has || end < expiry;
  }
}
