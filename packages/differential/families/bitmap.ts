/** Strings as bits, and as integers of any width. */
import type { Draw } from '../draw.ts';
import type { Family, Words } from '../family.ts';

export const bitmap: Family = {
  name: 'bitmap',
  settings: [],
  makers: [
    [4, (draw) => ['SETBIT', draw.key(), bit(draw), draw.pick('0', '1', '1', '2', 'x')]],
    [3, (draw) => ['GETBIT', draw.key(), bit(draw)]],
    [1, (draw) => ['SET', draw.key(), draw.value()]],
    [
      1,
      (draw) => [
        'APPEND',
        draw.key(),
        draw.random.bytes(draw.random.integer(0, 30)).toString('latin1'),
      ],
    ],
    [3, (draw) => ['BITCOUNT', draw.key(), ...range(draw)]],
    [4, (draw) => ['BITPOS', draw.key(), draw.pick('0', '1', '0', '1', '2', ''), ...range(draw)]],
    [
      4,
      (draw) => [
        'BITOP',
        draw.pick('AND', 'OR', 'XOR', 'NOT', 'and', 'NAND'),
        draw.key(),
        ...draw.keys(1, 4),
      ],
    ],
    [5, (draw) => ['BITFIELD', draw.key(), ...operations(draw)]],
    [1, (draw) => ['BITFIELD_RO', draw.key(), ...reading(draw)]],
    [1, (draw) => ['STRLEN', draw.key()]],
  ],
};

function bit(draw: Draw): string {
  if (draw.chance(0.06))
    return draw.pick('-1', '8388000', '33554432', '4294967296', '9223372036854775807', 'x', '');
  return draw.integer(0, draw.chance(0.1) ? 5000 : 100);
}

function range(draw: Draw): Words {
  if (draw.chance(0.3)) return [];
  const ends = draw.chance(0.8) ? [draw.index(), draw.index()] : [draw.index()];
  return [...ends, ...draw.maybe(0.4, draw.pick('BIT', 'BYTE', 'bit', 'x'))];
}

function type(draw: Draw): string {
  if (draw.chance(0.07)) return draw.pick('u64', 'i65', 'u0', 'i0', 'x8', '', 'i', 'u-1', 'I8');
  return draw.chance(0.5) ? `u${draw.integer(1, 63)}` : `i${draw.integer(1, 64)}`;
}

function place(draw: Draw): string {
  return `${draw.chance(0.25) ? '#' : ''}${bit(draw)}`;
}

function operations(draw: Draw): Words {
  return draw.list(1, 4, () => '').flatMap(() => operation(draw));
}

function operation(draw: Draw): Words {
  if (draw.chance(0.3)) return ['OVERFLOW', draw.pick('WRAP', 'SAT', 'FAIL', 'fail', 'NONE')];
  if (draw.chance(0.3)) return ['GET', type(draw), place(draw)];
  return [draw.pick('SET', 'INCRBY', 'incrby'), type(draw), place(draw), draw.number()];
}

function reading(draw: Draw): Words {
  return draw.list(1, 3, () => '').flatMap(() => ['GET', type(draw), place(draw)]);
}
