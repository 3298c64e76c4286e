/**
 * Facts that COMMAND and ACL state about a command, all of them derived from the definition.
 *
 * Nothing is stated twice: a flag's consequences, the old form of key positions and the policies of requests and
 * responses follow here and only here.
 */

import type { Command, Flag, Group } from './definition.ts';
import type { Keys, KeySpec } from './keys.ts';

/** Flags in COMMAND INFO's order. `may_replicate` is not shown, as in Redis. */
const SHOWN_FLAGS: readonly Flag[] = [
  'write',
  'readonly',
  'denyoom',
  'admin',
  'pubsub',
  'noscript',
  'blocking',
  'loading',
  'stale',
  'skip_monitor',
  'skip_slowlog',
  'asking',
  'fast',
  'no_auth',
  'no_mandatory_keys',
  'no_async_loading',
  'no_multi',
];

/** The flags that clients see. */
export function shownFlags(command: Command): readonly string[] {
  const shown: string[] = SHOWN_FLAGS.filter((flag) => command.flags.includes(flag));
  if (keyRange(command.keys).movable) shown.push('movablekeys');
  if (command.flags.includes('allow_busy')) shown.push('allow_busy');
  return shown;
}

/** All ACL categories, in Redis' order. */
export const ACL_CATEGORIES = [
  'keyspace',
  'read',
  'write',
  'set',
  'sortedset',
  'list',
  'hash',
  'string',
  'bitmap',
  'hyperloglog',
  'geo',
  'stream',
  'pubsub',
  'admin',
  'fast',
  'slow',
  'blocking',
  'dangerous',
  'connection',
  'transaction',
  'scripting',
] as const;

type AclCategory = (typeof ACL_CATEGORIES)[number];

export function isAclCategory(name: string): name is AclCategory {
  return (ACL_CATEGORIES as readonly string[]).includes(name);
}

/** The category that belongs to a group of commands; containers themselves have none. */
const GROUP_CATEGORY: Partial<Record<Group, AclCategory>> = {
  generic: 'keyspace',
  string: 'string',
  list: 'list',
  set: 'set',
  'sorted-set': 'sortedset',
  hash: 'hash',
  stream: 'stream',
  pubsub: 'pubsub',
  transactions: 'transaction',
  connection: 'connection',
  scripting: 'scripting',
  hyperloglog: 'hyperloglog',
  geo: 'geo',
  bitmap: 'bitmap',
};

const FLAG_CATEGORIES: Partial<Record<Flag, readonly AclCategory[]>> = {
  write: ['write'],
  readonly: ['read'],
  admin: ['admin', 'dangerous'],
  pubsub: ['pubsub'],
  fast: ['fast'],
  blocking: ['blocking'],
};

/** Categories by command: each is derived once, where a start asks for all of them for every category. */
const derivedCategories = new Map<Command, readonly AclCategory[]>();

/** Returns every ACL category of the command, without `@`. No other function derives them. */
export function aclCategories(command: Command): readonly AclCategory[] {
  const known = derivedCategories.get(command);
  if (known !== undefined) return known;
  const categories = deriveCategories(command);
  derivedCategories.set(command, categories);
  return categories;
}

function deriveCategories(command: Command): readonly AclCategory[] {
  const categories = new Set<string>(command.acl?.add);
  const ofGroup = command.route === 'container' ? undefined : GROUP_CATEGORY[command.group];
  if (ofGroup !== undefined) categories.add(ofGroup);
  for (const flag of command.flags) {
    for (const category of FLAG_CATEGORIES[flag] ?? []) categories.add(category);
  }
  for (const category of command.acl?.drop ?? []) categories.delete(category);
  // What scripts read is not known from their flags.
  if (categories.has('scripting')) categories.delete('read');
  if (!categories.has('fast')) categories.add('slow');
  return ACL_CATEGORIES.filter((category) => categories.has(category));
}

/** Keys as first, last and step: the form of COMMAND before key specs. */
interface KeyRange {
  first: number;
  /** Negative: counted from the end. */
  last: number;
  step: number;
  /** The range does not name all keys. */
  movable: boolean;
}

/** First key, last key and step, as far as the specs allow: Redis' rules for several specs. */
export function keyRange({ specs }: Keys): KeyRange {
  const ranges = specs.map(plainRange);
  const [only] = ranges;
  if (specs.length === 1 && only !== undefined) return { ...only, movable: false };
  return joinedRange(ranges);
}

/** One range of those that follow each other one by one; any other makes the keys movable. */
function joinedRange(ranges: readonly (PlainRange | undefined)[]): KeyRange {
  const joined: KeyRange = { first: 0, last: 0, step: 0, movable: false };
  for (const next of ranges) {
    const isFirst = joined.step === 0;
    if (next?.step === 1 && (isFirst || joined.last === next.first - 1)) {
      joined.first = isFirst ? next.first : joined.first;
      joined.last = next.last;
      joined.step = 1;
    } else {
      joined.movable = true;
    }
  }
  return joined;
}

type PlainRange = Omit<KeyRange, 'movable'>;

function plainRange(spec: KeySpec): PlainRange | undefined {
  if (spec.begin === 'unknown' || spec.find === 'unknown') return undefined;
  if (!('index' in spec.begin) || !('last' in spec.find)) return undefined;
  const first = spec.begin.index;
  const { last, step } = spec.find;
  return { first, last: last < 0 ? last : first + last, step };
}

/** Returns the flags of a spec's keys, in COMMAND's words and order. */
export function keySpecFlags(spec: Omit<KeySpec, 'begin' | 'find'>): readonly string[] {
  const { access, use = [] } = spec;
  const flags: string[] = spec.notKey === true ? [] : [access];
  for (const word of ['access', 'update', 'insert', 'delete'] as const) {
    if (use.includes(word)) flags.push(word);
  }
  if (spec.notKey === true) flags.push('not_key');
  if (spec.isIncomplete === true) flags.push('incomplete');
  if (spec.variable !== undefined) flags.push('variable_flags');
  return flags;
}

/** Hints for clients of a cluster, and those that the definition adds. */
export function tips(command: Command): readonly string[] {
  const own = command.tips ?? [];
  if (command.tips?.length === 0 || own.some((tip) => tip.startsWith('request_policy:')))
    return own;
  if (command.route !== 'byKey' && command.route !== 'everyShard') return own;
  const { policy } = command.merge;
  const request = command.route === 'byKey' ? 'multi_shard' : 'all_shards';
  const response = policy === 'default' ? [] : [`response_policy:${policy}`];
  return [`request_policy:${request}`, ...response, ...own];
}

/** Returns the faults of a definition, each as a sentence. */
export function faults(command: Command): readonly string[] {
  const { name, summary, flags, arity, keys } = command;
  const has = (flag: Flag): boolean => flags.includes(flag);
  const checks: readonly (readonly [isWrong: boolean, fault: string])[] = [
    [name !== name.toUpperCase(), 'The name is not in upper case.'],
    [!/^[A-Z][^\n]*\.$/.test(summary), 'The summary is not a sentence.'],
    [!/^\d+\.\d+\.\d+$/.test(command.since), 'The version is not one.'],
    [command.complexity === '', 'There is no complexity.'],
    [has('write') && has('readonly'), 'It both writes and only reads.'],
    [new Set(flags).size !== flags.length, 'A flag stands twice.'],
    [arity === 0, 'The arity is zero.'],
    [!admitsKeys(arity, keys), 'The arity does not reach the keys.'],
    [hasRealKeys(keys) && isAwayFromKeys(command), 'It has keys but reaches no shard.'],
    [
      writesKeys(keys) && !has('write') && !has('may_replicate'),
      'It writes to keys without the flag.',
    ],
    [unknownCategories(command).length > 0, 'An ACL category does not exist.'],
  ];
  return checks.filter(([isWrong]) => isWrong).map(([, fault]) => fault);
}

function isAwayFromKeys(command: Command): boolean {
  return (
    command.route === 'container' || (command.route === 'onMain' && command.looksUpKeys !== true)
  );
}

function hasRealKeys(keys: Keys): boolean {
  return keys.specs.some(({ notKey }) => notKey !== true);
}

function writesKeys(keys: Keys): boolean {
  return keys.specs.some(({ access, notKey }) => access !== 'RO' && notKey !== true);
}

/** True when the fewest arguments reach the first and last key of every fixed spec. */
function admitsKeys(arity: number, keys: Keys): boolean {
  const least = Math.abs(arity);
  return keys.specs.every((spec) => {
    const range = plainRange(spec);
    if (range === undefined) return true;
    // Keys up to the end may be none.
    const firstMax = range.last < 0 ? least : least - 1;
    return range.first <= firstMax && range.last < least;
  });
}

function unknownCategories({ acl }: Command): readonly string[] {
  const named = [...(acl?.add ?? []), ...(acl?.drop ?? [])];
  return named.filter((category) => !isAclCategory(category));
}
