/** SORT of every type that can be sorted, by itself and by other keys. */
import type { Draw } from '../draw.ts';
import { step, type Family, type Words } from '../family.ts';

export const sort: Family = {
  name: 'sort',
  // SORT makes a skiplist of a sorted set; here it stays as small as it was.
  settings: [['zset-max-listpack-entries', '0']],
  makers: [
    [6, (draw) => ['SORT', draw.key(), ...options(draw), ...store(draw)]],
    [4, (draw) => ['SORT_RO', draw.key(), ...options(draw)]],
    [4, (draw) => ['RPUSH', draw.key(), ...draw.list(1, 6, () => draw.number())]],
    [2, (draw) => ['RPUSH', draw.key(), ...draw.list(1, 4, () => draw.member())]],
    [3, (draw) => ['SADD', draw.key(), ...draw.list(1, 5, () => draw.integer(-9, 99))]],
    [3, (draw) => step(['ZADD', draw.key(), draw.integer(-50, 50), draw.integer(0, 30)])],
    [3, (draw) => ['SET', `w:${draw.integer(0, 20)}`, draw.pick('1', '2', '-3', 'x', '1e2', '')]],
    [2, (draw) => ['HSET', `h:${draw.integer(0, 20)}`, 'f', draw.number()]],
    [1, (draw) => ['LPOP', draw.key()]],
  ],
};

/** Equal texts are in any order, and Redis looks at texts only up to a zero byte: ALPHA goes alone. */
function options(draw: Draw): Words {
  if (draw.chance(0.2)) return ['ALPHA', ...draw.maybe(0.5, draw.pick('ASC', 'DESC'))];
  return draw.options(
    0.35,
    ['BY', pattern(draw)],
    ['LIMIT', draw.index(), draw.index()],
    ['GET', pattern(draw)],
    ['GET', '#'],
    [draw.pick('ASC', 'DESC')],
  );
}

/** Draws a pattern for BY and GET. The order of a set's own elements is never asked for, since it is not specified. */
function pattern(draw: Draw): string {
  return draw.pick('w:*', 'w:*', 'h:*->f', 'h:*->', '*', 'none:*', 'w:**', '->*->f');
}

function store(draw: Draw): Words {
  return draw.maybe(0.3, 'STORE', draw.key());
}
