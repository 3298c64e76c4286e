/** SORT and SORT_RO: the elements of a list, set or sorted set, in the order of themselves or of other keys. */

import { type Bytes, CommandError, errors, KeyFate, latin1, parseDoubleInRange } from '#base';
import { ListValue, type Ref, SetValue, SortedSetValue, ValueType } from '#store';
import type { Arguments, ArgumentSource } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import {
  oneShard,
  type ArgumentDoc,
  type CommandHead,
  type OneShardCommand,
} from '../definition/definition.ts';
import { keySpec, type FoundKey, type KeySpec, type Keys } from '../definition/keys.ts';
import { events } from '../contexts/events.ts';
import { changedAt, findToRead, notifyReplaced } from '../elements/lookup.ts';
import { newList } from '../list/lookup.ts';
import { orderOf } from '../elements/order.ts';
import { PatternReader } from './patterns.ts';
import { keyFor, readsOtherKeys, readSort, theElement, type SortRequest } from './request.ts';
import { Texts } from '../elements/texts.ts';

const notNumbers = new CommandError("ERR One or more scores can't be converted into double");
const NO_LIMITS = { entries: Infinity, valueBytes: Infinity, intsetEntries: Infinity };
/** Nothing is written, so that nothing grows. */
const NO_LIST_LIMITS = { size: 0, compressDepth: 0, plainBytes: 0 };

const otherKeys: KeySpec = {
  begin: 'unknown',
  find: 'unknown',
  access: 'RO',
  use: ['access'],
  notes: 'Keys named by BY and GET, which depend on the elements.',
};
const targetKey: KeySpec = {
  begin: 'unknown',
  find: 'unknown',
  access: 'OW',
  use: ['update'],
  notes: 'The target of STORE, which may stand anywhere among the options.',
};

/** Number of arguments of each option, which are skipped; what follows STORE is looked for. */
const SKIPPED: Readonly<Record<string, number>> = { LIMIT: 2, GET: 1, BY: 1 };

function findSortKeys(args: ArgumentSource, specs: readonly KeySpec[]): readonly FoundKey[] {
  const found: FoundKey[] = [{ index: 1, spec: specs[0]! }];
  const target = specs.indexOf(targetKey);
  for (let index = 2; index < args.count; index += 1) {
    const option = Object.keys(SKIPPED).find((word) => args.spellsAt(index, word));
    if (option !== undefined) index += SKIPPED[option]!;
    else if (target >= 0 && args.spellsAt(index, 'STORE') && index + 1 < args.count) {
      index += 1;
      // The last one counts.
      found[1] = { index, spec: targetKey };
    }
  }
  return found;
}

const source = keySpec(1, 'RO', 'access');
const keys: Keys = { specs: [source, otherKeys, targetKey], find: findSortKeys };
const readOnlyKeys: Keys = { specs: [source, otherKeys], find: findSortKeys };

const optionDocs: readonly ArgumentDoc[] = [
  { name: 'key', type: 'key' },
  {
    name: 'by-pattern',
    type: 'pattern',
    shown: 'pattern',
    token: 'BY',
    optional: true,
    keySpec: 1,
  },
  {
    name: 'limit',
    type: 'block',
    token: 'LIMIT',
    optional: true,
    arguments: [
      { name: 'offset', type: 'integer' },
      { name: 'count', type: 'integer' },
    ],
  },
  {
    name: 'get-pattern',
    type: 'pattern',
    shown: 'pattern',
    token: 'GET',
    optional: true,
    multiple: true,
    multipleToken: true,
    keySpec: 1,
  },
  {
    name: 'order',
    type: 'oneof',
    optional: true,
    arguments: [
      { name: 'asc', type: 'pure-token', token: 'ASC' },
      { name: 'desc', type: 'pure-token', token: 'DESC' },
    ],
  },
  { name: 'sorting', type: 'pure-token', token: 'ALPHA', optional: true },
];

const head = {
  complexity: 'O(N+M*log(M)) for N elements of which M are returned; O(N) if nothing is sorted.',
  group: 'generic',
  arity: -2,
  acl: { add: ['set', 'sortedset', 'list', 'dangerous'], drop: ['keyspace'] },
} as const satisfies Partial<CommandHead>;

const otherKeysOf = (mayStore: boolean): NonNullable<OneShardCommand['otherKeys']> => ({
  areNamed: (args) => {
    try {
      return readsOtherKeys(readSort(args, mayStore));
    } catch {
      // Invalid arguments are reported by the handler.
      return false;
    }
  },
  of: (context, args) => keysNamed(context, args, readFor(context, args, mayStore)),
});

function readFor(context: ShardContext, args: Arguments, mayStore: boolean): SortRequest {
  return readSort(args, mayStore, () => context.mayReadEveryKey(args));
}

const sort = oneShard({
  ...head,
  name: 'SORT',
  summary: 'Returns or stores the sorted elements of a list, set or sorted set.',
  since: '1.0.0',
  flags: ['write', 'denyoom'],
  keys,
  args: [
    ...optionDocs,
    { name: 'destination', type: 'key', token: 'STORE', optional: true, keySpec: 2 },
  ],
  otherKeys: otherKeysOf(true),
  run(context, args) {
    answerSorted(context, args, readFor(context, args, true));
  },
});

const sortRo = oneShard({
  ...head,
  name: 'SORT_RO',
  summary: 'Returns the sorted elements of a list, set or sorted set.',
  since: '7.0.0',
  flags: ['readonly'],
  keys: readOnlyKeys,
  args: optionDocs,
  otherKeys: otherKeysOf(false),
  run(context, args) {
    answerSorted(context, args, readFor(context, args, false));
  },
});

export const sortCommands = [sort, sortRo];

function answerSorted(context: ShardContext, args: Arguments, request: SortRequest): void {
  const { elements, type } = elementsAt(context, findToRead(context, args, 1));
  const isStored = request.storeIndex > 0;
  // Stored or in a script, the elements of a set need an order that is always the same.
  const isForced = request.isUnsorted && type === ValueType.set && (isStored || context.isCalled);
  const isSorted = !request.isUnsorted || isForced;
  const { count } = elements;
  const first = Math.min(Math.max(request.offset, 0), count);
  const end = request.count < 0 ? count : Math.min(first + request.count, count);
  let chosen: Uint32Array;
  if (isSorted) {
    const by = isForced ? undefined : request.by;
    const isAlpha = request.isAlpha || isForced;
    chosen = sorted(context, elements, { ...request, by, isAlpha }, first, end);
  } else {
    const isReversed = request.isDescending && type !== ValueType.set;
    chosen = Uint32Array.from({ length: end - first }, (_, nth) =>
      isReversed ? count - 1 - first - nth : first + nth,
    );
  }
  const values = request.gets.length === 0 ? [theElement] : request.gets;
  const readers = values.map((pattern) => new PatternReader(context, pattern));
  if (isStored) store(context, args, request.storeIndex, outputOf(elements, chosen, readers));
  else reply(context, elements, chosen, readers);
}

/** Copies of the elements; a key that is not there has none. */
function elementsAt({ keyspace }: ShardContext, ref: Ref): { elements: Texts; type: number } {
  const elements = new Texts();
  if (ref === 0) return { elements, type: ValueType.none };
  const type = keyspace.type(ref);
  if (type === ValueType.list) {
    const list = new ListValue().open(keyspace, ref, NO_LIST_LIMITS);
    if (list.seek(0)) {
      list.each(list.count, (bytes, at, length) => elements.push(bytes, at, length));
    }
  } else if (type === ValueType.set) {
    const set = new SetValue().open(keyspace, ref, NO_LIMITS);
    for (let more = set.first(); more; more = set.next()) {
      set.read();
      elements.push(set.bytes, set.at, set.length);
    }
  } else if (type === ValueType.zset) {
    const set = new SortedSetValue().open(keyspace, ref, NO_LIMITS);
    for (let more = set.seek(0); more; more = set.next()) {
      set.read();
      elements.push(set.bytes, set.at, set.length);
    }
  } else {
    throw errors.wrongType;
  }
  return { elements, type };
}

/** Returns the numbers of the elements at the places from `first` up to `end`. */
function sorted(
  context: ShardContext,
  elements: Texts,
  { by, isAlpha, isDescending }: Pick<SortRequest, 'by' | 'isAlpha' | 'isDescending'>,
  first: number,
  end: number,
): Uint32Array {
  const reader = by === undefined ? undefined : new PatternReader(context, by);
  if (!isAlpha) {
    const compareEqual = (one: number, other: number): number => elements.compare(one, other);
    const ranks = scoresOf(elements, reader);
    return orderOf({ ranks, isDescending, compareEqual }, first, end);
  }
  const texts = reader === undefined ? elements : textsOf(elements, reader);
  const common = texts.commonLength();
  const compareEqual = (one: number, other: number): number =>
    texts.isMissing(one) ? 0 : texts.compare(one, other, common);
  return orderOf({ ranks: headsOf(texts, common), isDescending, compareEqual }, first, end);
}

/** Returns the numbers that elements are sorted by. */
function scoresOf(elements: Texts, reader: PatternReader | undefined): Float64Array {
  const scores = new Float64Array(elements.count);
  for (let nth = 0; nth < scores.length; nth += 1) {
    if (reader === undefined) {
      scores[nth] = scoreOf(elements.bytes, elements.at(nth), elements.length(nth));
    } else if (reader.find(elements, nth)) {
      scores[nth] = scoreOf(reader.bytes, reader.at, reader.length);
    }
  }
  return scores;
}

function textsOf(elements: Texts, reader: PatternReader): Texts {
  const texts = new Texts();
  for (let nth = 0; nth < elements.count; nth += 1) {
    if (reader.find(elements, nth)) texts.push(reader.bytes, reader.at, reader.length);
    else texts.pushMissing();
  }
  return texts;
}

/** As many bytes as a double holds exactly. */
const HEAD_BYTES = 6;

/** Returns the first bytes of each text, after those that are common to all, as a number; what is missing comes first. */
function headsOf(texts: Texts, common: number): Float64Array {
  const { bytes, count } = texts;
  const heads = new Float64Array(count);
  for (let nth = 0; nth < count; nth += 1) {
    const at = texts.at(nth) + common;
    const length = texts.length(nth) - common;
    let head = 0;
    for (let byte = 0; byte < HEAD_BYTES; byte += 1) {
      head = head * 256 + (byte < length ? bytes[at + byte]! : 0);
    }
    heads[nth] = texts.isMissing(nth) ? -1 : head;
  }
  return heads;
}

const MINUS = 0x2d;
const ZERO = 0x30;
/** Decimal digits that a double holds exactly. */
const EXACT_DIGITS = 15;

/** Reads a number as C does: up to a zero byte, with blanks before it, and nothing is zero. */
function scoreOf(bytes: Bytes, at: number, length: number): number {
  const isNegative = length > 1 && bytes[at] === MINUS;
  const digits = isNegative ? length - 1 : length;
  let score = 0;
  for (let nth = at + length - digits; nth < at + length; nth += 1) {
    const digit = bytes[nth]! - ZERO;
    if (digit < 0 || digit > 9 || digits > EXACT_DIGITS) {
      return unusualScoreOf(bytes.slice(at, at + length));
    }
    score = score * 10 + digit;
  }
  return isNegative ? -score : score;
}

function unusualScoreOf(text: Bytes): number {
  const zero = text.indexOf(0);
  const digits = latin1(text, 0, zero < 0 ? text.length : zero).replace(
    /^[ \t\n\v\f\r]+(?=.)/s,
    '',
  );
  if (digits === '') return 0;
  const score = parseDoubleInRange(digits);
  if (Number.isNaN(score)) throw notNumbers;
  return score;
}

function outputOf(elements: Texts, chosen: Uint32Array, readers: readonly PatternReader[]): Texts {
  const output = new Texts();
  for (const nth of chosen) {
    for (const reader of readers) {
      if (reader.find(elements, nth)) output.push(reader.bytes, reader.at, reader.length);
      else output.pushMissing();
    }
  }
  return output;
}

function reply(
  context: ShardContext,
  elements: Texts,
  chosen: Uint32Array,
  readers: readonly PatternReader[],
): void {
  context.reply.arrayHeader(chosen.length * readers.length);
  for (const nth of chosen) {
    for (const reader of readers) {
      if (reader.find(elements, nth)) context.reply.bulk(reader.bytes, reader.at, reader.length);
      else context.reply.nil();
    }
  }
}

/** Stores the output as a list, or removes the target when there is none. */
function store(context: ShardContext, args: Arguments, index: number, output: Texts): void {
  const { keyspace } = context;
  const { count } = output;
  const fate = count > 0 ? KeyFate.overwritten : KeyFate.deleted;
  const old = keyspace.peek(args.source, args.at(index), args.length(index));
  const before = old === 0 ? undefined : keyspace.type(old);
  const isRemoved = keyspace.remove(args.source, args.at(index), args.length(index), fate);
  if (count > 0) {
    const list = newList(context, args, index);
    const pieces = {
      source: output.bytes,
      at: (nth: number) => output.at(nth),
      length: (nth: number) => output.length(nth),
    };
    list.push(pieces, 0, count, false);
    if (before !== undefined) {
      notifyReplaced(context, args, index, { before, after: ValueType.list });
    }
    changedAt(context, args, index, events.sortstore, count);
  } else if (isRemoved) {
    changedAt(context, args, index, events.del);
  }
  context.reply.integer(count);
}

/** The keys that the patterns name, each once. Nothing is counted: the command itself is yet to be run. */
function keysNamed(context: ShardContext, args: Arguments, request: SortRequest): Bytes[] {
  const { by, gets, isUnsorted } = request;
  const patterns = [...gets, ...(by === undefined || isUnsorted ? [] : [by])];
  const named = new Map<string, Bytes>();
  const ref = context.keyspace.peek(args.source, args.at(1), args.length(1));
  const { elements } = elementsAt(context, ref);
  for (let nth = 0; nth < elements.count; nth += 1) {
    const at = elements.at(nth);
    const element = elements.bytes.subarray(at, at + elements.length(nth));
    for (const pattern of patterns) {
      if (pattern.around === undefined) continue;
      const key = keyFor(pattern, element);
      named.set(latin1(key), key);
    }
  }
  return [...named.values()];
}
