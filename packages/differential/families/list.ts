/** Lists, from both ends and in the middle. */
import type { Draw } from '../draw.ts';
import type { Family, Words } from '../family.ts';

export const list: Family = {
  name: 'list',
  settings: [
    ['list-max-listpack-size', '-2', '-1', '3', '40'],
    ['list-compress-depth', '0', '0', '1', '2'],
  ],
  makers: [
    [8, (draw) => [draw.pick('LPUSH', 'RPUSH'), draw.key(), ...elements(draw)]],
    [2, (draw) => [draw.pick('LPUSHX', 'RPUSHX'), draw.key(), ...elements(draw)]],
    [3, (draw) => [draw.pick('LPOP', 'RPOP'), draw.key(), ...draw.maybe(0.4, draw.index())]],
    [
      2,
      (draw) => [
        'LMPOP',
        ...severalKeys(draw),
        end(draw),
        ...draw.maybe(0.5, 'COUNT', draw.index()),
      ],
    ],
    [2, (draw) => ['LRANGE', draw.key(), draw.index(), draw.index()]],
    [2, (draw) => ['LINDEX', draw.key(), draw.index()]],
    [1, (draw) => ['LLEN', draw.key()]],
    [3, (draw) => ['LSET', draw.key(), draw.index(), draw.value()]],
    [
      3,
      (draw) => [
        'LINSERT',
        draw.key(),
        draw.pick('BEFORE', 'AFTER', 'x'),
        draw.member(),
        draw.value(),
      ],
    ],
    [2, (draw) => ['LREM', draw.key(), draw.index(), draw.member()]],
    [1, (draw) => ['LTRIM', draw.key(), draw.index(), draw.index()]],
    [3, (draw) => ['LMOVE', draw.key(), draw.key(), end(draw), end(draw)]],
    [1, (draw) => ['RPOPLPUSH', draw.key(), draw.key()]],
    [3, (draw) => ['LPOS', draw.key(), draw.member(), ...positionOptions(draw)]],
    [
      0.5,
      (draw) => [
        draw.pick('LPUSH', 'RPUSH'),
        draw.key(),
        ...draw.list(20, 200, () => draw.value()),
      ],
    ],
  ],
};

function elements(draw: Draw): Words {
  return draw.list(1, 4, () => draw.value());
}

function end(draw: Draw): string {
  return draw.pick('LEFT', 'RIGHT', 'LEFT', 'RIGHT', 'left', 'UP');
}

function severalKeys(draw: Draw): Words {
  const keys = draw.keys(1, 4);
  return [draw.chance(0.1) ? draw.index() : String(keys.length), ...keys];
}

function positionOptions(draw: Draw): Words {
  return draw.options(
    0.35,
    ['RANK', draw.index()],
    ['COUNT', draw.index()],
    ['MAXLEN', draw.index()],
  );
}
