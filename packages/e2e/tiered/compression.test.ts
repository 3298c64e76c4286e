/** Values that the tier compresses: read as they were, and less of the disk for them. */
// test-tier: long
import type { ChildServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fill, KEYS, startTiered, tiered, wrong } from './tiered.test-helper.ts';

const compression = suite('compressed tier');

/** Bytes of the tier's files after all values were written; each was read again, and was right. */
async function filledBytes(setting: 'none' | 'lz4'): Promise<number> {
  const server: ChildServer = await startTiered({ 'tiered.compression': setting });
  try {
    const client = await server.client();
    await fill(client);
    assert.ok((await tiered(client, 'tiered_warm_keys')) > KEYS / 2);
    assert.equal(await wrong(client), []);
    assert.is(await tiered(client, 'tiered_errors'), 0);
    return await tiered(client, 'tiered_file_bytes');
  } finally {
    await server.stop();
  }
}

compression('lz4 takes less of the disk, and every value is as it was', async () => {
  const plain = await filledBytes('none');
  const compressed = await filledBytes('lz4');
  assert.ok(compressed < plain / 2, `${compressed} of ${plain} bytes`);
});

compression.run();
