/**
 * Data that each released version has written, kept in `fixtures`: a snapshot and a log after it, of a server with two shards
 * that was killed. To keep those of a new version, start it with two shards and
 * `--set persistence.durability-mode=sync` in an empty folder, and give its port to
 * `node dist/packages/e2e/durability/released-data.js PORT`; then kill it, and pack its `svc-data` with `tar czf`.
 */

import { fileURLToPath } from 'node:url';
import { fill, RespClient, textOf, until } from '#testkit';

/** Writes what the fixtures hold: values of all types, changed after a snapshot. */
export async function writeReleased(client: RespClient): Promise<void> {
  await fill(client);
  await client.call('BGSAVE');
  await until(
    async () =>
      textOf(await client.call('INFO', 'persistence')).includes('rdb_bgsave_in_progress:0'),
    'the snapshot is written',
  );
  await client.pipeline([
    ['MSET', 'after:1', '1', 'after:2', '2', 'after:3', '3'],
    ['HPEXPIREAT', 'hash', '4102444800123', 'FIELDS', '1', 'field'],
    ['LPUSH', 'list', 'after'],
    ['DEL', 'set'],
    // The time of a delivery is that of the command, unless it is claimed.
    ['XCLAIM', 'stream', 'group', 'consumer', '0', '5-0', 'TIME', '1700000000000', 'JUSTID'],
    ['SETRANGE', 'long', '50000', 'after'],
  ]);
}

const [, program, port] = process.argv;
if (program === fileURLToPath(import.meta.url) && port !== undefined) {
  const client = await RespClient.connect({ port: Number(port) });
  await writeReleased(client);
  await client.end();
}
