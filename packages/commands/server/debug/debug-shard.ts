/** The parts of DEBUG that look at keys or stop the shards. */

import { type Bytes, CommandError, errors, keySlot, parseDouble, shardOfSlot } from '#base';
import {
  codecAt,
  keyScratch,
  type Keyspace,
  Listpack,
  Quicklist,
  type Ref,
  valueScratch,
  ValueType,
} from '#store';
import type { Arguments } from '../../arguments/arguments.ts';
import type { ShardContext } from '../../contexts/contexts.ts';
import { everyShard, oneShard } from '../../definition/definition.ts';
import { keysToEnd, oneKey } from '../../definition/keys.ts';
import { walk } from '../../keyspace/scan/keys.ts';
import { encodingName } from '../../keyspace/value-encoding.ts';
import { allOk, type Merge } from '../../definition/merge.ts';
import { jsonPart } from '../../definition/parts.ts';
import { debugHead, disturbingHead } from './debug-head.ts';
import { packedThreshold, quicklistReport } from './debug-list.ts';
import { loadAof } from './debug-loadaof.ts';
import { reload } from './debug-reload.ts';
import { spillValues } from './debug-spill.ts';
import { Digest } from './digest.ts';

const sleep = everyShard({
  ...disturbingHead,
  name: 'DEBUG|SLEEP',
  summary: 'Blocks all shards for a number of seconds.',
  arity: 3,
  run(context, args) {
    const seconds = parseDouble(args.latin1(2));
    if (seconds > 0) context.sleep(seconds);
    return null;
  },
  merge: allOk,
});

const setActiveExpire = everyShard({
  ...disturbingHead,
  name: 'DEBUG|SET-ACTIVE-EXPIRE',
  summary: 'Switches active expiry on or off.',
  arity: 3,
  run({ store }, args) {
    store.activeExpire = Number.parseInt(args.latin1(2), 10) > 0;
    return null;
  },
  merge: allOk,
});

const setDisableDenyScripts = everyShard({
  ...disturbingHead,
  name: 'DEBUG|SET-DISABLE-DENY-SCRIPTS',
  summary: 'Switches the commands that scripts may not call on or off for scripts.',
  arity: 3,
  run({ scripts }, args) {
    scripts.mayCallAll = Number.parseInt(args.latin1(2), 10) > 0;
    return null;
  },
  merge: allOk,
});

const object = oneShard({
  ...debugHead,
  name: 'DEBUG|OBJECT',
  summary: 'Returns encoding and location of a value.',
  arity: 3,
  keys: oneKey('RO', undefined, 2),
  run({ keyspace, reply }, args) {
    // Includes a key that has expired but was not looked up since.
    const ref = keyspace.lookUp(args.copy(2), args.length(2));
    if (ref === 0) throw errors.noSuchKey;
    reply.simple(
      `Value at:0x${ref.toString(16).padStart(8, '0')} refcount:1 ` +
        `encoding:${encodingName(keyspace, ref)} serializedlength:${serializedBytes(keyspace, ref)} ` +
        `lru:${keyspace.access(ref)} lru_seconds_idle:${keyspace.idleSeconds(ref)}` +
        listReport(keyspace, ref) +
        (keyspace.isWarm(ref) ? ' tier:warm' : ''),
    );
  },
});

const notListpack = new CommandError('ERR Not a listpack encoded object.');

const listpack = oneShard({
  ...debugHead,
  name: 'DEBUG|LISTPACK',
  summary: 'Returns the entries of a value that is a single listpack.',
  arity: 3,
  keys: oneKey('RO', undefined, 2),
  run({ keyspace, reply }, args) {
    const ref = keyspace.peek(args.source, args.at(2), args.length(2));
    if (ref === 0) throw errors.noSuchKey;
    if (!isListpack(keyspace, ref)) throw notListpack;
    const entries = new Listpack().pointAt(keyspace.value(ref));
    let text = `{total bytes ${entries.totalBytes}} {num entries ${entries.count}}\n`;
    for (let more = entries.first(); more; more = entries.next()) {
      const kind = entries.isInteger ? 'integer' : 'string';
      text += `{${entries.offset}: ${entries.entryBytes} bytes, ${kind}} ${entries.latin1()}\n`;
    }
    reply.verbatim(text);
  },
});

const digestOfAll: Merge<readonly number[]> = {
  policy: 'special',
  part: jsonPart<readonly number[]>(),
  combine(parts, reply) {
    const digest = new Digest();
    for (const part of parts) digest.addLanes(part);
    reply.simple(digest.toString());
  },
};

const digest = everyShard<readonly number[]>({
  ...disturbingHead,
  name: 'DEBUG|DIGEST',
  summary: 'Returns a digest of all data.',
  arity: 2,
  run({ store }) {
    const all = new Digest();
    for (const [database, keyspace] of store.databases.entries()) {
      walk(keyspace, (ref) => all.addKey(keyspace, ref, database));
    }
    return all.lanes;
  },
  merge: digestOfAll,
});

const digestValue = oneShard({
  ...debugHead,
  name: 'DEBUG|DIGEST-VALUE',
  summary: 'Returns a digest of the value of each key.',
  arity: -3,
  keys: keysToEnd('RO', undefined, 2),
  run({ keyspace, reply }, args) {
    reply.arrayHeader(args.count - 2);
    for (let index = 2; index < args.count; index += 1) {
      const one = new Digest();
      const ref = keyspace.peek(args.source, args.at(index), args.length(index));
      if (ref !== 0) one.addValue(keyspace, ref);
      reply.simple(one.toString());
    }
  },
});

/** Keys in a database, and those of them that expire. */
interface Sizes {
  keys: number;
  expires: number;
}

const sizeReport: Merge<Sizes> = {
  policy: 'special',
  part: jsonPart<Sizes>(),
  combine(parts, reply) {
    const list = (name: 'keys' | 'expires'): string =>
      parts.map((part, shard) => ` shard ${shard}: number of elements: ${part[name]}\n`).join('');
    reply.verbatim(`[Dictionary HT]\n${list('keys')}[Expires HT]\n${list('expires')}`);
  },
};

const outOfRangeDatabase = new CommandError('ERR Out of range database');

const htstats = everyShard<Sizes>({
  ...debugHead,
  name: 'DEBUG|HTSTATS',
  summary: 'Returns the number of keys in the indexes of a database.',
  arity: -3,
  run({ store }, args) {
    const keyspace = store.databases[args.roundedAt(2)];
    if (keyspace === undefined) throw outOfRangeDatabase;
    return { keys: keyspace.size, expires: keyspace.expires };
  },
  merge: sizeReport,
});

const populate = everyShard({
  ...disturbingHead,
  flags: [...disturbingHead.flags, 'write'],
  name: 'DEBUG|POPULATE',
  summary: 'Creates numbered keys that do not exist yet.',
  arity: -3,
  run(context, args) {
    if (args.count > 5) throw errors.subcommandSyntax(args.latin1(1), 'DEBUG');
    const count = positiveAt(args, 2);
    const prefix = args.count > 3 ? args.latin1(3) : 'key';
    const valueBytes = args.count > 4 ? positiveAt(args, 4) : 0;
    for (let nth = 0; nth < count; nth += 1) {
      create(context, Buffer.from(`${prefix}:${nth}`, 'latin1'), valueOf(nth, valueBytes));
    }
    return null;
  },
  merge: allOk,
});

export const debugOnShards = [
  loadAof,
  reload,
  sleep,
  setActiveExpire,
  setDisableDenyScripts,
  object,
  listpack,
  packedThreshold,
  spillValues,
  digest,
  digestValue,
  htstats,
  populate,
];

function isListpack(keyspace: Keyspace, ref: Ref): boolean {
  if (keyspace.type(ref) === ValueType.string || keyspace.isObject(ref)) return false;
  return encodingName(keyspace, ref).startsWith('listpack');
}

function listReport(keyspace: Keyspace, ref: Ref): string {
  const value = keyspace.object(ref);
  return value instanceof Quicklist ? quicklistReport(value) : '';
}

/** Bytes of the value as stored; Redis reports the size in its snapshot. */
function serializedBytes(keyspace: Keyspace, ref: Ref): number {
  if (!keyspace.isObject(ref)) return keyspace.length(ref);
  return codecAt(keyspace, ref).bytesOf(keyspace.object(ref));
}

function positiveAt(args: Arguments, index: number): number {
  const value = args.roundedAt(index);
  if (value < 0) throw errors.notPositive;
  return value;
}

/** Its number, cut or filled with zero bytes to the length that is asked for. */
function valueOf(nth: number, bytes: number): Bytes {
  const text = Buffer.from(`value:${nth}`, 'latin1');
  return bytes === 0 ? text : Buffer.concat([text], bytes);
}

function create(context: ShardContext, key: Bytes, value: Bytes): void {
  const { keyspace, shardIndex, shardCount } = context;
  if (shardOfSlot(keySlot(key, 0, key.length), shardCount) !== shardIndex) return;
  if (keyspace.find(key, 0, key.length) !== 0) return;
  keyspace.set(keyScratch.all(key), valueScratch.all(value));
  context.changed('$', 'set', key, 0, key.length);
}
