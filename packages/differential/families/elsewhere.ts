/** Commands that change keys of any type: other types take their place, they are removed, moved or expire. */
import { step, type Family } from '../family.ts';

/** Mixed into every family. */
export const elsewhere: Family['makers'] = [
  [2, (draw) => ['DEL', ...draw.keys(1, 3)]],
  [1, (draw) => ['SET', draw.key(), draw.value()]],
  [1, (draw) => ['RPUSH', draw.key(), draw.value()]],
  [1, (draw) => ['SADD', draw.key(), draw.member()]],
  [1, (draw) => ['HSET', draw.key(), draw.member(), draw.value()]],
  [1, (draw) => step(['ZADD', draw.key(), draw.integer(1, 2 ** 50), draw.member()])],
  [1, (draw) => [draw.pick('NOSUCH', 'x\x00y', 'get\r\n'), ...draw.list(0, 4, () => draw.value())]],
  [1, (draw) => ['COPY', draw.key(), draw.key(), ...draw.maybe(0.5, 'REPLACE')]],
  [1, (draw) => ['RENAME', draw.key(), draw.key()]],
  [1, (draw) => ['EXPIRE', draw.key(), draw.seconds()]],
  [1, (draw) => ['PERSIST', draw.key()]],
  [1, (draw) => ['PTTL', draw.key()]],
  [1, (draw) => ['TYPE', draw.key()]],
  [2, (draw) => ['OBJECT', 'ENCODING', draw.key()]],
];
