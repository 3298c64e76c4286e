/** Sets, and sets of sets. */
import type { Draw } from '../draw.ts';
import { step, type Family, type Words } from '../family.ts';

export const set: Family = {
  name: 'set',
  settings: [
    // At least as many as in a listpack: else what a combination becomes hangs on its order.
    ['set-max-intset-entries', '512', '128'],
    ['set-max-listpack-entries', '128', '6', '0'],
    ['set-max-listpack-value', '64', '3'],
  ],
  makers: [
    [8, (draw) => ['SADD', draw.key(), ...members(draw)]],
    [3, (draw) => ['SREM', draw.key(), ...members(draw)]],
    [1, (draw) => ['SCARD', draw.key()]],
    [2, (draw) => ['SMEMBERS', draw.key()]],
    [2, (draw) => ['SISMEMBER', draw.key(), draw.member()]],
    [2, (draw) => ['SMISMEMBER', draw.key(), ...members(draw)]],
    [3, (draw) => ['SMOVE', draw.key(), draw.key(), draw.member()]],
    [3, (draw) => [draw.pick('SINTER', 'SUNION', 'SDIFF'), ...draw.keys(1, 4)]],
    [3, (draw) => [draw.pick('SINTERSTORE', 'SUNIONSTORE', 'SDIFFSTORE'), ...draw.keys(2, 5)]],
    [3, (draw) => intersectionCount(draw)],
    [2, (draw) => drawing(draw, draw.key())],
    [2, (draw) => popping(draw, draw.key())],
    [
      1,
      (draw) =>
        step([
          'SSCAN',
          draw.key(),
          '0',
          'COUNT',
          '100000',
          ...draw.maybe(0.5, 'MATCH', draw.glob()),
        ]),
    ],
    [0.5, (draw) => ['SADD', draw.key(), ...many(draw)]],
  ],
};

function members(draw: Draw): Words {
  if (draw.chance(0.4)) return draw.list(1, 5, () => draw.integer(-100, 100));
  return draw.list(1, 4, () => draw.member());
}

function many(draw: Draw): Words {
  const letters = draw.pick('', '', 'm:');
  return draw.list(20, 300, () => `${letters}${draw.integer(0, 100_000)}`);
}

function intersectionCount(draw: Draw): Words {
  const keys = draw.keys(1, 4);
  const count = draw.chance(0.1) ? draw.index() : String(keys.length);
  return ['SINTERCARD', count, ...keys, ...draw.options(0.4, ['LIMIT', draw.index()])];
}

function drawing(draw: Draw, key: string): ReturnType<typeof step> {
  return step(['SMEMBERS', key], ['SRANDMEMBER', key, ...draw.maybe(0.7, draw.integer(-10, 20))]);
}

/** Makes a step with SPOP; it ends with DEL, since each side has different members left. */
function popping(draw: Draw, key: string): ReturnType<typeof step> {
  const pop = ['SPOP', key, ...draw.maybe(0.7, draw.integer(0, draw.chance(0.2) ? 200 : 10))];
  return step(['SMEMBERS', key], pop, ['SCARD', key], ['DEL', key]);
}
