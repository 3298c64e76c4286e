/** Clients of other languages run a session of an application: redis-py, phpredis and Perl's Redis. */
// test-tier: long
// test-again: SVC_SERVER__MULTIPLEXING_API=libuv
// test-again: SVC_SERVER__FRONT_THREADS=1
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startServer } from '#testkit';

const languages = suite('clients of other languages');

const PROGRAMS = path.resolve(import.meta.dirname, '../../../../packages/e2e/libraries/programs');

/** Interpreters with the check that their client library is installed. Debian's packages belong to Debian's interpreter. */
const CLIENTS = [
  {
    library: 'python3-redis',
    program: '/usr/bin/python3',
    file: 'session.py',
    check: ['-c', 'import redis'],
  },
  { library: 'php-redis', program: 'php', file: 'session.php', check: ['-r', 'new Redis();'] },
  {
    library: 'libredis-perl',
    program: '/usr/bin/perl',
    file: 'session.pl',
    check: ['-MRedis', '-e', '1'],
  },
] as const;

for (const { library, program, file, check } of CLIENTS) {
  if (spawnSync(program, check).status !== 0) {
    // The runner takes this line for a test that was left out, and fails where CI is set.
    process.stdout.write(`left out: needs ${library}\n`);
    continue;
  }
  languages(`${library}: values, pipelines, transactions, errors, scripts`, async () => {
    const server = await startServer({ shards: 2 });
    try {
      const child = spawn(program, [path.join(PROGRAMS, file), String(server.port)]);
      let output = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
      }
      const [code] = (await once(child, 'close')) as [number | null];
      assert.is(code, 0, output);
      assert.match(output, /done\n$/);
    } finally {
      await server.stop();
    }
  });
}

languages.run();
