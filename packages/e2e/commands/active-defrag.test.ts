/** activedefrag: keys are moved together by themselves, unless that is switched off. */
// test-tier: long
import { type RespClient, startServer, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const defrag = suite('activedefrag');

const KEYS = 40_000;

async function field(client: RespClient, section: string, name: string): Promise<string> {
  const info = textOf(await client.call('INFO', section));
  return new RegExp(`\\b${name}:([^\\r]*)`).exec(info)?.[1] ?? '';
}

defrag('moves nothing while it is off, and begins when it is on', async () => {
  const args = ['--set', 'memory.active-defrag=no', '--set', 'persistence.enabled=no'];
  const server = await startServer({ shards: 1, args });
  const client = await server.client();
  const names = Array.from({ length: KEYS }, (_, nth) => `key:${nth}`);
  await client.pipeline(names.map((name) => ['SET', name, name.padEnd(200, '.')]));
  await client.pipeline(names.filter((_, nth) => nth % 8 !== 0).map((name) => ['DEL', name]));
  // A walk that has seen the rest belongs to rounds that would have moved keys, too.
  const left = `256=${KEYS / 8}`;
  const sizes = (): Promise<string> => field(client, 'keysizes', 'db0_distrib_strings_sizes');
  const walked = async (): Promise<boolean> => (await sizes()).replace('128=', '256=') === left;
  await until(walked, 'the rest was counted');
  const moved = async (): Promise<number> =>
    Number(await field(client, 'stats', 'active_defrag_hits'));
  assert.is(await moved(), 0);
  await client.call('CONFIG', 'SET', 'activedefrag', 'yes');
  await until(async () => (await moved()) > 0, 'keys are moved');
  assert.is(await client.call('DBSIZE'), KEYS / 8);
  await server.stop();
});

defrag.run();
