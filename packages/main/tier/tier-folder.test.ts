import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { takeTierFolder } from './tier-folder.ts';

const folders = suite('folder of the warm tier');

folders('one that cannot be had is refused with the setting that names it', async () => {
  const above = mkdtempSync(path.join(tmpdir(), 'svc-tier-folder-'));
  const file = path.join(above, 'file');
  writeFileSync(file, '');
  const message = await takeTierFolder(file).catch((error: unknown) => (error as Error).message);
  rmSync(above, { recursive: true });
  assert.is(
    message,
    `tiered.directory: the folder ${file} cannot be used: it is a file; choose another with tiered.directory`,
  );
});

folders.run();
