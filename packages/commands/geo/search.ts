/** GEOSEARCH, GEORADIUS and their forms: the members in a shape. */

import type { Bytes } from '#base';
import { RankedTable, type SortedSetValue } from '#store';
import type { Arguments, ArgumentSource } from '../arguments.ts';
import type { ShardContext } from '../contexts.ts';
import { oneShard, type ArgumentDoc, type CommandHead } from '../definition.ts';
import { allOf, keySpec, oneKey, type FoundKey, type Keys, type KeySpec } from '../keys.ts';
import { events } from '../events.ts';
import { sortedSetToRead, storeMembers } from '../sorted-set/lookup.ts';
import { placeOf, scoresIn, type Cell, type Place } from './cell.ts';
import { exactDistanceM, formatDistance } from './distance.ts';
import { unitDoc, writePlace } from './places.ts';
import { cellsFor, distanceInside, type Shape } from './search-area.ts';
import { readSearch, type SearchForm, type SearchOptions } from './search-options.ts';

const token = (name: string): ArgumentDoc => ({
  name,
  type: 'pure-token',
  token: name.toUpperCase(),
  optional: true,
});

const showDocs: readonly ArgumentDoc[] = [token('withcoord'), token('withdist'), token('withhash')];

const countDoc: ArgumentDoc = {
  name: 'count-block',
  type: 'block',
  optional: true,
  arguments: [{ name: 'count', type: 'integer', token: 'COUNT' }, token('any')],
};
/** GEORADIUS had COUNT before ANY. */
const olderCountDoc: ArgumentDoc = {
  ...countDoc,
  arguments: [
    { name: 'count', type: 'integer', token: 'COUNT' },
    { ...token('any'), since: '6.2.0' },
  ],
};

const orderDoc: ArgumentDoc = {
  name: 'order',
  type: 'oneof',
  optional: true,
  arguments: [
    { name: 'asc', type: 'pure-token', token: 'ASC' },
    { name: 'desc', type: 'pure-token', token: 'DESC' },
  ],
};

const shapeDocs: readonly ArgumentDoc[] = [
  {
    name: 'from',
    type: 'oneof',
    arguments: [
      { name: 'member', type: 'string', token: 'FROMMEMBER' },
      {
        name: 'fromlonlat',
        type: 'block',
        token: 'FROMLONLAT',
        arguments: [
          { name: 'longitude', type: 'double' },
          { name: 'latitude', type: 'double' },
        ],
      },
    ],
  },
  {
    name: 'by',
    type: 'oneof',
    arguments: [
      {
        name: 'circle',
        type: 'block',
        arguments: [{ name: 'radius', type: 'double', token: 'BYRADIUS' }, unitDoc],
      },
      {
        name: 'box',
        type: 'block',
        arguments: [
          { name: 'width', type: 'double', token: 'BYBOX' },
          { name: 'height', type: 'double' },
          unitDoc,
        ],
      },
    ],
  },
];

const searchHead = {
  complexity:
    'O(N+log(M)) for N members in the cells around the shape out of M, more for those that are sorted.',
  group: 'geo',
} as const satisfies Partial<CommandHead>;

const geosearch = oneShard({
  ...searchHead,
  name: 'GEOSEARCH',
  summary: 'Answers the members inside a circle or a box.',
  since: '6.2.0',
  arity: -7,
  flags: ['readonly'],
  keys: oneKey('RO', 'access'),
  args: [{ name: 'key', type: 'key' }, ...shapeDocs, orderDoc, countDoc, ...showDocs],
  history: [['7.0.0', 'Units can be in upper case.']],
  run(context, args) {
    search(context, args, { from: 'options', keyIndex: 1, stores: 'never' });
  },
});

const geosearchstore = oneShard({
  ...searchHead,
  name: 'GEOSEARCHSTORE',
  summary: 'Stores the members inside a circle or a box under another key.',
  since: '6.2.0',
  arity: -8,
  flags: ['write', 'denyoom'],
  keys: allOf(keySpec(1, 'OW', 'update'), keySpec(2, 'RO', 'access')),
  args: [
    { name: 'destination', type: 'key' },
    { name: 'source', type: 'key' },
    ...shapeDocs,
    orderDoc,
    countDoc,
    token('storedist'),
  ],
  history: [['7.0.0', 'Units can be in upper case.']],
  run(context, args) {
    search(context, args, { from: 'options', keyIndex: 2, stores: 'always' });
  },
});

const circleDocs: readonly ArgumentDoc[] = [
  { name: 'radius', type: 'double' },
  unitDoc,
  ...showDocs,
];
const placeDocs: readonly ArgumentDoc[] = [
  { name: 'key', type: 'key' },
  { name: 'longitude', type: 'double' },
  { name: 'latitude', type: 'double' },
  ...circleDocs,
  olderCountDoc,
  orderDoc,
];
const memberDocs: readonly ArgumentDoc[] = [
  { name: 'key', type: 'key' },
  { name: 'member', type: 'string' },
  ...circleDocs,
  countDoc,
  orderDoc,
];
const storeDoc: ArgumentDoc = {
  name: 'store',
  type: 'oneof',
  optional: true,
  arguments: [
    { name: 'storekey', type: 'key', shown: 'key', token: 'STORE', keySpec: 1 },
    { name: 'storedistkey', type: 'key', shown: 'key', token: 'STOREDIST', keySpec: 2 },
  ],
};

const radiusHistory = [
  ['6.2.0', 'ANY came, beside COUNT.'],
  ['7.0.0', 'Units can be in upper case.'],
] as const;

const georadius = oneShard({
  ...searchHead,
  name: 'GEORADIUS',
  summary: 'Answers or stores the members within a distance of a place.',
  since: '3.2.0',
  arity: -6,
  flags: ['write', 'denyoom'],
  keys: storingKeys(6),
  args: [...placeDocs, storeDoc],
  deprecated: {
    since: '6.2.0',
    replacedBy: '`GEOSEARCH` and `GEOSEARCHSTORE` with `BYRADIUS`',
  },
  history: radiusHistory,
  run(context, args) {
    search(context, args, { from: 'place', keyIndex: 1, stores: 'option' });
  },
});

const georadiusRo = oneShard({
  ...searchHead,
  name: 'GEORADIUS_RO',
  summary: 'Answers the members within a distance of a place.',
  since: '3.2.10',
  arity: -6,
  flags: ['readonly'],
  keys: oneKey('RO', 'access'),
  args: placeDocs,
  deprecated: { since: '6.2.0', replacedBy: '`GEOSEARCH` with `BYRADIUS`' },
  history: radiusHistory,
  run(context, args) {
    search(context, args, { from: 'place', keyIndex: 1, stores: 'never' });
  },
});

const georadiusbymember = oneShard({
  ...searchHead,
  name: 'GEORADIUSBYMEMBER',
  summary: 'Answers or stores the members within a distance of one of them.',
  since: '3.2.0',
  arity: -5,
  flags: ['write', 'denyoom'],
  keys: storingKeys(5),
  args: [...memberDocs, storeDoc],
  deprecated: {
    since: '6.2.0',
    replacedBy: '`GEOSEARCH` and `GEOSEARCHSTORE` with `BYRADIUS` and `FROMMEMBER`',
  },
  history: radiusHistory,
  run(context, args) {
    search(context, args, { from: 'member', keyIndex: 1, stores: 'option' });
  },
});

const georadiusbymemberRo = oneShard({
  ...searchHead,
  name: 'GEORADIUSBYMEMBER_RO',
  summary: 'Answers the members within a distance of one of them.',
  since: '3.2.10',
  arity: -5,
  flags: ['readonly'],
  keys: oneKey('RO', 'access'),
  args: memberDocs,
  deprecated: { since: '6.2.0', replacedBy: '`GEOSEARCH` with `BYRADIUS` and `FROMMEMBER`' },
  history: radiusHistory,
  run(context, args) {
    search(context, args, { from: 'member', keyIndex: 1, stores: 'never' });
  },
});

export const geoSearching = [
  geosearch,
  geosearchstore,
  georadius,
  georadiusRo,
  georadiusbymember,
  georadiusbymemberRo,
];

/** The key of GEORADIUS, and the one behind STORE or STOREDIST, of which the last counts. */
function storingKeys(optionsFrom: number): Keys {
  const last = { last: 0, step: 1, limit: 0 };
  const behind = (keyword: string): KeySpec => ({
    begin: { keyword, startFrom: optionsFrom },
    find: last,
    access: 'OW',
    use: ['update'],
  });
  const specs = [keySpec(1, 'RO', 'access'), behind('STORE'), behind('STOREDIST')];
  return { specs, find: (args) => findStoringKeys(args, specs, optionsFrom) };
}

function findStoringKeys(
  args: ArgumentSource,
  specs: readonly KeySpec[],
  optionsFrom: number,
): readonly FoundKey[] {
  const found: FoundKey[] = [{ index: 1, spec: specs[0]! }];
  for (let index = optionsFrom; index < args.count - 1; index += 1) {
    const spec = args.spellsAt(index, 'STORE') ? 1 : args.spellsAt(index, 'STOREDIST') ? 2 : 0;
    if (spec === 0) continue;
    index += 1;
    found[1] = { index, spec: specs[spec]! };
  }
  return found;
}

/** A member that a search found. */
interface Found {
  member: Bytes;
  score: number;
  place: Place;
  distance: number;
}

function search(context: ShardContext, args: Arguments, form: SearchForm): void {
  const { reply } = context;
  const set = sortedSetToRead(context, args, form.keyIndex);
  const options = readSearch(args, form, set);
  const found = set === undefined ? [] : findMembers(set, options);
  sort(found, options);
  const wanted = options.count === 0 ? found : found.slice(0, options.count);
  if (options.storeIndex > 0) {
    store(context, args, form, options, wanted);
    return;
  }
  reply.arrayHeader(wanted.length);
  for (const each of wanted) answer(context, options, each);
}

function findMembers(set: SortedSetValue, { shape, any, count }: SearchOptions): Found[] {
  const found: Found[] = [];
  const most = any ? count : Infinity;
  let previous: Cell | undefined;
  for (const [nth, cell] of cellsFor(shape).entries()) {
    // In a search around the globe neighbours can be one and the same.
    if (previous !== undefined && isSame(previous, cell)) continue;
    if (found.length >= most) break;
    collect(set, cell, shape, found, most);
    // The cell in the middle is never compared with, as in Redis.
    if (nth > 0) previous = cell;
  }
  return found;
}

function isSame(one: Cell, other: Cell): boolean {
  return one.column === other.column && one.row === other.row;
}

function collect(
  set: SortedSetValue,
  cell: Cell,
  shape: Shape,
  found: Found[],
  most: number,
): void {
  const { least, end } = scoresIn(cell);
  for (let more = set.seek(set.countBelow(least, false)); more; more = set.next()) {
    const { score } = set;
    if (score >= end) return;
    const place = placeOf(score);
    const distance = distanceInside(shape, place);
    if (distance >= 0) {
      set.read();
      const member = set.bytes.slice(set.at, set.at + set.length);
      found.push({ member, score, place, distance });
    }
    if (found.length >= most) return;
  }
}

/** The nearest first, when only some are wanted and no order was asked for. */
function sort(found: Found[], { sort: order, count, any }: SearchOptions): void {
  const isForced = count > 0 && order === 'none' && !any;
  if (order === 'asc' || isForced) found.sort((one, other) => one.distance - other.distance);
  else if (order === 'desc') found.sort((one, other) => other.distance - one.distance);
}

function store(
  context: ShardContext,
  args: Arguments,
  form: SearchForm,
  options: SearchOptions,
  found: readonly Found[],
): void {
  const { shape, storesDistance, storeIndex } = options;
  const members = new RankedTable(context.keyspace.createTable(true));
  for (const { member, score, place } of found) {
    const stored = storesDistance ? exactDistanceM(shape.center, place) / shape.unitM : score;
    members.add(member, 0, member.length, stored);
  }
  const isSearch = form.from === 'options';
  const event = isSearch ? events.geosearchstore : events.georadiusstore;
  storeMembers(context, args, storeIndex, members, event, members.count);
}

function answer({ reply }: ShardContext, options: SearchOptions, found: Found): void {
  const { shape, withDistance, withHash, withPlace } = options;
  const parts = Number(withDistance) + Number(withHash) + Number(withPlace);
  if (parts > 0) reply.arrayHeader(parts + 1);
  reply.bulk(found.member);
  if (withDistance) reply.text(shownDistance(shape, found), 'latin1');
  if (withHash) reply.integer(found.score);
  if (withPlace) writePlace(reply, found.place);
}

/** Beyond this part of a shown decimal the quick distance cannot have another text. */
const DOUBT = 1e-4;

function shownDistance(shape: Shape, { place, distance }: Found): string {
  const scaled = (distance / shape.unitM) * 10_000;
  const isDoubtful = Math.abs(scaled - Math.floor(scaled) - 0.5) < DOUBT;
  const shown = isDoubtful ? exactDistanceM(shape.center, place) : distance;
  return formatDistance(shown / shape.unitM);
}
