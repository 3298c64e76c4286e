/** Options and variables that are nearly right are answered with the right one. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigError, load } from '../load.ts';

const hints = suite('hints');

const input = { args: [], environment: {}, folder: '/nowhere' };

function refusal(args: readonly string[]): string {
  try {
    load({ ...input, args });
  } catch (error) {
    assert.instance(error, ConfigError);
    return (error as ConfigError).message;
  }
  return 'accepted';
}

const cases: readonly (readonly [words: string, hint: string])[] = [
  ['-h', '--help'],
  ['-v', '--version'],
  ['-p 7000', '--port'],
  ['--prot 7000', '--port'],
  ['--maxmemory-policy allkeys-lru', '--set memory.maxmemory-policy=...'],
  ['--dir data', '--data-dir'],
  ['--loglevel debug', '--log-level'],
  ['--save 900 1', '--set snapshot.interval-secs=...'],
  ['--appendonly yes', '--set persistence.enabled=...'],
  ['redis.conf', '--config FILE'],
];
for (const [words, hint] of cases) {
  hints(`${words}: ${hint}`, () => {
    const message = refusal(words.split(' '));
    assert.match(message, `, did you mean ${hint}?`);
    assert.is(message.split('\n').length, 1, 'one mistake, one line');
  });
}

for (const [given, meant] of [
  ['port=1', 'server.port'],
  ['maxmemory-policy=noeviction', 'memory.maxmemory-policy'],
  ['save=900', 'snapshot.interval-secs'],
  ['server.prot=1', 'server.port'],
] as const) {
  hints(`--set ${given}: ${meant}`, () => {
    assert.match(refusal(['--set', given]), `; did you mean ${meant}?`);
  });
}

hints('a variable with one underscore is told, and not read', () => {
  const environment = {
    SVC_SERVER_PORT: 'tcp://10.0.0.1:6379',
    SVC_LOGGING_ROTATION_MAX_FILES: '3',
    SVC_PORT: '1',
  };
  const { warnings, settings } = load({ ...input, environment });
  assert.equal(
    warnings.map(({ event, message }) => [event, message.split(';', 1)[0]]),
    [
      ['environment-ignored', 'environment SVC_SERVER_PORT is not read'],
      ['environment-ignored', 'environment SVC_LOGGING_ROTATION_MAX_FILES is not read'],
    ],
  );
  assert.match(warnings[1]!.message, 'SVC_LOGGING__ROTATION__MAX_FILES');
  assert.is(settings.number('server.port'), 6379);
});

hints('bundles lie in the data folder, unless they have one of their own', () => {
  const folderOf = (...args: readonly string[]): string =>
    load({ ...input, args }).settings.string('debug-bundle.directory');
  assert.is(folderOf(), 'svc-data/bundles');
  assert.is(folderOf('--data-dir', '/srv/data'), '/srv/data/bundles');
  assert.is(folderOf('--data-dir', '/srv', '--set', 'debug-bundle.directory=/b'), '/b');
  for (const quoted of ['"/b c"', "'/b c'", '"/b\\u0020c"']) {
    assert.is(folderOf('--set', `debug-bundle.directory=${quoted}`), '/b c');
  }
  for (const text of ['"', '"/b', '"/b"c"']) {
    assert.is(folderOf('--set', `debug-bundle.directory=${text}`), text);
  }
});

hints.run();
