/** Hashes, and fields that expire. */
import type { Draw } from '../draw.ts';
import { step, type Family, type Words } from '../family.ts';

export const hash: Family = {
  name: 'hash',
  settings: [
    ['hash-max-listpack-entries', '512', '8', '0'],
    ['hash-max-listpack-value', '64', '4'],
  ],
  makers: [
    [8, (draw) => [draw.pick('HSET', 'HSET', 'HMSET'), draw.key(), ...fieldsAndValues(draw)]],
    [1, (draw) => ['HSETNX', draw.key(), draw.member(), draw.value()]],
    [3, (draw) => ['HGET', draw.key(), draw.member()]],
    [2, (draw) => ['HMGET', draw.key(), ...fields(draw)]],
    [3, (draw) => ['HDEL', draw.key(), ...fields(draw)]],
    [1, (draw) => [draw.pick('HEXISTS', 'HSTRLEN'), draw.key(), draw.member()]],
    [1, (draw) => ['HLEN', draw.key()]],
    [2, (draw) => [draw.pick('HGETALL', 'HKEYS', 'HVALS'), draw.key()]],
    [3, (draw) => ['HINCRBY', draw.key(), draw.member(), draw.number()]],
    [3, (draw) => ['HINCRBYFLOAT', draw.key(), draw.member(), draw.float()]],
    [2, (draw) => random(draw, draw.key())],
    [2, (draw) => step(['HSCAN', draw.key(), '0', 'COUNT', '100000', ...scanOptions(draw)])],
    [1, (draw) => step(['HSCAN', draw.key(), draw.pick('x', '1.5', ''), ...scanOptions(draw)])],
    [3, (draw) => ['HEXPIRE', draw.key(), draw.seconds(), ...condition(draw), ...counted(draw)]],
    [
      2,
      (draw) => ['HPEXPIRE', draw.key(), draw.milliseconds(), ...condition(draw), ...counted(draw)],
    ],
    [2, (draw) => ['HEXPIREAT', draw.key(), draw.moment(), ...condition(draw), ...counted(draw)]],
    [
      2,
      (draw) => ['HPEXPIREAT', draw.key(), draw.momentMs(), ...condition(draw), ...counted(draw)],
    ],
    [2, (draw) => ['HPERSIST', draw.key(), ...counted(draw)]],
    [
      2,
      (draw) => [
        draw.pick('HTTL', 'HPTTL', 'HEXPIRETIME', 'HPEXPIRETIME'),
        draw.key(),
        ...counted(draw),
      ],
    ],
    [0.3, (draw) => ['HSET', draw.key(), ...many(draw)]],
  ],
  reads: (key) => [['HPEXPIRETIME', key, 'FIELDS', '6', 'a', 'b', 'c', '1', '', 'm:1']],
};

function fields(draw: Draw): Words {
  return draw.list(1, 4, () => draw.member());
}

function fieldsAndValues(draw: Draw): Words {
  return fields(draw).flatMap((field) => [field, draw.chance(0.3) ? draw.float() : draw.value()]);
}

function many(draw: Draw): Words {
  return draw.list(20, 300, () => `f:${draw.integer(0, 2000)}`).flatMap((field) => [field, 'v']);
}

function condition(draw: Draw): Words {
  return draw.chance(0.6) ? [] : draw.options(0.3, ['NX'], ['XX'], ['GT'], ['LT']);
}

/** FIELDS, how many, and the fields; seldom another number. */
function counted(draw: Draw): Words {
  const chosen = fields(draw);
  const count = draw.chance(0.06) ? draw.index() : String(chosen.length);
  return ['FIELDS', count, ...chosen];
}

function scanOptions(draw: Draw): Words {
  return draw.options(0.3, ['MATCH', draw.glob()], ['NOVALUES']);
}

function random(draw: Draw, key: string): ReturnType<typeof step> {
  const count = draw.integer(-10, 20);
  const words = draw.chance(0.3) ? [] : [count, ...draw.maybe(0.4, 'WITHVALUES')];
  return step(['HGETALL', key], ['HRANDFIELD', key, ...words]);
}
