/** Streams and their groups. Ids are given, since what `*` stands for is the moment. */
import type { Draw } from '../draw.ts';
import { step, type Family, type Step, type Words } from '../family.ts';

export const stream: Family = {
  name: 'stream',
  settings: [
    ['stream-node-max-entries', '100', '100', '3', '1'],
    ['stream-node-max-bytes', '4096', '4096', '60'],
  ],
  makers: [
    [10, (draw) => ['XADD', draw.key(), ...addOptions(draw), newId(draw), ...pairs(draw)]],
    [2, (draw) => ['XADD', draw.key(), `${draw.integer(1, 90)}-*`, ...pairs(draw)]],
    [3, (draw) => ['XDEL', draw.key(), ...draw.list(1, 3, () => id(draw))]],
    [2, (draw) => ['XTRIM', draw.key(), ...trimming(draw)]],
    [1, (draw) => ['XLEN', draw.key()]],
    [3, (draw) => ['XRANGE', draw.key(), from(draw), to(draw), ...count(draw)]],
    [2, (draw) => ['XREVRANGE', draw.key(), to(draw), from(draw), ...count(draw)]],
    [3, (draw) => ['XREAD', ...count(draw), 'STREAMS', ...readings(draw, () => after(draw))]],
    [1, (draw) => ['XSETID', draw.key(), id(draw), ...setIdOptions(draw)]],
    [4, (draw) => ['XGROUP', 'CREATE', draw.key(), group(draw), start(draw), ...making(draw)]],
    [1, (draw) => ['XGROUP', 'SETID', draw.key(), group(draw), start(draw)]],
    [0.4, (draw) => ['XGROUP', 'DESTROY', draw.key(), group(draw)]],
    [1, (draw) => ['XGROUP', 'CREATECONSUMER', draw.key(), group(draw), consumer(draw)]],
    [0.6, (draw) => ['XGROUP', 'DELCONSUMER', draw.key(), group(draw), consumer(draw)]],
    [
      8,
      (draw) => ['XREADGROUP', ...reader(draw), 'STREAMS', ...readings(draw, () => unread(draw))],
    ],
    [3, (draw) => ['XACK', draw.key(), group(draw), ...draw.list(1, 4, () => id(draw))]],
    [2, (draw) => ['XPENDING', draw.key(), group(draw)]],
    [2, (draw) => ['XPENDING', draw.key(), group(draw), from(draw), to(draw), draw.count()]],
    [4, (draw) => ['XCLAIM', draw.key(), group(draw), consumer(draw), idle(draw), ...claim(draw)]],
    [
      3,
      (draw) => ['XAUTOCLAIM', draw.key(), group(draw), consumer(draw), idle(draw), ...sweep(draw)],
    ],
    [1, (draw) => ['XINFO', 'STREAM', draw.key(), ...draw.maybe(0.5, 'FULL', ...count(draw))]],
    [1, (draw) => ['XINFO', draw.pick('GROUPS', 'NOSUCH'), draw.key()]],
    [1, (draw) => ['XINFO', 'CONSUMERS', draw.key(), group(draw)]],
    [3, odd],
    [0.3, (draw) => ['XADD', draw.key(), newId(draw), ...draw.list(20, 120, () => draw.member())]],
  ],
  reads: (key) => [
    ['XRANGE', key, '-', '+'],
    ['XINFO', 'STREAM', key, 'FULL', 'COUNT', '0'],
  ],
};

/** Limits at their edges. A step, since a mistake in it might wait for ever. */
function odd(draw: Draw): Step {
  const key = draw.key();
  const sign = draw.maybe(0.7, draw.pick('=', '~', '~'));
  const limit = draw.maybe(0.6, 'LIMIT', oddNumber(draw));
  const trim = draw.chance(0.6)
    ? ['MAXLEN', ...sign, oddNumber(draw), ...limit]
    : ['MINID', ...sign, id(draw), ...limit];
  const counted = ['COUNT', oddNumber(draw)];
  const block = draw.maybe(0.5, 'BLOCK', draw.pick('1', '1', '1', '-1', 'x', '1.5', ''));
  const by = ['GROUP', group(draw), consumer(draw)];
  const asked = ['STREAMS', ...readings(draw, () => unread(draw))];
  return draw.random.pick<Step>([
    step(['XTRIM', key, ...trim]),
    step(['XADD', key, ...trim, newId(draw), 'field', draw.value()]),
    step(['XAUTOCLAIM', key, group(draw), consumer(draw), '0', from(draw), ...counted]),
    step(['XREAD', ...counted, ...block, ...asked]),
    step(['XREADGROUP', ...by, ...counted, ...block, ...draw.maybe(0.3, 'NOACK'), ...asked]),
    step(['XRANGE', key, '-', '+', ...counted]),
    step([
      'XPENDING',
      key,
      group(draw),
      'IDLE',
      draw.pick('0', '-1', 'x'),
      '-',
      '+',
      oddNumber(draw),
    ]),
  ]);
}

function oddNumber(draw: Draw): string {
  if (draw.chance(0.5)) return draw.integer(0, 12);
  const edges = ['-1', '0', '00', '+1', '1.0', '', 'x', '100', '10000', '2147483647', '2147483648'];
  return draw.pick(...edges, '4294967296', '9223372036854775807', '-9223372036854775808');
}

function id(draw: Draw): string {
  const kind = draw.random.fraction();
  if (kind < 0.75) return `${draw.integer(0, 40)}-${draw.integer(0, 3)}`;
  if (kind < 0.88) return draw.integer(0, 60);
  const edges = [
    '0-0',
    '18446744073709551615-18446744073709551615',
    '9007199254740993-1',
    '1-',
    '',
  ];
  return draw.pick(...edges, '-', 'x', '1-2-3', '-1', '18446744073709551616');
}

function newId(draw: Draw): string {
  return draw.chance(0.7) ? `${draw.integer(1, 100)}-${draw.integer(0, 9)}` : id(draw);
}

function pairs(draw: Draw): Words {
  const words = draw.list(1, 3, () => draw.member()).flatMap((field) => [field, draw.value()]);
  return draw.chance(0.03) ? words.slice(1) : words;
}

function addOptions(draw: Draw): Words {
  return draw.options(0.15, ['NOMKSTREAM'], trimming(draw));
}

function trimming(draw: Draw): Words {
  const limit = draw.maybe(0.2, 'LIMIT', draw.count());
  const sign = draw.maybe(0.5, draw.pick('=', '~', '='));
  return draw.chance(0.6)
    ? ['MAXLEN', ...sign, draw.index(), ...limit]
    : ['MINID', ...sign, id(draw), ...limit];
}

function from(draw: Draw): string {
  return draw.chance(0.4) ? '-' : `${draw.pick('', '', '(')}${id(draw)}`;
}

function to(draw: Draw): string {
  return draw.chance(0.4) ? '+' : `${draw.pick('', '', '(')}${id(draw)}`;
}

function count(draw: Draw): Words {
  return draw.maybe(0.4, 'COUNT', draw.count());
}

function after(draw: Draw): string {
  return draw.chance(0.15) ? draw.pick('$', '+', '>') : id(draw);
}

function unread(draw: Draw): string {
  return draw.chance(0.75) ? '>' : draw.pick(id(draw), '0', '$', '+');
}

function readings(draw: Draw, make: () => string): Words {
  const keys = draw.keys(1, 3);
  const ids = keys.map(make);
  return draw.chance(0.03) ? [...keys, ...ids.slice(1)] : [...keys, ...ids];
}

function start(draw: Draw): string {
  return draw.chance(0.3) ? '$' : draw.pick('0', '0-0', id(draw));
}

function making(draw: Draw): Words {
  return draw.options(0.5, ['MKSTREAM'], ['ENTRIESREAD', draw.integer(-2, 90)]);
}

function setIdOptions(draw: Draw): Words {
  return draw.options(0.4, ['ENTRIESADDED', draw.integer(-2, 90)], ['MAXDELETEDID', id(draw)]);
}

function group(draw: Draw): string {
  return draw.pick('g', 'g', 'h', 'none');
}

function consumer(draw: Draw): string {
  return draw.pick('one', 'two', 'three', '', '\\x00\\xff');
}

function reader(draw: Draw): Words {
  return ['GROUP', group(draw), consumer(draw), ...count(draw), ...draw.maybe(0.2, 'NOACK')];
}

/** A minimum idle time that no entry has reached, or that all have. */
function idle(draw: Draw): string {
  return draw.pick('0', '0', '0', '-1', '100000000', 'x');
}

function claim(draw: Draw): Words {
  return [
    ...draw.list(1, 3, () => id(draw)),
    ...draw.options(
      0.25,
      ['IDLE', draw.integer(0, 100)],
      ['RETRYCOUNT', draw.integer(-2, 90)],
      ['FORCE'],
      ['JUSTID'],
      ['LASTID', id(draw)],
    ),
  ];
}

function sweep(draw: Draw): Words {
  return [draw.pick('0', '-', id(draw)), ...count(draw), ...draw.maybe(0.3, 'JUSTID')];
}
