/** Commands with enough keys or prefixes that what compares each with each does not come to an end. */
// test-tier: long
import { type ChildServer, type RespClient, startServer, textOf } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const manyKeys = suite('many keys');

/** Number of keys for which comparing each with each takes minutes on any machine. */
const MANY_KEYS = 150_000;

let server: ChildServer;
let client: RespClient;

manyKeys.before(async () => {
  server = await startServer({ shards: 2 });
  client = await server.client();
});
manyKeys.after(async () => {
  await server.stop();
});

const missing = Array.from({ length: MANY_KEYS }, (_, nth) => `missing${nth}`);
const offered: readonly (readonly [name: string, command: readonly (string | number)[]])[] = [
  ['LMPOP', ['LMPOP', MANY_KEYS, ...missing, 'LEFT']],
  ['BZPOPMIN', ['BZPOPMIN', ...missing, '0.001']],
];

for (const [name, command] of offered) {
  manyKeys(`${name} looks for the first of ${MANY_KEYS} keys on two shards`, async () => {
    assert.equal(await client.pipeline([command]), [null]);
  });
}

manyKeys(`${MANY_KEYS} prefixes are tracked, and one that overlaps is found`, async () => {
  const prefixes = missing.flatMap((prefix) => ['PREFIX', `${prefix}:`]);
  const tracking = ['CLIENT', 'TRACKING', 'ON', 'BCAST', ...prefixes];
  const replies = await client.pipeline([
    [...tracking, 'PREFIX', 'missing17:0'],
    tracking,
    ['CLIENT', 'TRACKING', 'ON', 'BCAST', 'PREFIX', 'missing1'],
    ['CLIENT', 'TRACKING', 'OFF'],
  ]);
  assert.match(textOf(replies[0]), /'missing17:' overlaps with another provided prefix/);
  assert.is(replies[1], 'OK');
  assert.match(textOf(replies[2]), /'missing1' overlaps with an existing prefix 'missing1/);
  assert.is(replies[3], 'OK');
});

manyKeys.run();
