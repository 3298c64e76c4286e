/** GEOSEARCH, GEORADIUS and their forms: the members in a shape. */

import type { Bytes } from '#base';
import { RankedTable, type SortedSetValue } from '#store';
import type { Arguments, ArgumentSource } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard, type ArgumentDoc, type CommandHead } from '../definition/definition.ts';
import {
  allOf,
  keySpec,
  oneKey,
  type FoundKey,
  type Keys,
  type KeySpec,
} from '../definition/keys.ts';
import { events } from '../contexts/events.ts';
import { sortedSetToRead, storeMembers } from '../sorted-set/lookup.ts';
import { placeOf, readPlace, scoresIn, type Cell, type Place } from './cell.ts';
import { DISTANCE_BYTES_MAX, exactDistanceM, writeDistance } from './distance.ts';
import { FoundPlaces } from './found-places.ts';
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
      {
        name: 'polygon',
        type: 'block',
        since: '9.0.0',
        arguments: [
          { name: 'num-vertices', type: 'integer', token: 'BYPOLYGON' },
          {
            name: 'vertices',
            type: 'block',
            multiple: true,
            arguments: [
              { name: 'longitude', type: 'double' },
              { name: 'latitude', type: 'double' },
            ],
          },
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

const searchHistory = [
  ['7.0.0', 'Units are case-insensitive.'],
  ['9.0.0', 'Added BYPOLYGON.'],
] as const;

const geosearch = oneShard({
  ...searchHead,
  name: 'GEOSEARCH',
  summary: 'Returns the members inside a circle, a box or a polygon.',
  since: '6.2.0',
  arity: -7,
  flags: ['readonly'],
  keys: oneKey('RO', 'access'),
  args: [{ name: 'key', type: 'key' }, ...shapeDocs, orderDoc, countDoc, ...showDocs],
  history: searchHistory,
  run(context, args) {
    search(context, args, { from: 'options', keyIndex: 1, stores: 'never' });
  },
});

const geosearchstore = oneShard({
  ...searchHead,
  name: 'GEOSEARCHSTORE',
  summary: 'Stores the members inside a circle, a box or a polygon under another key.',
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
  history: searchHistory,
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
  ['6.2.0', 'Added ANY for COUNT.'],
  ['7.0.0', 'Units are case-insensitive.'],
] as const;

const georadius = oneShard({
  ...searchHead,
  name: 'GEORADIUS',
  summary: 'Returns or stores the members within a distance of a position.',
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
  summary: 'Returns the members within a distance of a position.',
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
  summary: 'Returns or stores the members within a distance of another member.',
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
  summary: 'Returns the members within a distance of another member.',
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

function search(context: ShardContext, args: Arguments, form: SearchForm): void {
  const set = sortedSetToRead(context, args, form.keyIndex);
  const options = readSearch(args, form, set);
  const found = new FoundPlaces();
  if (set !== undefined) findMembers(set, options, found);
  const wanted = chosen(found, options);
  if (options.storeIndex > 0) store(context, args, form, options, found, wanted);
  else reply(context, options, found, wanted);
}

function findMembers(
  set: SortedSetValue,
  { shape, any, count }: SearchOptions,
  found: FoundPlaces,
): void {
  const most = any ? count : Infinity;
  let previous: Cell | undefined;
  for (const [nth, cell] of cellsFor(shape).entries()) {
    // In a search around the globe neighbours can be one and the same.
    if (previous !== undefined && isSame(previous, cell)) continue;
    if (found.count >= most) break;
    collect(set, cell, shape, found, most);
    // The cell in the middle is never compared with, as in Redis.
    if (nth > 0) previous = cell;
  }
}

function isSame(one: Cell, other: Cell): boolean {
  return one.column === other.column && one.row === other.row;
}

function collect(
  set: SortedSetValue,
  cell: Cell,
  shape: Shape,
  found: FoundPlaces,
  most: number,
): void {
  const { least, end } = scoresIn(cell);
  const place: Place = { longitude: 0, latitude: 0 };
  for (let more = set.seek(set.countBelow(least, false)); more; more = set.next()) {
    const { score } = set;
    if (score >= end) return;
    readPlace(score, place);
    const distance = distanceInside(shape, place);
    if (distance >= 0) {
      set.read();
      found.add(set.bytes, set.at, set.length, score, distance);
    }
    if (found.count >= most) return;
  }
}

/** Returns the numbers of those that are wanted: the nearest first, when only some are and no order was asked for. */
function chosen(found: FoundPlaces, { sort: order, count, any }: SearchOptions): Uint32Array {
  const most = count === 0 ? found.count : Math.min(count, found.count);
  const isForced = count > 0 && order === 'none' && !any;
  if (order !== 'none' || isForced) return found.nearest(most, order === 'desc');
  return Uint32Array.from({ length: most }, (_, nth) => nth);
}

function store(
  context: ShardContext,
  args: Arguments,
  form: SearchForm,
  options: SearchOptions,
  found: FoundPlaces,
  wanted: Uint32Array,
): void {
  const { shape, storesDistance, storeIndex } = options;
  const stored = new RankedTable(context.keyspace.createTable(true));
  const { members } = found;
  for (const nth of wanted) {
    const score = found.score(nth);
    const kept = storesDistance
      ? exactDistanceM(shape.center, placeOf(score)) / shape.unitM
      : score;
    stored.add(members.bytes, members.at(nth), members.length(nth), kept);
  }
  const isSearch = form.from === 'options';
  const event = isSearch ? events.geosearchstore : events.georadiusstore;
  storeMembers(context, args, storeIndex, stored, event, stored.count);
}

const distanceScratch: Bytes = new Uint8Array(DISTANCE_BYTES_MAX);

function reply(
  context: ShardContext,
  options: SearchOptions,
  found: FoundPlaces,
  wanted: Uint32Array,
): void {
  const { shape, withDistance, withHash, withPlace } = options;
  const { members } = found;
  const parts = Number(withDistance) + Number(withHash) + Number(withPlace);
  const to = context.reply;
  to.arrayHeader(wanted.length);
  for (const nth of wanted) {
    const score = found.score(nth);
    if (parts > 0) to.arrayHeader(parts + 1);
    to.bulk(members.bytes, members.at(nth), members.length(nth));
    if (withDistance) {
      const distance = shownDistance(shape, score, found.distance(nth));
      to.bulk(distanceScratch, 0, writeDistance(distance, distanceScratch));
    }
    if (withHash) to.integer(score);
    if (withPlace) writePlace(to, placeOf(score));
  }
}

/** Beyond this part of a shown decimal the quick distance cannot have another text. */
const DOUBT = 1e-4;

/** Returns the distance in the unit that is shown. */
function shownDistance({ center, unitM }: Shape, score: number, distance: number): number {
  const scaled = (distance / unitM) * 10_000;
  const isDoubtful = Math.abs(scaled - Math.floor(scaled) - 0.5) < DOUBT;
  return (isDoubtful ? exactDistanceM(center, placeOf(score)) : distance) / unitM;
}
