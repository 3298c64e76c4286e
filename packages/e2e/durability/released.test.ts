/** Data of each released version: this version starts with them whole, and keeps them. */
// test-tier: long
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { differences, keptServers, stateOf } from './kept-server.ts';
import { writeReleased } from './released-data.ts';

const released = suite('data of released versions');

const FIXTURES = fileURLToPath(
  new URL('../../../../packages/e2e/durability/fixtures', import.meta.url),
);
const newServer = keptServers(released);

const archives = fs.readdirSync(FIXTURES).filter((name) => name.endsWith('.tar.gz'));

released('are kept of each version that the changelog names', () => {
  const changelog = fs.readFileSync(path.join(FIXTURES, '../../../../CHANGELOG.md'), 'utf8');
  const versions = [...changelog.matchAll(/^## \[(\d+\.\d+\.\d+)\]/gm)].map(
    ([, version]) => version!,
  );
  assert.ok(versions.length > 0);
  for (const version of versions) {
    assert.ok(archives.includes(`${version}.tar.gz`), `fixtures/${version}.tar.gz is missing`);
  }
});

for (const archive of archives) {
  released(
    `${archive.replace('.tar.gz', '')} is read whole, also after a snapshot of this version`,
    async () => {
      const fresh = newServer();
      const expected = await fresh.start({ shards: 2 });
      await writeReleased(expected);
      const wanted = await stateOf(expected);
      await fresh.stop();

      const upgraded = newServer();
      execFileSync('tar', ['xzf', path.join(FIXTURES, archive), '-C', upgraded.folder]);
      const client = await upgraded.start({ shards: 2 });
      assert.equal(differences(wanted, await stateOf(client)), []);
      await client.call('SET', 'new', 'value');
      await client.call('BGSAVE');
      await upgraded.stop();
      const again = await upgraded.start({ shards: 3 });
      assert.is(await again.call('GETDEL', 'new'), 'value');
      assert.equal(differences(wanted, await stateOf(again)), []);
      await upgraded.stop();
    },
  );
}

released.run();
