/** Strings, numbers in them, and what is common to several of them. */
import type { Draw } from '../draw.ts';
import type { Family, Words } from '../family.ts';

export const string: Family = {
  name: 'string',
  settings: [],
  makers: [
    [6, (draw) => ['SET', draw.key(), text(draw), ...setOptions(draw)]],
    [4, (draw) => ['GET', draw.key()]],
    [1, (draw) => ['SETNX', draw.key(), text(draw)]],
    [1, (draw) => ['SETEX', draw.key(), draw.seconds(), text(draw)]],
    [1, (draw) => ['PSETEX', draw.key(), draw.milliseconds(), text(draw)]],
    [1, (draw) => ['GETSET', draw.key(), text(draw)]],
    [1, (draw) => ['GETDEL', draw.key()]],
    [2, (draw) => ['GETEX', draw.key(), ...draw.options(0.2, ...expiries(draw), ['PERSIST'])]],
    [2, (draw) => ['MSET', ...pairs(draw)]],
    [2, (draw) => ['MSETNX', ...pairs(draw)]],
    [2, (draw) => ['MGET', ...draw.keys(1, 5)]],
    [2, (draw) => ['APPEND', draw.key(), text(draw)]],
    [1, (draw) => ['STRLEN', draw.key()]],
    [3, (draw) => ['SETRANGE', draw.key(), offset(draw), text(draw)]],
    [3, (draw) => [draw.pick('GETRANGE', 'SUBSTR'), draw.key(), draw.index(), draw.index()]],
    [3, (draw) => [draw.pick('INCR', 'DECR'), draw.key()]],
    [3, (draw) => [draw.pick('INCRBY', 'DECRBY'), draw.key(), draw.number()]],
    [4, (draw) => ['INCRBYFLOAT', draw.key(), draw.float()]],
    [2, (draw) => ['LCS', draw.key(), draw.key(), ...lcsOptions(draw)]],
  ],
};

function text(draw: Draw): string {
  if (draw.chance(0.3)) return draw.number();
  return draw.chance(0.2) ? draw.float() : draw.value();
}

function pairs(draw: Draw): Words {
  return draw.keys(1, 4).flatMap((key) => [key, text(draw)]);
}

function expiries(draw: Draw): Words[] {
  return [
    ['EX', draw.seconds()],
    ['PX', draw.milliseconds()],
    ['EXAT', draw.moment()],
    ['PXAT', draw.momentMs()],
  ];
}

function setOptions(draw: Draw): Words {
  if (draw.chance(0.5)) return [];
  return draw.options(0.18, ...expiries(draw), ['NX'], ['XX'], ['GET'], ['KEEPTTL'], ['get']);
}

function offset(draw: Draw): string {
  if (draw.chance(0.1)) return draw.pick('-1', '1048000', '536870912', '9223372036854775807', 'x');
  return draw.integer(0, draw.chance(0.1) ? 2000 : 20);
}

function lcsOptions(draw: Draw): Words {
  return draw.options(0.4, ['IDX'], ['LEN'], ['MINMATCHLEN', draw.count()], ['WITHMATCHLEN']);
}
