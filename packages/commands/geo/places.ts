/** GEOADD, and properties of single members: GEODIST, GEOHASH and GEOPOS. */

import { errors } from '#base';
import type { ReplyWriter } from '#resp';
import type { SortedSetValue } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import { oneShard, type ArgumentDoc } from '../definition/definition.ts';
import { oneKey } from '../definition/keys.ts';
import { putMembers, setAddOptions, setScore } from '../sorted-set/add.ts';
import { sortedSetToRead } from '../sorted-set/lookup.ts';
import { geohashOf, placeOf, scoreOf, type Place } from './cell.ts';
import { exactDistanceM, formatDistance } from './distance.ts';
import { placeAt, unitAt } from './place-arguments.ts';

export const unitDoc: ArgumentDoc = {
  name: 'unit',
  type: 'oneof',
  arguments: ['m', 'km', 'ft', 'mi'].map((name) => ({
    name,
    type: 'pure-token',
    token: name.toUpperCase(),
  })),
};

const someMembers: readonly ArgumentDoc[] = [
  { name: 'key', type: 'key' },
  { name: 'member', type: 'string', multiple: true, optional: true },
];

const geoadd = oneShard({
  name: 'GEOADD',
  summary: 'Adds members with longitudes and latitudes to a sorted set.',
  since: '3.2.0',
  complexity: 'O(log(N)) for each member, N being how many there are.',
  group: 'geo',
  arity: -5,
  flags: ['write', 'denyoom'],
  keys: oneKey('RW', 'update'),
  field: 4,
  args: [
    { name: 'key', type: 'key' },
    {
      name: 'condition',
      type: 'oneof',
      since: '6.2.0',
      optional: true,
      arguments: [
        { name: 'nx', type: 'pure-token', token: 'NX' },
        { name: 'xx', type: 'pure-token', token: 'XX' },
      ],
    },
    { name: 'change', type: 'pure-token', token: 'CH', since: '6.2.0', optional: true },
    {
      name: 'data',
      type: 'block',
      multiple: true,
      arguments: [
        { name: 'longitude', type: 'double' },
        { name: 'latitude', type: 'double' },
        { name: 'member', type: 'string' },
      ],
    },
  ],
  history: [['6.2.0', 'Added CH, NX and XX.']],
  run(context, args) {
    const first = readAddOptions(args);
    const members = (args.count - first) / 3;
    for (let nth = 0; nth < members; nth += 1) {
      setScore(nth, scoreOf(placeAt(args, first + 3 * nth)));
    }
    putMembers(context, args, first + 2, 3, members);
  },
});

const geodist = oneShard({
  name: 'GEODIST',
  summary: 'Returns the distance of two members.',
  since: '3.2.0',
  complexity: 'O(1)',
  group: 'geo',
  arity: -4,
  flags: ['readonly'],
  keys: oneKey('RO', 'access'),
  args: [
    { name: 'key', type: 'key' },
    { name: 'member1', type: 'string' },
    { name: 'member2', type: 'string' },
    { ...unitDoc, optional: true },
  ],
  run(context, args) {
    if (args.count > 5) throw errors.syntax;
    const unit = args.count > 4 ? unitAt(args, 4) : 1;
    const set = sortedSetToRead(context, args);
    const from = set === undefined ? undefined : memberPlace(set, args, 2);
    const to = set === undefined ? undefined : memberPlace(set, args, 3);
    if (from === undefined || to === undefined) context.reply.nil();
    else context.reply.text(formatDistance(exactDistanceM(from, to) / unit), 'latin1');
  },
});

const geohash = oneShard({
  name: 'GEOHASH',
  summary: 'Returns the positions of members as geohashes of eleven characters.',
  since: '3.2.0',
  complexity: 'O(N) for N members.',
  group: 'geo',
  arity: -2,
  flags: ['readonly'],
  keys: oneKey('RO', 'access'),
  field: 2,
  args: someMembers,
  run(context, args) {
    const { reply } = context;
    const set = sortedSetToRead(context, args);
    reply.arrayHeader(args.count - 2);
    for (let index = 2; index < args.count; index += 1) {
      if (set?.find(args.source, args.at(index), args.length(index)) !== true) reply.nil();
      else reply.text(geohashOf(set.score), 'latin1');
    }
  },
});

const geopos = oneShard({
  name: 'GEOPOS',
  summary: 'Returns longitude and latitude of members.',
  since: '3.2.0',
  complexity: 'O(N) for N members.',
  group: 'geo',
  arity: -2,
  flags: ['readonly'],
  keys: oneKey('RO', 'access'),
  field: 2,
  args: someMembers,
  run(context, args) {
    const { reply } = context;
    const set = sortedSetToRead(context, args);
    reply.arrayHeader(args.count - 2);
    for (let index = 2; index < args.count; index += 1) {
      const place = set === undefined ? undefined : memberPlace(set, args, index);
      if (place === undefined) reply.nilArray();
      else writePlace(reply, place);
    }
  },
});

export const geoPlaces = [geoadd, geodist, geohash, geopos];

/** Returns the place of the member that argument `index` names; undefined when it is not there. */
export function memberPlace(
  set: SortedSetValue,
  args: Arguments,
  index: number,
): Place | undefined {
  if (!set.find(args.source, args.at(index), args.length(index))) return undefined;
  return placeOf(set.score);
}

const PLACE_DECIMALS = 17;

export function writePlace(reply: ReplyWriter, { longitude, latitude }: Place): void {
  reply.arrayHeader(2);
  reply.doubleText(formatCoordinate(longitude));
  reply.doubleText(formatCoordinate(latitude));
}

/** Seventeen decimals without the zeros at their end. */
function formatCoordinate(value: number): string {
  const text = value.toFixed(PLACE_DECIMALS).replace(/\.?0+$/, '');
  return text === '-0' ? '0' : text;
}

/** Reads the options before the first longitude and returns where that is. */
function readAddOptions(args: Arguments): number {
  let onlyNew = false;
  let onlyOld = false;
  let countsChanges = false;
  args.position = 2;
  for (;;) {
    if (args.takes('NX')) onlyNew = true;
    else if (args.takes('XX')) onlyOld = true;
    else if (args.takes('CH')) countsChanges = true;
    else break;
  }
  if (args.left === 0 || args.left % 3 !== 0 || (onlyNew && onlyOld)) throw errors.syntax;
  setAddOptions(onlyNew, onlyOld, countsChanges);
  return args.position;
}
