/** The judgement of --check-config: what a start would refuse for want of a place, it refuses too. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runMain } from './main-process.ts';

const checking = suite('check-config');

const folder = mkdtempSync(path.join(tmpdir(), 'svc-check-'));
checking.after(() => {
  rmSync(folder, { recursive: true });
});

checking('refuses the places that a start would not get, and leaves none behind', async () => {
  const plain = path.join(folder, 'a-file');
  writeFileSync(plain, 'precious');
  const http = ['--set', 'http.enabled=yes', '--set'];
  const data = ['--set', 'persistence.enabled=yes', '--data-dir'];
  const refused: readonly (readonly [args: readonly string[], problem: string])[] = [
    [['--bind', '192.0.2.1'], 'cannot listen on 192.0.2.1:6379: it is not an address of this'],
    [['--unix-socket', path.join(folder, 'none', 'a')], 'there is no folder'],
    [['--unix-socket', plain], 'the file exists and is not a socket'],
    [[...http, 'http.bind=192.0.2.1'], 'http: 192.0.2.1 is not an address of this machine'],
    [[...http, 'http.bind='], 'http.bind'],
    [[...data, plain], 'it is a file'],
    [[...data, path.join(plain, 'below')], 'its parent is a file'],
  ];
  for (const [args, problem] of refused) {
    const end = await runMain(['--check-config', ...args]);
    assert.is(end.exitCode, 1, args.join(' '));
    assert.match(end.stderr, problem);
  }
  const unmade = path.join(folder, 'above', 'data');
  const port = ['--port', String(await freePort()), '--bind', '127.0.0.1 -192.0.2.1'];
  const good = await runMain(['--check-config', ...port, ...data, unmade]);
  assert.equal([good.exitCode, good.stderr], [0, '']);
  assert.not.ok(existsSync(path.dirname(unmade)));
});

checking.run();
