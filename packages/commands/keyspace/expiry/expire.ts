/** Giving keys an end, and taking it away. */

import { CommandError, errors, INT64_MAX, INT64_MIN, parseInteger64, untilNul } from '#base';
import type { Ref } from '#store';
import type { Arguments } from '../../arguments/arguments.ts';
import type { ShardContext } from '../../contexts/contexts.ts';
import { oneShard, type ArgumentDoc, type OneShardCommand } from '../../definition/definition.ts';
import { oneKey } from '../../definition/keys.ts';
import { EXPIRY_MS_MAX } from './expiry-time.ts';
import {
  MILLISECONDS,
  SECONDS,
  UNIX_MILLISECONDS,
  UNIX_SECONDS,
  type TimeForm,
} from './time-forms.ts';
import { events } from '../../contexts/events.ts';
import { changedAt, findToWrite } from '../../elements/lookup.ts';

const condition: ArgumentDoc = {
  name: 'condition',
  type: 'oneof',
  since: '7.0.0',
  optional: true,
  arguments: [
    { name: 'nx', type: 'pure-token', token: 'NX' },
    { name: 'xx', type: 'pure-token', token: 'XX' },
    { name: 'gt', type: 'pure-token', token: 'GT' },
    { name: 'lt', type: 'pure-token', token: 'LT' },
  ],
};

function expiring(
  name: string,
  since: string,
  { doc, unitMs, absolute }: TimeForm,
  summary: string,
): OneShardCommand {
  const command = name.toLowerCase();
  return oneShard({
    name,
    summary,
    since,
    complexity: 'O(1)',
    group: 'generic',
    arity: -3,
    flags: ['write', 'fast'],
    keys: oneKey('RW', 'update'),
    leavesValues: true,
    args: [{ name: 'key', type: 'key' }, doc, condition],
    history: [['7.0.0', 'Added NX, XX, GT and LT.']],
    run(context, args) {
      const allowed = args.count > 3 ? readConditions(args) : ALWAYS;
      const baseMs = absolute ? 0 : context.nowMs;
      const when = momentOf(args, unitMs, baseMs, command);
      const ref = findToWrite(context, args, 1);
      const applies = ref !== 0 && (allowed === ALWAYS || admits(context, ref, allowed, when));
      if (applies) expireAt(context, args, ref, when);
      context.reply.integer(applies ? 1 : 0);
    },
  });
}

const expire = expiring('EXPIRE', '1.0.0', SECONDS, 'Sets the time to live of a key, in seconds.');
const pexpire = expiring(
  'PEXPIRE',
  '2.6.0',
  MILLISECONDS,
  'Sets the time to live of a key, in milliseconds.',
);
const expireat = expiring(
  'EXPIREAT',
  '1.2.0',
  UNIX_SECONDS,
  'Sets the expiry of a key as Unix time in seconds.',
);
const pexpireat = expiring(
  'PEXPIREAT',
  '2.6.0',
  UNIX_MILLISECONDS,
  'Sets the expiry of a key as Unix time in milliseconds.',
);

const persist = oneShard({
  name: 'PERSIST',
  summary: 'Removes the expiry of a key.',
  since: '2.2.0',
  complexity: 'O(1)',
  group: 'generic',
  arity: 2,
  flags: ['write', 'fast'],
  keys: oneKey('RW', 'update'),
  leavesValues: true,
  args: [{ name: 'key', type: 'key' }],
  run(context, args) {
    const { keyspace, reply } = context;
    const ref = findToWrite(context, args, 1);
    const ends = ref !== 0 && keyspace.expireAt(ref) !== -1;
    if (ends) {
      keyspace.setExpireAt(ref, -1);
      changedAt(context, args, 1, events.persist);
    }
    reply.integer(ends ? 1 : 0);
  },
});

export const keyExpiry = [expire, pexpire, expireat, pexpireat, persist];

// The conditions, as bits of one number: nothing is allocated for them.

const ALWAYS = 0;
const NX = 1;
const XX = 2;
const GT = 4;
const LT = 8;

const nxExcludes = new CommandError(
  'ERR NX and XX, GT or LT options at the same time are not compatible',
);
const gtExcludesLt = new CommandError('ERR GT and LT options at the same time are not compatible');

function readConditions(args: Arguments): number {
  let conditions = 0;
  for (let index = 3; index < args.count; index += 1) {
    if (args.spellsAt(index, 'NX')) conditions |= NX;
    else if (args.spellsAt(index, 'XX')) conditions |= XX;
    else if (args.spellsAt(index, 'GT')) conditions |= GT;
    else if (args.spellsAt(index, 'LT')) conditions |= LT;
    else throw new CommandError(`ERR Unsupported option ${untilNul(args.latin1(index))}`);
  }
  if ((conditions & NX) !== 0 && conditions !== NX) throw nxExcludes;
  if ((conditions & GT) !== 0 && (conditions & LT) !== 0) throw gtExcludesLt;
  return conditions;
}

function admits(context: ShardContext, ref: Ref, conditions: number, when: number): boolean {
  const current = context.keyspace.expireAt(ref);
  if (current === -1) return (conditions & (XX | GT)) === 0;
  if ((conditions & NX) !== 0) return false;
  if ((conditions & GT) !== 0 && when <= current) return false;
  return (conditions & LT) === 0 || when < current;
}

/** The moment argument 2 gives, in milliseconds of Unix time; it may be long past. */
function momentOf(args: Arguments, unitMs: 1 | 1000, baseMs: number, command: string): number {
  const value = args.integerAt(2);
  if (Number.isNaN(value)) return largeMomentOf(args, unitMs, baseMs, command);
  return Math.min(value * unitMs + baseMs, EXPIRY_MS_MAX);
}

function largeMomentOf(args: Arguments, unitMs: 1 | 1000, baseMs: number, command: string): number {
  const value = parseInteger64(args.source, args.at(2), args.length(2));
  if (value === undefined) throw errors.notInteger;
  const span = value * BigInt(unitMs);
  if (span < INT64_MIN || span + BigInt(baseMs) > INT64_MAX) throw errors.invalidExpire(command);
  return Math.min(Number(span) + baseMs, EXPIRY_MS_MAX);
}

function expireAt(context: ShardContext, args: Arguments, ref: Ref, when: number): void {
  if (context.isOver(when)) {
    context.keyspace.removeRef(ref);
    if (context.isReplicated) context.logAs(['UNLINK', args.copy(1)]);
    changedAt(context, args, 1, events.del);
    return;
  }
  context.keyspace.setExpireAt(ref, when);
  if (context.isReplicated) context.logAs(['PEXPIREAT', args.copy(1), String(when)]);
  changedAt(context, args, 1, events.expire);
}
