/** Places. No two are the same, so that there is one order by distance. */
import type { Draw } from '../draw.ts';
import { step, type Family, type Words } from '../family.ts';
import { forms } from '../forms.ts';

export const geo: Family = {
  name: 'geo',
  settings: [['zset-max-listpack-entries', '128', '6']],
  makers: [
    [
      8,
      (draw) => [
        'GEOADD',
        draw.key(),
        ...draw.options(0.15, ['NX'], ['XX'], ['CH']),
        ...places(draw),
      ],
    ],
    [
      2,
      (draw) => [
        'GEODIST',
        draw.key(),
        draw.member(),
        draw.member(),
        ...draw.maybe(0.5, unit(draw)),
      ],
    ],
    [
      2,
      (draw) => [
        draw.pick('GEOPOS', 'GEOHASH'),
        draw.key(),
        ...draw.list(1, 4, () => draw.member()),
      ],
    ],
    [6, (draw) => ['GEOSEARCH', draw.key(), ...search(draw), ...shows(draw)]],
    [
      3,
      (draw) =>
        stored(draw, ['GEOSEARCHSTORE', draw.key(), draw.key(), ...search(draw)], 'STOREDIST'),
    ],
    [2, (draw) => ['GEORADIUS', draw.key(), ...place(draw), ...radius(draw), ...old(draw)]],
    [2, (draw) => ['GEORADIUSBYMEMBER', draw.key(), draw.member(), ...radius(draw), ...old(draw)]],
    [1, (draw) => ['GEORADIUS_RO', draw.key(), ...place(draw), ...radius(draw), ...old(draw)]],
    [
      1,
      (draw) => ['GEORADIUSBYMEMBER_RO', draw.key(), draw.member(), ...radius(draw), ...old(draw)],
    ],
    [1, (draw) => ['ZREM', draw.key(), draw.member()]],
    [1, (draw) => step(['ZADD', draw.key(), draw.integer(0, 2 ** 52), draw.member()])],
  ],
};

function coordinate(draw: Draw, most: number): string {
  if (draw.chance(0.04))
    return draw.pick('nan', 'inf', '181', '-86', 'x', '', '85.05112878', '-180', '180');
  const reach = draw.chance(0.7) ? 2 : most;
  return ((draw.random.fraction() - 0.5) * 2 * reach).toFixed(draw.random.integer(6, 15));
}

function place(draw: Draw): [string, string] {
  return [coordinate(draw, 180), coordinate(draw, 85.05)];
}

function places(draw: Draw): Words {
  return draw.list(1, 4, () => draw.member()).flatMap((member) => [...place(draw), member]);
}

function unit(draw: Draw): string {
  return draw.pick('m', 'km', 'ft', 'mi', 'KM', 'x');
}

function length(draw: Draw): string {
  if (draw.chance(0.06)) return draw.pick('-1', '0', 'nan', 'x', '1e400', '');
  return String(draw.random.fraction() * 10 ** draw.random.integer(0, 7));
}

function radius(draw: Draw): Words {
  return [length(draw), unit(draw)];
}

function search(draw: Draw): string[] {
  const from = draw.chance(0.5) ? ['FROMMEMBER', draw.member()] : ['FROMLONLAT', ...place(draw)];
  const by = draw.chance(0.5)
    ? ['BYRADIUS', ...radius(draw)]
    : ['BYBOX', length(draw), length(draw), unit(draw)];
  return draw.random.shuffled([from, by, order(draw)]).flat();
}

function order(draw: Draw): string[] {
  const count = ['COUNT', draw.count(), ...draw.maybe(0.15, 'ANY')];
  return draw.options(0.4, [draw.pick('ASC', 'DESC')], count);
}

function shows(draw: Draw): Words {
  return draw.options(0.3, ['WITHCOORD'], ['WITHDIST'], ['WITHHASH']);
}

function old(draw: Draw): Words {
  return draw.random.shuffled([order(draw), [...shows(draw)]]).flat();
}

/** Stored distances differ in their last bits, so they do not stay. */
function stored(draw: Draw, words: Words, option: string): Words | ReturnType<typeof step> {
  if (draw.chance(0.6)) return words;
  const target = words[1]!;
  const scores = { words: ['ZRANGE', target, '0', '-1', 'WITHSCORES'], form: forms.roughly };
  return step([...words, option], scores, ['DEL', target]);
}
