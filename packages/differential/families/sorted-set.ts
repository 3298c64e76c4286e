/** Sorted sets: by rank, by score, by member, and combined. */
import type { Draw } from '../draw.ts';
import { step, type Family, type Words } from '../family.ts';

export const sortedSet: Family = {
  name: 'sorted-set',
  settings: [
    ['zset-max-listpack-entries', '128', '6', '0'],
    ['zset-max-listpack-value', '64', '3'],
  ],
  makers: [
    [10, (draw) => ['ZADD', draw.key(), ...addOptions(draw), ...scoresAndMembers(draw)]],
    [2, (draw) => ['ZINCRBY', draw.key(), draw.float(), draw.member()]],
    [3, (draw) => ['ZREM', draw.key(), ...draw.list(1, 4, () => draw.member())]],
    [1, (draw) => ['ZCARD', draw.key()]],
    [2, (draw) => ['ZSCORE', draw.key(), draw.member()]],
    [1, (draw) => ['ZMSCORE', draw.key(), ...draw.list(1, 4, () => draw.member())]],
    [2, (draw) => [draw.pick('ZRANK', 'ZREVRANK'), draw.key(), draw.member(), ...withScore(draw)]],
    [2, (draw) => ['ZCOUNT', draw.key(), draw.scoreBound(), draw.scoreBound()]],
    [5, (draw) => ['ZRANGE', draw.key(), ...range(draw), ...draw.maybe(0.3, 'WITHSCORES')]],
    [3, (draw) => ['ZRANGESTORE', draw.key(), draw.key(), ...range(draw)]],
    [
      2,
      (draw) => [
        draw.pick('ZREVRANGE'),
        draw.key(),
        draw.index(),
        draw.index(),
        ...draw.maybe(0.3, 'WITHSCORES'),
      ],
    ],
    [2, (draw) => byScore(draw)],
    [4, (draw) => byMember(draw, draw.key())],
    [1, (draw) => ['ZREMRANGEBYRANK', draw.key(), draw.index(), draw.index()]],
    [1, (draw) => ['ZREMRANGEBYSCORE', draw.key(), draw.scoreBound(), draw.scoreBound()]],
    [2, (draw) => [draw.pick('ZPOPMIN', 'ZPOPMAX'), draw.key(), ...draw.maybe(0.5, draw.index())]],
    [
      2,
      (draw) => [
        'ZMPOP',
        ...sources(draw),
        draw.pick('MIN', 'MAX', 'x'),
        ...draw.maybe(0.4, 'COUNT', draw.index()),
      ],
    ],
    [
      3,
      (draw) => [
        draw.pick('ZUNION', 'ZINTER'),
        ...sources(draw),
        ...combining(draw),
        ...draw.maybe(0.4, 'WITHSCORES'),
      ],
    ],
    [
      3,
      (draw) => [
        draw.pick('ZUNIONSTORE', 'ZINTERSTORE'),
        draw.key(),
        ...sources(draw),
        ...combining(draw),
      ],
    ],
    [1, (draw) => ['ZDIFF', ...sources(draw), ...draw.maybe(0.4, 'WITHSCORES')]],
    [1, (draw) => ['ZDIFFSTORE', draw.key(), ...sources(draw)]],
    [1, (draw) => ['ZINTERCARD', ...sources(draw), ...draw.maybe(0.4, 'LIMIT', draw.index())]],
    [2, (draw) => drawing(draw, draw.key())],
    [
      1,
      (draw) =>
        step([
          'ZSCAN',
          draw.key(),
          '0',
          'COUNT',
          '100000',
          ...draw.maybe(0.5, 'MATCH', draw.glob()),
        ]),
    ],
    [1, (draw) => ['SADD', draw.key(), ...draw.list(1, 4, () => draw.member())]],
    [0.5, (draw) => ['ZADD', draw.key(), ...many(draw)]],
  ],
};

function addOptions(draw: Draw): Words {
  return draw.chance(0.5)
    ? []
    : draw.options(0.2, ['NX'], ['XX'], ['GT'], ['LT'], ['CH'], ['INCR']);
}

function scoresAndMembers(draw: Draw): Words {
  return draw.list(1, 4, () => draw.float()).flatMap((score) => [score, draw.member()]);
}

function many(draw: Draw): Words {
  const members = draw.list(20, 300, () => `m:${draw.integer(0, 2000)}`);
  return members.flatMap((member) => [draw.integer(0, 50), member]);
}

function withScore(draw: Draw): Words {
  // The option is younger than 7.0, where the arity differs.
  return draw.maybe(0.3, 'WITHSCORE');
}

function limit(draw: Draw): Words {
  return draw.maybe(0.3, 'LIMIT', draw.index(), draw.index());
}

function range(draw: Draw): Words {
  if (draw.chance(0.5)) {
    const ends = [draw.index(), draw.index()];
    return [...ends, ...draw.maybe(0.3, 'REV'), ...draw.maybe(0.05, 'LIMIT', '0', '1')];
  }
  return rangeBy(draw, 'BYSCORE', [draw.scoreBound(), draw.scoreBound()]);
}

function rangeBy(draw: Draw, by: string, bounds: Words): Words {
  return [...bounds, ...draw.random.shuffled([[by], limit(draw), draw.maybe(0.4, 'REV')]).flat()];
}

function byScore(draw: Draw): Words {
  const name = draw.pick('ZRANGEBYSCORE', 'ZREVRANGEBYSCORE');
  const options = draw.random.shuffled([limit(draw), draw.maybe(0.3, 'WITHSCORES')]).flat();
  return [name, draw.key(), draw.scoreBound(), draw.scoreBound(), ...options];
}

/** Members have an order of their own only where all scores are the same. */
function byMember(draw: Draw, key: string): ReturnType<typeof step> {
  const score = draw.pick('0', '1.5', '-inf');
  const members = draw.list(1, draw.chance(0.1) ? 200 : 8, () => draw.member());
  const bounds = (): Words => [draw.lexBound(), draw.lexBound()];
  const read = (): Words =>
    draw.random.pick([
      ['ZLEXCOUNT', key, ...bounds()],
      ['ZRANGE', key, ...rangeBy(draw, 'BYLEX', bounds())],
      ['ZRANGESTORE', draw.key(), key, ...rangeBy(draw, 'BYLEX', bounds())],
      [draw.pick('ZRANGEBYLEX', 'ZREVRANGEBYLEX'), key, ...bounds(), ...limit(draw)],
      ['ZREMRANGEBYLEX', key, ...bounds()],
    ]);
  const add = ['ZADD', key, ...members.flatMap((member) => [score, member])];
  return step(['DEL', key], add, read(), read(), read());
}

function sources(draw: Draw): Words {
  const keys = draw.keys(1, 4);
  return [draw.chance(0.08) ? draw.index() : String(keys.length), ...keys];
}

function combining(draw: Draw): Words {
  const weights = draw.list(1, 4, () => draw.float());
  return draw.options(
    0.3,
    ['WEIGHTS', ...weights],
    ['AGGREGATE', draw.pick('SUM', 'MIN', 'MAX', 'AVG')],
  );
}

function drawing(draw: Draw, key: string): ReturnType<typeof step> {
  const count = draw.integer(-10, 20);
  const words = draw.chance(0.3) ? [] : [count, ...draw.maybe(0.4, 'WITHSCORES')];
  return step(['ZRANGE', key, '0', '-1', 'WITHSCORES'], ['ZRANDMEMBER', key, ...words]);
}
