/** Refusals of `backup` and `restore`, and files that are left when one ends early. */

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { fill, mainFile, SmallDisk, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keptServers } from '../durability/kept-server.ts';
import { BackupFolder, manifestOf, PLAIN } from './backup-folder.ts';

const backups = suite('backups that are refused');

const newServer = keptServers(backups);
const folder = new BackupFolder(backups, 2);

backups('a backup with a missing, changed, truncated or unknown file is refused', async () => {
  const kept = newServer();
  const client = await kept.start({ shards: 2, args: PLAIN });
  await fill(client);
  await client.call('SAVE');
  const from = await folder.backup(kept.data);
  const { files } = manifestOf(from);
  const attempt = async (harm: (copy: string) => void): Promise<string> => {
    const copy = folder.newPath();
    fs.cpSync(from, copy, { recursive: true });
    harm(copy);
    const data = folder.newPath();
    const error = await folder.refused('restore', '--from', copy, '--data-dir', data);
    assert.equal(fs.readdirSync(data), [], 'nothing was written');
    return error;
  };
  for (const { path: name } of files) {
    const file = (copy: string): string => path.join(copy, 'data', name);
    const missing = await attempt((copy) => {
      fs.rmSync(file(copy));
    });
    assert.match(missing, `${name} is missing from the backup`);
    const changed = await attempt((copy) => {
      const bytes = fs.readFileSync(file(copy));
      bytes[Math.floor(bytes.length / 2)]! ^= 1;
      fs.writeFileSync(file(copy), bytes);
    });
    assert.match(changed, `${name} was changed: its SHA-256`);
  }
  const [first] = files;
  const truncated = await attempt((copy) => {
    fs.truncateSync(path.join(copy, 'data', first!.path), 10);
  });
  assert.match(truncated, 'is truncated: it has 10 bytes instead of');
  const unknown = await attempt((copy) => {
    fs.writeFileSync(path.join(copy, 'data/log/shard-0/0000000099.log'), 'x');
  });
  assert.match(unknown, '0000000099.log is no file of this backup');
  const changed = await attempt((copy) => {
    const file = path.join(copy, 'backup.json');
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"shards": 2', '"shards": 3'));
  });
  assert.match(changed, 'backup.json is damaged: its contents do not match its checksum');
  const newer = await attempt((copy) => {
    const file = path.join(copy, 'backup.json');
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"format": 1', '"format": 2'));
  });
  assert.match(newer, 'has format 2; this version reads up to 1');
  const none = await attempt((copy) => {
    fs.rmSync(path.join(copy, 'backup.json'));
  });
  assert.match(none, /is no complete backup: .*backup.json is missing/);
});

backups('damaged data is no backup', async () => {
  const kept = newServer();
  const client = await kept.start({ shards: 1, args: PLAIN });
  for (let nth = 0; nth < 50; nth += 1) await client.call('SET', `k${nth}`, 'x'.repeat(100));
  await client.call('SAVE');
  await kept.kill();
  const find = (end: string): string =>
    path.join(
      kept.data,
      fs
        .readdirSync(kept.data, { recursive: true })
        .map(String)
        .find((name) => name.endsWith(end))!,
    );
  const file = find('.snapshot');
  const bytes = fs.readFileSync(file);
  bytes[150]! ^= 1;
  fs.writeFileSync(file, bytes);
  const output = folder.newPath();
  const error = await folder.refused('backup', '--data-dir', kept.data, '--output', output);
  assert.match(error, /shard-0\.snapshot is damaged at offset 64/);
  assert.not(fs.existsSync(output));
  assert.not(fs.existsSync(`${output}.partial`));
});

backups('nothing is overwritten, and a folder without data is refused', async () => {
  const kept = newServer();
  const client = await kept.start({ shards: 1, args: PLAIN });
  await client.call('SET', 'k', 'v');
  const output = folder.newPath();
  fs.mkdirSync(output);
  const args = ['backup', '--data-dir', kept.data, '--output', output];
  assert.match(await folder.refused(...args), 'exists: nothing is overwritten');
  assert.equal(fs.readdirSync(output), []);
  fs.renameSync(output, `${output}.partial`);
  assert.match(await folder.refused(...args), `${output}.partial exists: nothing is overwritten`);
  const empty = folder.newPath();
  assert.match(
    await folder.refused('backup', '--data-dir', empty, '--output', folder.newPath()),
    'is not there',
  );
  assert.not(fs.existsSync(empty));
  fs.mkdirSync(empty);
  assert.match(
    await folder.refused('backup', '--data-dir', empty, '--output', folder.newPath()),
    'there is no data in',
  );
  const from = await folder.backup(kept.data);
  assert.match(
    await folder.refused('restore', '--from', from, '--data-dir', kept.data),
    'is in use by process',
  );
  await kept.stop();
  assert.match(
    await folder.refused('restore', '--from', from, '--data-dir', kept.data),
    'has data already: nothing was restored',
  );
  assert.match(await folder.refused('backup', '--data-dir', kept.data), 'needs --output FOLDER');
  assert.match(await folder.refused('restore', '--data-dir', empty), 'needs --from FOLDER');
  assert.match(await folder.refused('restore', '--from', from, '--port'), '--port needs a value');
});

/** Makes a data folder of that size. */
async function largeData(megabytes: number): Promise<string> {
  const kept = newServer();
  const client = await kept.start({
    shards: 1,
    args: PLAIN,
  });
  for (let nth = 0; nth < megabytes; nth += 1) {
    await client.call('SET', `k${nth}`, randomBytes(1024 ** 2));
  }
  await kept.kill();
  return kept.data;
}

backups('a backup that is killed leaves no folder that looks like one', async () => {
  const data = await largeData(100);
  for (const signal of ['SIGKILL', 'SIGTERM', 'SIGINT'] as const) {
    const output = folder.newPath();
    const args = [mainFile, 'backup', '--data-dir', data, '--output', output];
    const child = spawn(process.execPath, args, { stdio: 'ignore' });
    const ended = once(child, 'exit') as Promise<[number | null]>;
    await until(() => fs.existsSync(`${output}.partial`), 'the backup is under way');
    child.kill(signal);
    const [code] = await ended;
    assert.not(code === 0, 'it was ended before its end');
    assert.not(fs.existsSync(output));
    assert.is(fs.existsSync(`${output}.partial`), signal === 'SIGKILL');
    if (signal !== 'SIGKILL') continue;
    const partial = `${output}.partial`;
    assert.match(
      await folder.refused('restore', '--from', partial, '--dry-run'),
      'is no complete backup',
    );
  }
  await folder.backup(data);
});

backups('a full disk is reported, and nothing of the backup stays on it', async () => {
  const disk = SmallDisk.mount(folder.newPath(), 8);
  if (disk === undefined) return;
  try {
    const data = await largeData(20);
    const output = path.join(disk.folder, 'backup');
    const error = await folder.refused('backup', '--data-dir', data, '--output', output);
    assert.match(error, `${output} cannot be written: the disk is full; nothing of it was kept`);
    assert.equal(fs.readdirSync(disk.folder), []);
    const from = await folder.backup(data);
    const target = path.join(disk.folder, 'data');
    assert.match(
      await folder.refused('restore', '--from', from, '--data-dir', target),
      'cannot be written: the disk is full; nothing of it was kept',
    );
    assert.equal(fs.readdirSync(path.join(target, 'snapshots')), []);
  } finally {
    disk.unmount();
  }
});

backups.run();
