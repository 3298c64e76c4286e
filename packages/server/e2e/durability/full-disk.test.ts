/** In sync mode a shard writes its log itself: what happens when there is no more room, and when there is again. */
// test-limit: 60s
import { execFileSync } from 'node:child_process';
import { needs, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keptServers } from './kept-server.ts';

const full = suite('no room for a log in sync mode');

const SYNC = ['--set', 'persistence.durability-mode=sync', '--set', 'snapshot.interval-secs=0'];
/** Less than the zeros that are written ahead take. */
const FILE_BYTES_MAX = 300_000;
const VALUE = 'x'.repeat(10_000);
const WRITES_MAX = 300;

const newServer = keptServers(full);

function limitFiles(pid: number, bytes: number | 'unlimited'): void {
  // The soft limit alone: without privileges a hard one could not be raised again.
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${String(bytes)}:`]);
}

if (needs('prlimit')) {
  full('what was acknowledged is kept, the rest is refused until a snapshot holds it', async () => {
    const server = newServer();
    const client = await server.start({ shards: 1, args: SYNC });
    const acknowledged: string[] = [];
    limitFiles(server.server.pid, FILE_BYTES_MAX);
    let refusal = '';
    for (let nth = 0; nth < WRITES_MAX && refusal === ''; nth += 1) {
      const reply = textOf(await client.reply('SET', `key:${String(nth)}`, VALUE));
      if (reply === 'OK') acknowledged.push(`key:${String(nth)}`);
      else refusal = reply;
    }
    assert.match(refusal, /^MISCONF Errors writing to the AOF file/);
    await server.told(/the log of shard 0 cannot be written: EFBIG/);
    limitFiles(server.server.pid, 'unlimited');
    await server.told('the log is written again');
    await until(
      async () => textOf(await client.reply('SET', 'after', '1')) === 'OK',
      'writes are taken again',
    );
    acknowledged.push('after');
    const { stdout, stderr } = server.server;
    assert.not.match(`${stdout}${stderr}`, 'File descriptor');
    await server.kill();
    const again = await server.start({ shards: 1, args: SYNC });
    assert.is(await again.call('EXISTS', ...acknowledged), acknowledged.length);
  });
}

full.run();
