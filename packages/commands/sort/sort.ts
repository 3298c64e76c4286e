/** SORT and SORT_RO: the elements of a list, set or sorted set, in the order of themselves or of other keys. */

import {
  CommandError,
  errors,
  KeyFate,
  latin1,
  parseDoubleInRange,
  reused,
  type Bytes,
} from '#base';
import { HashValue, ValueType, type Ref } from '#store';
import type { Arguments, ArgumentSource } from '../arguments.ts';
import type { ShardContext } from '../contexts.ts';
import {
  oneShard,
  type ArgumentDoc,
  type CommandHead,
  type OneShardCommand,
} from '../definition.ts';
import { keySpec, type FoundKey, type KeySpec, type Keys } from '../keys.ts';
import { events } from '../events.ts';
import { changedAt, findToRead } from '../keyspace/lookup.ts';
import { newList } from '../list/lookup.ts';
import { eachElement } from '../server/debug/elements.ts';
import { keyFor, readsOtherKeys, readSort, type Pattern, type SortRequest } from './request.ts';

const notNumbers = new CommandError("ERR One or more scores can't be converted into double");
const NO_LIMITS = { entries: Infinity, valueBytes: Infinity, intsetEntries: Infinity };
const hashScratch = reused(new HashValue());

const otherKeys: KeySpec = {
  begin: 'unknown',
  find: 'unknown',
  access: 'RO',
  use: ['access'],
  notes: 'Keys that BY and GET name: only the elements tell which.',
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
  complexity: 'O(N+M*log(M)) for N elements of which M are answered; O(N) where nothing is sorted.',
  group: 'generic',
  arity: -2,
  acl: { add: ['set', 'sortedset', 'list', 'dangerous'], drop: ['keyspace'] },
} as const satisfies Partial<CommandHead>;

const otherKeysOf = (mayStore: boolean): NonNullable<OneShardCommand['otherKeys']> => ({
  areNamed: (args) => {
    try {
      return readsOtherKeys(readSort(args, mayStore));
    } catch {
      // What is wrong with the arguments is the handler's to say.
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
  summary: 'Answers the elements of a list, set or sorted set in order, or stores them.',
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
  summary: 'Answers the elements of a list, set or sorted set in order.',
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

/** An element and what it is sorted by. */
interface Candidate {
  readonly element: Bytes;
  score: number;
  text: Bytes | undefined;
}

function answerSorted(context: ShardContext, args: Arguments, request: SortRequest): void {
  const { elements, type } = elementsOf(context, args);
  const isStored = request.storeIndex > 0;
  // Stored or in a script, the elements of a set need an order that is always the same.
  const isForced = request.isUnsorted && type === ValueType.set && (isStored || context.isCalled);
  const isSorted = !request.isUnsorted || isForced;
  const by = isForced ? undefined : request.by;
  const isAlpha = request.isAlpha || isForced;
  let chosen = elements;
  if (isSorted) chosen = sorted(context, elements, { ...request, by, isAlpha });
  else if (request.isDescending && type !== ValueType.set) chosen = elements.reverse();
  const first = Math.max(request.offset, 0);
  const end = request.count < 0 ? chosen.length : first + request.count;
  const output = outputOf(context, chosen.slice(first, end), request.gets);
  if (isStored) store(context, args, request.storeIndex, output);
  else reply(context, output);
}

/** Copies of the elements; a key that is not there has none. */
function elementsOf(context: ShardContext, args: Arguments): { elements: Bytes[]; type: number } {
  return elementsAt(context, findToRead(context, args, 1));
}

function elementsAt({ keyspace }: ShardContext, ref: Ref): { elements: Bytes[]; type: number } {
  if (ref === 0) return { elements: [], type: ValueType.none };
  const type = keyspace.type(ref);
  const elements: Bytes[] = [];
  if (type !== ValueType.list && type !== ValueType.set && type !== ValueType.zset) {
    throw errors.wrongType;
  }
  // A list's pieces are index and element, a sorted set's member and score.
  const piece = type === ValueType.list ? 1 : 0;
  eachElement(keyspace, ref, (pieces) => elements.push(pieces[piece]!));
  return { elements, type };
}

function sorted(
  context: ShardContext,
  elements: readonly Bytes[],
  { by, isAlpha, isDescending }: Pick<SortRequest, 'by' | 'isAlpha' | 'isDescending'>,
): Bytes[] {
  const candidates = elements.map((element): Candidate => {
    const text = by === undefined ? element : valueFor(context, by, element);
    const score = isAlpha || text === undefined ? 0 : scoreOf(text);
    return { element, score, text };
  });
  const compare = isAlpha ? compareTexts : compareScores;
  const sign = isDescending ? -1 : 1;
  candidates.sort((a, b) => sign * compare(a, b));
  return candidates.map(({ element }) => element);
}

/** As C reads a number: up to a zero byte, with blanks before it, and nothing is zero. */
function scoreOf(text: Bytes): number {
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

/** Equal scores are told apart by their elements. */
function compareScores(a: Candidate, b: Candidate): number {
  if (a.score !== b.score) return a.score < b.score ? -1 : 1;
  return Buffer.compare(a.element, b.element);
}

/** Compares two texts; an element with nothing to be sorted by comes first. */
function compareTexts(a: Candidate, b: Candidate): number {
  if (a.text === undefined || b.text === undefined) {
    return Number(a.text !== undefined) - Number(b.text !== undefined);
  }
  return Buffer.compare(a.text, b.text);
}

function outputOf(
  context: ShardContext,
  elements: readonly Bytes[],
  gets: readonly Pattern[],
): (Bytes | undefined)[] {
  if (gets.length === 0) return [...elements];
  return elements.flatMap((element) => gets.map((get) => valueFor(context, get, element)));
}

/** Returns what a pattern stands for, copied; undefined where there is nothing. */
function valueFor(context: ShardContext, pattern: Pattern, element: Bytes): Bytes | undefined {
  if (pattern.isElement) return element;
  if (pattern.around === undefined) return undefined;
  const key = keyFor(pattern, element);
  const ref = context.keyspace.find(key, 0, key.length);
  if (context.tellsLookUps) context.lookedUp(key, 0, key.length, ref !== 0);
  if (ref === 0) {
    context.miss();
    return undefined;
  }
  context.hit();
  return pattern.field === undefined
    ? stringAt(context, ref)
    : fieldAt(context, ref, pattern.field);
}

function stringAt({ keyspace }: ShardContext, ref: Ref): Bytes | undefined {
  if (keyspace.type(ref) !== ValueType.string) return undefined;
  const { bytes, at, length } = keyspace.value(ref);
  return bytes.slice(at, at + length);
}

function fieldAt({ keyspace, nowMs }: ShardContext, ref: Ref, field: Bytes): Bytes | undefined {
  if (keyspace.type(ref) !== ValueType.hash) return undefined;
  hashScratch.open(keyspace, ref, NO_LIMITS);
  if (!hashScratch.find(field, 0, field.length)) return undefined;
  if (hashScratch.mayExpire && hashScratch.hasEnded(nowMs)) return undefined;
  hashScratch.readValue();
  return hashScratch.bytes.slice(hashScratch.at, hashScratch.at + hashScratch.length);
}

function reply(context: ShardContext, output: readonly (Bytes | undefined)[]): void {
  context.reply.arrayHeader(output.length);
  for (const value of output) {
    if (value === undefined) context.reply.nil();
    else context.reply.bulk(value);
  }
}

/** Stores the output as a list, or removes the target when there is none. */
function store(
  context: ShardContext,
  args: Arguments,
  index: number,
  output: readonly (Bytes | undefined)[],
): void {
  const { keyspace } = context;
  const fate = output.length > 0 ? KeyFate.overwritten : KeyFate.deleted;
  const isRemoved = keyspace.remove(args.source, args.at(index), args.length(index), fate);
  if (output.length > 0) {
    const whole = Buffer.concat(output.map((value) => value ?? new Uint8Array(0)));
    const ends: number[] = [];
    for (const value of output) ends.push((ends.at(-1) ?? 0) + (value?.length ?? 0));
    const list = newList(context, args, index);
    const pieces = {
      source: whole,
      at: (nth: number) => ends[nth - 1] ?? 0,
      length: (nth: number) => ends[nth]! - (ends[nth - 1] ?? 0),
    };
    list.push(pieces, 0, output.length, false);
    changedAt(context, args, index, events.sortstore, output.length);
  } else if (isRemoved) {
    changedAt(context, args, index, events.del);
  }
  context.reply.integer(output.length);
}

/** The keys that the patterns name, each once. Nothing is counted: the command itself is yet to be run. */
function keysNamed(context: ShardContext, args: Arguments, request: SortRequest): Bytes[] {
  const { by, gets, isUnsorted } = request;
  const patterns = [...gets, ...(by === undefined || isUnsorted ? [] : [by])];
  const named = new Map<string, Bytes>();
  const ref = context.keyspace.peek(args.source, args.at(1), args.length(1));
  for (const element of elementsAt(context, ref).elements) {
    for (const pattern of patterns) {
      if (pattern.around === undefined) continue;
      const key = keyFor(pattern, element);
      named.set(latin1(key), key);
    }
  }
  return [...named.values()];
}
