/** Keys as such: when they expire, what they are called, and in which database they are. */
import type { Draw } from '../draw.ts';
import { step, type Family, type Words } from '../family.ts';

export const keyspace: Family = {
  name: 'keyspace',
  settings: [],
  makers: [
    [3, (draw) => ['SET', draw.key(), draw.value(), ...draw.maybe(0.3, 'EX', draw.seconds())]],
    [1, (draw) => ['HSET', draw.key(), draw.member(), draw.value()]],
    [1, (draw) => ['SADD', draw.key(), ...draw.list(1, 5, () => draw.member())]],
    [1, (draw) => ['RPUSH', draw.key(), ...draw.list(1, 5, () => draw.value())]],
    [1, (draw) => ['ZADD', draw.key(), '1', draw.member(), '2', draw.member()]],
    [3, (draw) => [draw.pick('DEL', 'UNLINK', 'EXISTS', 'TOUCH'), ...draw.keys(1, 5)]],
    [3, (draw) => ['RENAME', draw.key(), draw.key()]],
    [2, (draw) => ['RENAMENX', draw.key(), draw.key()]],
    [
      4,
      (draw) => [
        'COPY',
        draw.key(),
        draw.key(),
        ...draw.options(0.4, ['DB', database(draw)], ['REPLACE']),
      ],
    ],
    [2, (draw) => ['MOVE', draw.key(), database(draw)]],
    [2, (draw) => ['EXPIRE', draw.key(), draw.seconds(), ...condition(draw)]],
    [2, (draw) => ['PEXPIRE', draw.key(), draw.milliseconds(), ...condition(draw)]],
    [2, (draw) => ['EXPIREAT', draw.key(), draw.moment(), ...condition(draw)]],
    [2, (draw) => ['PEXPIREAT', draw.key(), draw.momentMs(), ...condition(draw)]],
    [1, (draw) => ['PERSIST', draw.key()]],
    [2, (draw) => [draw.pick('TTL', 'PTTL', 'EXPIRETIME', 'PEXPIRETIME'), draw.key()]],
    [2, (draw) => ['TYPE', draw.key()]],
    [1, (draw) => ['OBJECT', draw.pick('ENCODING', 'FREQ', 'NOSUCH'), draw.key()]],
    [2, (draw) => ['KEYS', draw.glob()]],
    [1, () => ['DBSIZE']],
    [1, () => step(['KEYS', '*'], ['RANDOMKEY'])],
    [1, (draw) => ['SELECT', database(draw)]],
    [0.3, (draw) => ['SWAPDB', database(draw), database(draw)]],
    [
      0.3,
      (draw) => [
        draw.pick('FLUSHDB', 'FLUSHALL'),
        ...draw.maybe(0.6, draw.pick('SYNC', 'ASYNC', 'X')),
      ],
    ],
    [1, (draw) => step(['SCAN', draw.pick('x', '1.5', ''), ...scanOptions(draw)])],
    [
      1,
      (draw) => [
        'RESTORE',
        draw.key(),
        draw.milliseconds(),
        badPayload(draw),
        ...restoreOptions(draw),
      ],
    ],
  ],
};

function database(draw: Draw): string {
  if (draw.chance(0.15)) return draw.pick('-1', '16', 'x', '', '1.0', '99999999999999999999');
  return draw.pick('0', '1', '0', '1');
}

function condition(draw: Draw): Words {
  return draw.chance(0.6) ? [] : draw.options(0.4, ['NX'], ['XX'], ['GT'], ['LT']);
}

function scanOptions(draw: Draw): Words {
  return draw.options(0.4, ['MATCH', draw.glob()], ['COUNT', draw.index()], ['TYPE', 'string']);
}

function badPayload(draw: Draw): string {
  return draw.random.bytes(draw.random.integer(0, 20)).toString('latin1');
}

function restoreOptions(draw: Draw): Words {
  const idle = draw.pick('0', '10', '-1', 'x');
  return draw.options(
    0.3,
    ['REPLACE'],
    ['ABSTTL'],
    ['IDLETIME', idle],
    ['FREQ', draw.pick('1', '256')],
  );
}
