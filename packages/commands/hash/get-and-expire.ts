/** HGETEX and HSETEX: reading or setting fields together with their ends. */

import { type Bytes, CommandError, errors, untilNul } from '#base';
import type { HashValue } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard } from '../definition/definition.ts';
import { oneKey } from '../definition/keys.ts';
import { TIME_FORMS, timeOptions } from '../keyspace/expiry/time-forms.ts';
import { changedAt, removeIfEmpty, takenAt } from '../elements/lookup.ts';
import { events } from '../contexts/events.ts';
import { demandFieldCount, fieldsBlock } from './field-list.ts';
import { FieldEnds } from './field-ends.ts';
import { fieldEnd } from './field-time.ts';
import { writeFields, writeValue } from './get.ts';
import {
  announceEnded,
  fieldAt,
  findField,
  hashToFill,
  hashToWrite,
  newHash,
  valueAt,
} from './lookup.ts';

const hgetex = oneShard({
  name: 'HGETEX',
  summary: 'Returns the values of fields and sets or removes their expiry.',
  since: '8.0.0',
  complexity: 'O(N) for N fields.',
  group: 'hash',
  arity: -5,
  flags: ['write', 'fast'],
  keys: oneKey('RW', ['access', 'update']),
  args: [
    { name: 'key', type: 'key' },
    {
      name: 'expiration',
      type: 'oneof',
      optional: true,
      arguments: [...timeOptions, { name: 'persist', type: 'pure-token', token: 'PERSIST' }],
    },
    fieldsBlock,
  ],
  run(context, args) {
    const hash = hashToWrite(context, args);
    const options = readOptions(context, args, 'hgetex', 'PERSIST');
    const first = demandFieldCount(args, options.fieldsIndex);
    context.reply.arrayHeader(args.count - first);
    if (options.end < 0 && !options.hasWord) writeFields(context, args, hash, first);
    else getAndExpire(context, args, hash, first, options);
  },
});

const hsetex = oneShard({
  name: 'HSETEX',
  summary: 'Sets fields with an expiry: all or none of them.',
  since: '8.0.0',
  complexity: 'O(N) for N fields.',
  group: 'hash',
  arity: -6,
  flags: ['write', 'denyoom', 'fast'],
  keys: oneKey('RW', 'update'),
  args: [
    { name: 'key', type: 'key' },
    {
      name: 'condition',
      type: 'oneof',
      optional: true,
      arguments: [
        { name: 'fnx', type: 'pure-token', token: 'FNX' },
        { name: 'fxx', type: 'pure-token', token: 'FXX' },
      ],
    },
    {
      name: 'expiration',
      type: 'oneof',
      optional: true,
      arguments: [...timeOptions, { name: 'keepttl', type: 'pure-token', token: 'KEEPTTL' }],
    },
    {
      name: 'fields',
      type: 'block',
      token: 'FIELDS',
      arguments: [
        { name: 'numfields', type: 'integer' },
        {
          name: 'data',
          type: 'block',
          multiple: true,
          arguments: [
            { name: 'field', type: 'string' },
            { name: 'value', type: 'string' },
          ],
        },
      ],
    },
  ],
  run(context, args) {
    const existing = hashToWrite(context, args);
    const options = readOptions(context, args, 'hsetex', 'KEEPTTL');
    const first = demandPairs(args, options.fieldsIndex);
    if (!conditionHolds(context, args, existing, first, options.condition)) {
      context.reply.integer(0);
      return;
    }
    setAndExpire(context, args, first, options);
    context.reply.integer(1);
  },
});

export const fieldOptions = [hgetex, hsetex];

interface Options {
  /** Argument that FIELDS should be. */
  fieldsIndex: number;
  /** Milliseconds of Unix time, or -1. */
  end: number;
  /** PERSIST or KEEPTTL was given. */
  hasWord: boolean;
  condition: 'FNX' | 'FXX' | undefined;
}

const PAIRS_MAX = 2 ** 31 - 1;
const noPairs = new CommandError('ERR missing FIELDS argument');
const badPairCount = new CommandError('ERR invalid number of fields');

/** Reads FIELDS of HSETEX at argument `index`, which has errors of its own; returns the index of the first field. */
function demandPairs(args: Arguments, index: number): number {
  if (index >= args.count) throw noPairs;
  if (!args.spellsAt(index, 'FIELDS')) {
    throw new CommandError(`ERR unknown argument: ${untilNul(args.latin1(index))}`);
  }
  if (index + 1 >= args.count) throw errors.wrongArguments('hsetex');
  const count = args.roundedAt(index + 1, badPairCount);
  if (count < 1 || count > PAIRS_MAX) throw badPairCount;
  const first = index + 2;
  if (2 * count !== args.count - first) throw errors.wrongArguments('hsetex');
  return first;
}

const twoConditions = new CommandError('ERR Only one of FXX or FNX arguments can be specified');

function twoTimes(word: string): CommandError {
  return new CommandError(
    `ERR Only one of EX, PX, EXAT, PXAT or ${word} arguments can be specified`,
  );
}

/** Reads what stands before FIELDS. */
function readOptions(
  context: ShardContext,
  args: Arguments,
  command: string,
  word: 'PERSIST' | 'KEEPTTL',
): Options {
  const options: Options = { fieldsIndex: 2, end: -1, hasWord: false, condition: undefined };
  while (options.fieldsIndex < args.count) {
    const index = options.fieldsIndex;
    const form = TIME_FORMS.find(({ word: each }) => args.spellsAt(index, each));
    if (form !== undefined || args.spellsAt(index, word)) {
      if (options.end >= 0 || options.hasWord) throw twoTimes(word);
      if (form === undefined) {
        options.hasWord = true;
        options.fieldsIndex += 1;
        continue;
      }
      if (index + 1 >= args.count) throw errors.syntax;
      const baseMs = form.absolute ? 0 : context.nowMs;
      options.end = fieldEnd(args, index + 1, form.unitMs, baseMs, command);
      options.fieldsIndex += 2;
    } else if (word === 'KEEPTTL' && (args.spellsAt(index, 'FNX') || args.spellsAt(index, 'FXX'))) {
      if (options.condition !== undefined) throw twoConditions;
      options.condition = args.spellsAt(index, 'FNX') ? 'FNX' : 'FXX';
      options.fieldsIndex += 1;
    } else {
      break;
    }
  }
  return options;
}

function getAndExpire(
  context: ShardContext,
  args: Arguments,
  hash: HashValue | undefined,
  first: number,
  options: Options,
): void {
  const counts = { ended: 0, deleted: 0, changed: 0 };
  const ends = new FieldEnds(context, args);
  let isGone = hash === undefined;
  for (let index = first; index < args.count; index += 1) {
    const state = isGone ? 'missing' : findField(context, args, index, false);
    if (state === 'ended' || state === 'gone') counts.ended += 1;
    if (state === 'gone') isGone = true;
    if (hash === undefined || state !== 'there') {
      context.reply.nil();
      continue;
    }
    writeValue(context, hash);
    const outcome = applyEnd(hash, options, context);
    if (outcome !== 'kept') counts[outcome] += 1;
    if (outcome === 'deleted') ends.removed(index);
    else if (outcome === 'changed' && options.hasWord) ends.persisted(index);
    else if (outcome === 'changed') ends.set(index);
    isGone = removeIfEmpty(context, hash);
  }
  ends.report(options.end);
  announceEnds(context, args, counts, isGone, options);
}

/** Does to the current field what the options ask. */
function applyEnd(
  hash: HashValue,
  { end, hasWord }: Options,
  context: ShardContext,
): 'deleted' | 'changed' | 'kept' {
  if (!hasWord && context.isOver(end)) {
    hash.remove();
    return 'deleted';
  }
  if (hasWord && hash.expiry < 0) return 'kept';
  hash.setExpiry(hasWord ? -1 : end);
  return 'changed';
}

function announceEnds(
  context: ShardContext,
  args: Arguments,
  { ended, deleted, changed }: { ended: number; deleted: number; changed: number },
  isGone: boolean,
  { hasWord }: Options,
): void {
  if (ended > 0) announceEnded(context, args, isGone && deleted === 0);
  if (deleted > 0) takenAt(context, args, 1, events.hdel, deleted, isGone);
  else if (changed > 0) {
    changedAt(context, args, 1, hasWord ? events.hpersist : events.hexpire);
  }
}

/** True when all fields exist, or none of them, as the condition asks. */
function conditionHolds(
  context: ShardContext,
  args: Arguments,
  hash: HashValue | undefined,
  first: number,
  condition: Options['condition'],
): boolean {
  if (condition === undefined) return true;
  if (hash === undefined) return condition === 'FNX';
  for (let index = first; index < args.count; index += 2) {
    const state = findField(context, args, index);
    if ((state === 'there') === (condition === 'FNX')) return false;
    if (state === 'gone') return true;
  }
  return true;
}

function setAndExpire(
  context: ShardContext,
  args: Arguments,
  first: number,
  { end, hasWord }: Options,
): void {
  let hash = hashToFill(context, args);
  hash.expect((args.count - first) / 2);
  for (let index = first; index < args.count; index += 2) {
    // The end of a field that has ended already is not to be kept.
    if (findField(context, args, index) === 'gone') hash = newHash(context, args);
    hash.put(fieldAt(args, index), valueAt(args, index + 1), hasWord);
    if (end >= 0) hash.setExpiry(end);
  }
  hash.fit();
  if (context.isReplicated) reportSet(context, args, hash, { first, end });
  changedAt(context, args, 1, events.hset);
  if (end < 0) return;
  changedAt(context, args, 1, events.hexpire);
  if (!context.isOver(end)) return;
  for (let index = first; index < args.count; index += 2) {
    if (hash.find(args.source, args.at(index), args.length(index))) hash.remove();
  }
  takenAt(context, args, 1, events.hdel, 1, removeIfEmpty(context, hash));
}

/**
 * Replicates the fields that were set, in commands known to all versions; a field that has expired already is removed.
 */
function reportSet(
  context: ShardContext,
  args: Arguments,
  hash: HashValue,
  { first, end }: { first: number; end: number },
): void {
  const key = args.copy(1);
  const words: Bytes[] = [];
  for (let index = first; index < args.count; index += 1) words.push(args.copy(index));
  const fields = words.filter((_, nth) => nth % 2 === 0);
  if (end >= 0 && end <= context.nowMs) {
    context.logAs(['HDEL', key, ...fields]);
    return;
  }
  context.logAs(['HSET', key, ...words]);
  // Setting a field takes its end away, but for those that were kept.
  for (const field of fields) {
    if (!hash.find(field, 0, field.length) || hash.expiry < 0) continue;
    context.logAs(['HPEXPIREAT', key, String(hash.expiry), 'FIELDS', '1', field]);
  }
}
