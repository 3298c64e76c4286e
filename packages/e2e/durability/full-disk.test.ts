/** A shard writes its log itself where replies wait for it: what happens when there is no more room, and when there is again. */
import { execFileSync } from 'node:child_process';
import { needs, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keptServers } from './kept-server.ts';

const full = suite('no room for a log');

const QUIET = ['--set', 'snapshot.interval-secs=0'];
/** In sync mode less than the zeros that are written ahead take. */
const FILE_BYTES_MAX = 300_000;
const VALUE = 'x'.repeat(10_000);
const WRITES_MAX = 300;

const newServer = keptServers(full);

function limitFiles(pid: number, bytes: number | 'unlimited'): void {
  // The soft limit alone: without privileges a hard one could not be raised again.
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${String(bytes)}:`]);
}

/** With `readonly`. */
function isRefusedIn(mode: string): void {
  full(
    `${mode} mode: what was acknowledged is kept, the rest refused until a snapshot has it`,
    async () => {
      const server = newServer();
      const args = [...QUIET, '--set', `persistence.durability-mode=${mode}`];
      const client = await server.start({ shards: 1, args });
      const acknowledged: string[] = [];
      limitFiles(server.server.pid, FILE_BYTES_MAX);
      let refusal = '';
      for (let nth = 0; nth < WRITES_MAX && refusal === ''; nth += 1) {
        const reply = textOf(await client.reply('SET', `key:${String(nth)}`, VALUE));
        if (reply === 'OK') acknowledged.push(`key:${String(nth)}`);
        else refusal = reply;
      }
      assert.match(refusal, /^MISCONF Errors writing to the AOF file/);
      await server.reported(/the log of shard 0 cannot be written: EFBIG/);
      limitFiles(server.server.pid, 'unlimited');
      await server.reported('Log writes resumed');
      await until(
        async () => textOf(await client.reply('SET', 'after', '1')) === 'OK',
        'writes are taken again',
      );
      acknowledged.push('after');
      const { stdout, stderr } = server.server;
      assert.not.match(`${stdout}${stderr}`, 'File descriptor');
      await server.kill();
      const again = await server.start({ shards: 1, args });
      assert.is(await again.call('EXISTS', ...acknowledged), acknowledged.length);
      await server.stop();
    },
  );
}

if (needs('prlimit')) {
  for (const mode of ['sync', 'periodic']) isRefusedIn(mode);

  full('wal-failure-policy: continue answers what periodic mode could not write', async () => {
    const server = newServer();
    const policy = ['--set', 'persistence.wal-failure-policy=continue'];
    const client = await server.start({ shards: 1, args: [...QUIET, ...policy] });
    limitFiles(server.server.pid, FILE_BYTES_MAX);
    for (let nth = 0; nth < WRITES_MAX; nth += 1) {
      assert.is(await client.call('SET', `key:${String(nth)}`, VALUE), 'OK');
    }
    await server.reported(/the log of shard 0 cannot be written: EFBIG/);
    assert.is(await client.call('DBSIZE'), WRITES_MAX);
    limitFiles(server.server.pid, 'unlimited');
    await server.stop();
  });
}

full.run();
