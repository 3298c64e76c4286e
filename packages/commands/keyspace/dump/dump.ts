/** DUMP and RESTORE: values as bytes that a Redis of the same version takes and gives. */

import { asBuffer, CommandError, errors, KeyFate } from '#base';
import { accessOfUse, rdb, type Ref } from '#store';
import type { Arguments } from '../../arguments/arguments.ts';
import type { ShardContext } from '../../contexts/contexts.ts';
import { oneShard, type CommandHead } from '../../definition/definition.ts';
import { oneKey } from '../../definition/keys.ts';
import { events, type KeyEvent } from '../../contexts/events.ts';
import { EXPIRY_MS_MAX } from '../expiry/expiry-time.ts';
import {
  changedAt,
  createdAt,
  findToRead,
  findToWrite,
  notifyReplaced,
} from '../../elements/lookup.ts';

const KEY_INDEX = 1;
const TTL_INDEX = 2;
const PAYLOAD_INDEX = 3;
const OPTIONS_INDEX = 4;

const FREQUENCY_MAX = 255;
/** Redis limits the entries of an intset to this number, regardless of the setting. */
const INTSET_ENTRIES_MAX = 2 ** 30;

const restored: KeyEvent = { type: 'g', name: 'restore' };

const busyKey = new CommandError('BUSYKEY Target key name already exists.');
const invalidTtl = new CommandError('ERR Invalid TTL value, must be >= 0');
const invalidIdleTime = new CommandError('ERR Invalid IDLETIME value, must be >= 0');
const invalidFrequency = new CommandError('ERR Invalid FREQ value, must be >= 0 and <= 255');
const unsoundPayload = new CommandError('ERR DUMP payload version or checksum are wrong');
const badFormat = new CommandError('ERR Bad data format');

const dump = oneShard({
  name: 'DUMP',
  summary: 'Returns the value of a key, serialized for RESTORE.',
  since: '2.6.0',
  complexity: 'O(N), N being the bytes of the value.',
  group: 'generic',
  arity: 2,
  flags: ['readonly'],
  tips: ['nondeterministic_output'],
  keys: oneKey('RO', 'access'),
  args: [{ name: 'key', type: 'key' }],
  run(context, args) {
    const ref = findToRead(context, args, KEY_INDEX);
    if (ref === 0) context.reply.nil();
    else context.reply.bulk(rdb.dumpValue(context.keyspace, ref));
  },
});

type RestoreHead = Pick<CommandHead, 'name' | 'since' | 'group' | 'flags' | 'acl' | 'isInternal'>;

function restoring(head: RestoreHead) {
  return oneShard({
    ...head,
    summary: 'Creates a key from a value serialized by DUMP.',
    complexity: 'O(N log N) for a sorted set of N members, O(N) in the bytes of any other value.',
    arity: -4,
    keys: oneKey('OW', 'update'),
    args: [
      { name: 'key', type: 'key' },
      { name: 'ttl', type: 'integer' },
      { name: 'serialized-value', type: 'string' },
      { name: 'replace', type: 'pure-token', token: 'REPLACE', since: '3.0.0', optional: true },
      { name: 'absttl', type: 'pure-token', token: 'ABSTTL', since: '5.0.0', optional: true },
      { name: 'seconds', type: 'integer', token: 'IDLETIME', since: '5.0.0', optional: true },
      { name: 'frequency', type: 'integer', token: 'FREQ', since: '5.0.0', optional: true },
    ],
    history: [
      ['3.0.0', 'Added REPLACE.'],
      ['5.0.0', 'Added ABSTTL, IDLETIME and FREQ.'],
    ],
    run(context, args) {
      const options = readOptions(args);
      const { keyspace } = context;
      const old = findToWrite(context, args, KEY_INDEX);
      const before = old === 0 ? undefined : keyspace.type(old);
      const isTaken = before !== undefined;
      if (isTaken && !options.replaces) throw busyKey;
      const endMs = readEnd(context, args, options.isAbsolute);
      const value = readPayload(context, args);
      const hasEnded = endMs !== -1 && context.isOver(endMs);
      const isRemoved = isTaken && removeKey(context, args, hasEnded);
      if (hasEnded) {
        if (isRemoved) changedAt(context, args, KEY_INDEX, events.del);
        if (isRemoved && context.isReplicated) context.logAs(['DEL', args.copy(KEY_INDEX)]);
      } else {
        const after = keyspace.type(store(context, args, value, endMs, options));
        if (isTaken) notifyReplaced(context, args, KEY_INDEX, { before, after });
        if (context.isReplicated && endMs !== -1) reportRestored(context, args, endMs);
      }
      context.reply.ok();
    },
  });
}

const restore = restoring({
  name: 'RESTORE',
  since: '2.6.0',
  group: 'generic',
  flags: ['write', 'denyoom'],
  acl: { add: ['dangerous'] },
});

/** Sent by MIGRATE of a node of a cluster: the slot may be on its way here. */
const restoreAsking = restoring({
  name: 'RESTORE-ASKING',
  since: '3.0.0',
  group: 'server',
  flags: ['write', 'denyoom', 'asking'],
  acl: { add: ['dangerous', 'keyspace'] },
  isInternal: true,
});

export const keyDumping = [dump, restore, restoreAsking];

/** Replicates the restored value, with its expiry as Unix time. */
function reportRestored(context: ShardContext, args: Arguments, endMs: number): void {
  const options = Array.from({ length: args.count - OPTIONS_INDEX }, (_, nth) =>
    args.copy(OPTIONS_INDEX + nth),
  ).filter((word) => asBuffer(word).toString('latin1').toUpperCase() !== 'ABSTTL');
  const payload = args.copy(PAYLOAD_INDEX);
  const words = ['RESTORE', args.copy(KEY_INDEX), String(endMs), payload, ...options, 'ABSTTL'];
  context.logAs(words);
}

interface Options {
  replaces: boolean;
  isAbsolute: boolean;
  /** Seconds, or -1. */
  idleSeconds: number;
  /** The counter of uses, or -1. */
  frequency: number;
}

function readOptions(args: Arguments): Options {
  const options = { replaces: false, isAbsolute: false, idleSeconds: -1, frequency: -1 };
  args.position = OPTIONS_INDEX;
  while (args.more) {
    const hasValue = args.left >= 2;
    if (args.takes('REPLACE')) {
      options.replaces = true;
    } else if (args.takes('ABSTTL')) {
      options.isAbsolute = true;
    } else if (hasValue && options.frequency === -1 && args.takes('IDLETIME')) {
      options.idleSeconds = args.roundedAt(args.next());
      if (options.idleSeconds < 0) throw invalidIdleTime;
    } else if (hasValue && options.idleSeconds === -1 && args.takes('FREQ')) {
      options.frequency = args.roundedAt(args.next());
      if (options.frequency < 0 || options.frequency > FREQUENCY_MAX) throw invalidFrequency;
    } else {
      throw errors.syntax;
    }
  }
  return options;
}

/** Reads the time at which the key shall end, or -1. */
function readEnd({ nowMs }: ShardContext, args: Arguments, isAbsolute: boolean): number {
  const ttl = args.roundedAt(TTL_INDEX);
  if (ttl < 0) throw invalidTtl;
  if (ttl === 0) return -1;
  return Math.min(isAbsolute ? ttl : ttl + nowMs, EXPIRY_MS_MAX);
}

function readPayload(context: ShardContext, args: Arguments): rdb.FinishedValue {
  const { source } = args;
  const at = args.at(PAYLOAD_INDEX);
  const length = args.length(PAYLOAD_INDEX);
  if (!rdb.isSoundPayload(source, at, length)) throw unsoundPayload;
  try {
    return rdb.loadPayload(context.keyspace, source, at, length, valueLimits(context));
  } catch (error) {
    if (error instanceof rdb.MalformedValueError) throw badFormat;
    throw error;
  }
}

/** Up to which sizes values are packed, by the settings. */
export function valueLimits({
  settings,
  store: { listPlainBytes },
}: Pick<ShardContext, 'settings' | 'store'>): rdb.ValueLimits {
  const packed = (type: 'hash' | 'set' | 'zset'): { entries: number; valueBytes: number } => ({
    entries: settings.number(`encoding.${type}-max-listpack-entries`),
    valueBytes: settings.number(`encoding.${type}-max-listpack-value`),
  });
  const intsetEntries = Math.min(
    settings.number('encoding.set-max-intset-entries'),
    INTSET_ENTRIES_MAX,
  );
  return {
    hash: packed('hash'),
    set: { ...packed('set'), intsetEntries },
    zset: packed('zset'),
    list: {
      size: settings.number('encoding.list-max-listpack-size'),
      compressDepth: settings.number('encoding.list-compress-depth'),
      plainBytes: listPlainBytes,
    },
    stream: {
      durationSeconds: settings.number('streams.idmp-duration'),
      maxSize: settings.number('streams.idmp-maxsize'),
    },
  };
}

/** Removes what was there: it is deleted for good when what comes has already ended, else overwritten. */
function removeKey({ keyspace }: ShardContext, args: Arguments, hasEnded: boolean): boolean {
  const fate = hasEnded ? KeyFate.deleted : KeyFate.overwritten;
  return keyspace.remove(args.source, args.at(KEY_INDEX), args.length(KEY_INDEX), fate);
}

function store(
  context: ShardContext,
  args: Arguments,
  value: rdb.FinishedValue,
  endMs: number,
  options: Options,
): Ref {
  const { keyspace } = context;
  const key = { bytes: args.source, at: args.at(KEY_INDEX), length: args.length(KEY_INDEX) };
  let ref = rdb.storeFinished(keyspace, key, value);
  if (endMs !== -1) ref = keyspace.setExpireAt(ref, endMs);
  createdAt(context, args, KEY_INDEX);
  changedAt(context, args, KEY_INDEX, restored);
  // Behind the change, which is itself a use under policies of the last change.
  setUse(context, ref, options);
  return ref;
}

/** Says how the key was used: the policy decides which of the options means something. */
function setUse({ keyspace, store: owner, nowMs }: ShardContext, ref: Ref, use: Options): void {
  const { countsUses, clock } = owner;
  const access = accessOfUse(use, { countsUses, clock, nowMs });
  if (access !== undefined) keyspace.setAccess(ref, access);
}
