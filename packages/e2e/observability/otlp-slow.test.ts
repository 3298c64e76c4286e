/** A collector that never replies: its data is dropped and counted, without other effects. */
// test-tier: long

import { request, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  allAccountedFor,
  exportTo,
  load,
  server,
  status,
  stopExporting,
} from './collector-load.ts';

const slow = suite('a collector that is slow');

stopExporting(slow);

slow('one that never answers', async () => {
  await exportTo('hold');
  await load();
  const { status: code } = await request(server.httpPort, '/health/ready');
  assert.is(code, 200, 'the thread that exports answers meanwhile');
  await allAccountedFor();
  await until(async () => (await status())['collector'] === 'failing', 'its time is over', 90_000);
  await load();
  await allAccountedFor();
});

slow.run();
