import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { targets } from '../config-names.ts';
import { Settings } from '../runtime.ts';
import { redisNames, redisReference, whyUnknown } from './redis-reference.ts';

const reference = suite('settings of Redis');

reference('each of the 202 is known, or it is said why not', () => {
  assert.is(new Set(redisNames).size, 202);
  const unsaid = redisNames.filter((name) => !targets.has(name) && whyUnknown(name) === undefined);
  assert.equal(unsaid, []);
});

reference('each has its line', () => {
  const text = redisReference();
  for (const name of redisNames) assert.match(text, `| \`${name}\` | `);
  assert.match(text, '| `maxmemory` | `memory.maxmemory`; changeable while running. |');
  assert.match(text, '| `save` | `snapshot.interval-secs`, `snapshot.save-points`; changeable');
  assert.match(text, '| `tls-cert-file` | `tls.cert-file`; changeable while running. |');
  assert.match(text, '| `repl-timeout` | `replication.timeout-secs`; changeable while running. |');
  assert.match(text, '| `daemonize` | always `no`. The service manager');
  assert.match(text, '| `bgsave-cpulist` | always empty. ');
  assert.match(text, '| `rdb-del-sync-files` | unknown. Full syncs are never stored as files. |');
});

reference('it is said where a setting means something else here', () => {
  const lines = redisReference().split('\n');
  const lineOf = (name: string): string => lines.find((line) => line.startsWith(`| \`${name}\``))!;
  assert.match(lineOf('dbfilename'), 'never written');
  assert.match(lineOf('save'), 'Empty and not settable while appendonly is no.');
  assert.match(lineOf('appendonly'), 'including snapshots');
});

reference('of what a server alone has, all is told by CONFIG GET', () => {
  const ofOthers = /^(cluster|repl|replica|slave|master|min|syslog|max-new|rdb-del)-|^master/;
  const unknown = redisNames.filter((name) => !targets.has(name) && !ofOthers.test(name));
  assert.equal(unknown, ['active-defrag-max-scan-fields', 'appendfilename']);
  const reported = new Settings().configGet([
    ...['appenddirname', 'oom-score-adj-values', 'rdb-save-incremental-fsync'],
    ...['active-defrag-cycle-max', 'proc-title-template'],
  ]);
  assert.equal(
    reported.map(([, value]) => value),
    ['log', '0 0 0', 'yes', '9', ''],
  );
});

reference('no reason is for nothing', () => {
  for (const name of redisNames) assert.ok(targets.has(name) !== (whyUnknown(name) !== undefined));
  assert.is(whyUnknown('tls-of-nobody'), undefined);
});

reference.run();
