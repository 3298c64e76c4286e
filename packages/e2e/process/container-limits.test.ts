/**
 * A server in a cgroup of this machine: threads and maxmemory follow its limits.
 */
// test-tier: long

import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { launch, mainFile, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const limits = suite('limits of a container');

const ROOT = '/sys/fs/cgroup';
const NAME = `svc-test-${process.pid}`;
const MIB = 2 ** 20;

/** Files of a group with a limit of 1.5 processors and 512 MiB, by folder. */
const VERSION_1 = {
  [`${ROOT}/cpu/${NAME}`]: { 'cpu.cfs_period_us': '100000', 'cpu.cfs_quota_us': '150000' },
  [`${ROOT}/memory/${NAME}`]: { 'memory.limit_in_bytes': String(512 * MIB) },
};
const VERSION_2 = {
  [`${ROOT}/${NAME}`]: { 'cpu.max': '150000 100000', 'memory.max': String(512 * MIB) },
};

type Groups = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Makes the groups; returns whether this machine lets them be made. */
function made(groups: Groups): boolean {
  try {
    for (const [folder, files] of Object.entries(groups)) {
      mkdirSync(folder);
      for (const [file, text] of Object.entries(files))
        writeFileSync(path.join(folder, file), text);
    }
    return true;
  } catch {
    removed(groups);
    return false;
  }
}

function removed(groups: Groups): void {
  for (const folder of Object.keys(groups)) if (existsSync(folder)) rmdirSync(folder);
}

function isEmpty(groups: Groups): boolean {
  return Object.keys(groups).every(
    (folder) => readFileSync(path.join(folder, 'cgroup.procs'), 'utf8') === '',
  );
}

const groups: Groups = existsSync(`${ROOT}/cgroup.controllers`) ? VERSION_2 : VERSION_1;

if (made(groups)) {
  limits('are those that the server sizes itself by', async () => {
    const joined = Object.keys(groups).map((folder) => `echo $$ > ${folder}/cgroup.procs`);
    const server = await launch({
      program: 'sh',
      arguments: ({ port, folder }) => [
        ...['-c', [...joined, 'exec "$@"'].join(' && '), 'sh', process.execPath, mainFile],
        ...['--port', String(port), '--data-dir', folder, '--set', 'http.enabled=false'],
        ...['--set', 'server.front-threads=3'],
      ],
    });
    try {
      const client = await server.client();
      const info = await client.reply('INFO');
      if (typeof info !== 'string') throw new Error('INFO is a text');
      const lines = info.split('\r\n');
      for (const line of [
        ...['usable_processors:1', 'processor_limit:1.50', 'shards:1'],
        ...[`usable_memory:${512 * MIB}`, `maxmemory:${240 * MIB}`],
      ]) {
        assert.ok(lines.includes(line), line);
      }
      assert.match(server.stdout, /WARN +main too-many-front-threads/);
    } finally {
      await server.stop();
      await until(() => isEmpty(groups), 'the groups are empty');
      removed(groups);
    }
  });
} else {
  process.stdout.write('no cgroup can be made here: not tried\n');
}

limits.run();
