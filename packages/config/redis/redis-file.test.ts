import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigError, load, type Loaded } from '../load.ts';

const redisFile = suite('redis.conf');
let folder = '';

redisFile.before.each(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'redis-conf-'));
});
redisFile.after.each(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

function loaded(text: string): Loaded {
  write('redis.conf', text);
  return load({ args: ['--config', 'redis.conf'], environment: {}, folder });
}

function values(text: string, ...names: string[]): readonly string[] {
  return loaded(text)
    .settings.configGet(names)
    .map(([, value]) => value);
}

function refusal(text: string): string {
  try {
    loaded(text);
  } catch (error) {
    assert.instance(error, ConfigError);
    return (error as ConfigError).message;
  }
  return 'accepted';
}

redisFile('directives are settings, with Redis’ quotes, sizes and repeated lines', () => {
  const text = [
    '# a comment',
    '  PORT 7000',
    'port 7001',
    'bind 127.0.0.1 -::1',
    'requirepass "pass \\"word\\x21"',
    "notify-keyspace-events 'KEA'",
    'maxmemory 1gb',
    'save 900 1',
    'save 300 10 60 10000',
    'client-output-buffer-limit normal 1mb 0 0',
    'client-output-buffer-limit replica 2mb 1mb 10',
    'loglevel notice',
    'hash-max-ziplist-entries 7',
    '',
  ].join('\r\n');
  assert.equal(values(text, 'port', 'bind', 'requirepass', 'maxmemory', 'save'), [
    ...['7001', '127.0.0.1 -::1', 'pass "word!', '1073741824'],
    '900 1 300 10 60 10000',
  ]);
  assert.equal(values(text, 'client-output-buffer-limit', 'hash-max-listpack-entries'), [
    'normal 1048576 0 0 slave 2097152 1048576 10 pubsub 33554432 8388608 60',
    '7',
  ]);
  assert.equal(values(text, 'notify-keyspace-events', 'loglevel'), ['AKE', 'notice']);
});

redisFile('text is UTF-8, and a password is bytes', () => {
  const text = 'dir /srv/dätä\nrequirepass pässword\n';
  assert.equal(values(text, 'dir'), ['/srv/dätä']);
  assert.equal(values(text, 'requirepass'), [Buffer.from('pässword').toString('latin1')]);
});

redisFile('an empty save takes back those before it', () => {
  assert.equal(values('save 900 1\nsave ""\n', 'save'), ['']);
  assert.equal(values('save ""\nsave 60 1\n', 'save'), ['60 1']);
});

redisFile('without its log Redis keeps snapshots: only without both nothing is kept', () => {
  const keeps = (text: string): boolean => loaded(text).settings.boolean('persistence.enabled');
  assert.is(keeps('appendonly no\n'), true);
  assert.is(keeps('appendonly no\nsave 60 1\n'), true);
  assert.is(keeps('appendonly no\nsave ""\n'), false);
  assert.is(keeps('save ""\nappendonly yes\n'), true);
});

redisFile('places without a folder are in dir, where Redis works', () => {
  const text = 'logfile redis.log\nunixsocket r.sock\ndir /srv\n';
  assert.equal(values(text, 'dir', 'logfile', 'unixsocket'), [
    ...['/srv', '/srv/redis.log', '/srv/r.sock'],
  ]);
  assert.equal(values('dir /srv\nlogfile ""\nunixsocket /r.sock\n', 'logfile', 'unixsocket'), [
    ...['', '/r.sock'],
  ]);
});

redisFile('includes files, by patterns too', () => {
  mkdirSync(path.join(folder, 'conf.d'));
  write('conf.d/1.conf', 'port 1\nhz 20\n');
  write('conf.d/2.conf', 'port 2\n');
  const more = write('more.conf', 'timeout 5\n');
  const text = `include ${folder}/conf.d/*.conf ${more}\nmaxclients 7\n`;
  assert.equal(values(text, 'port', 'hz', 'timeout', 'maxclients'), ['2', '20', '5', '7']);
  assert.match(refusal(`include ${folder}/none.conf\n`), 'none.conf: cannot be read: ENOENT');
  assert.match(refusal(`include ${folder}/redis.conf\n`), 'include each other without end');
  assert.is(refusal(`include ${folder}/none.d/*.conf\n`), 'accepted');
});

redisFile('what has no meaning is told once, by reasons', () => {
  const { warnings } = loaded(
    'daemonize yes\npidfile /run/r.pid\nrdb-del-sync-files no\nlazyfree-lazy-expire yes\n',
  );
  assert.equal(
    warnings.map(({ message }) => message),
    [
      'redis.conf: some directives have no meaning here. ' +
        'The service manager does this: svc stays in the foreground (daemonize, pidfile). ' +
        'Full syncs are never stored as files (rdb-del-sync-files).',
    ],
  );
});

redisFile('what Redis takes and does not show stops no start', () => {
  const { warnings } = loaded(
    'cluster-ping-interval 500\nclient-default-resp 2\naof-disable-auto-gc no\nwatchdog-period 5\n',
  );
  assert.equal(
    warnings.map(({ message }) => message),
    [
      'redis.conf: some directives have no meaning here. ' +
        'There is no cluster bus: nodes agree through a coordinator (cluster-ping-interval). ' +
        'STATUS JSON reports stuck threads (watchdog-period).',
    ],
  );
});

const refused: readonly (readonly [line: string, message: string])[] = [
  [
    'maxmemory much',
    'redis.conf:1: maxmemory much is not allowed: argument must be a memory value',
  ],
  ['maxmemmory 1gb', 'redis.conf:1: unknown directive maxmemmory; did you mean maxmemory?'],
  ['save 1', 'redis.conf:1: save 1 is not allowed: Invalid save parameters'],
  ['port "1', 'redis.conf:1: the quotes do not match'],
  ['user', 'redis.conf:1: user needs a name'],
  ['user a on\nuser a off', 'redis.conf:2: Duplicate user found.'],
  [
    'rename-command CONFIG ""',
    'redis.conf:1: rename-command is not allowed. Commands cannot be renamed; ACL rules take one away',
  ],
  [
    'replicaof 10.0.0.1',
    'redis.conf:1: replicaof 10.0.0.1 is not allowed: it takes a host and a port',
  ],
  ['slaveof 10.0.0.1 70000', 'redis.conf:1: slaveof 10.0.0.1 70000 is not allowed:'],
  ['tls-cluster yes', 'redis.conf:1: tls-cluster is not allowed. There is no cluster bus'],
];
for (const [line, message] of refused) {
  redisFile(`${line} is refused`, () => assert.match(refusal(`${line}\n`), message));
}

redisFile('the last line says whose replica the server is', () => {
  const text = 'slaveof 10.0.0.1 6380\nreplicaof primary 6381\nmasterauth secret\n';
  assert.equal(values(text, 'replicaof', 'slaveof'), ['primary 6381', 'primary 6381']);
  assert.equal(values(`${text}replicaof no one\n`, 'replicaof'), ['']);
});

redisFile('a file with sections is TOML, whatever its name', () => {
  assert.equal(values('[server]\nport = 7\n', 'port'), ['7']);
});

redisFile('is turned into TOML that says the same', () => {
  const { settings } = loaded('port 7000\nsave 900 1\nsave 60 100\nbind 127.0.0.1 ::1\n');
  writeFileSync(path.join(folder, 'svc.toml'), settings.toToml({ hideSecrets: true }));
  const { settings: again } = load({ args: [], environment: {}, folder });
  assert.equal(again.snapshot(), settings.snapshot());
});

redisFile(
  'is rewritten: changed lines in their place, others as they were, new ones at the end',
  () => {
    const { settings } = loaded(
      '# mine: Größe\nhz 20\nmaxclients 7\nHZ 30\nsave 900 1\nsave 60 100\nrequirepass old\n',
    );
    settings.configSet([
      ['hz', '40'],
      ['save', '300 1 10 5'],
      ['requirepass', 'two "words\\'],
      ['timeout', '5'],
      ['client-output-buffer-limit', 'normal 1mb 0 0'],
      ['latency-bands-enabled', 'yes'],
    ]);
    settings.rewrite();
    const written = readFileSync(path.join(folder, 'redis.conf'), 'utf8').split('\n');
    assert.equal(written.slice(0, 5), [
      ...['# mine: Größe', 'maxclients 7', 'hz 40', 'save 300 1 10 5'],
      'requirepass "two \\"words\\\\"',
    ]);
    assert.is(written[5], '# Generated by CONFIG REWRITE');
    const again = load({ args: ['--config', 'redis.conf'], environment: {}, folder });
    assert.equal(again.settings.snapshot(), settings.snapshot());
    settings.configSet([['save', '']]);
    settings.rewrite();
    const last = load({ args: ['--config', 'redis.conf'], environment: {}, folder });
    assert.equal(last.settings.configGet(['save']), [['save', '']]);
  },
);

redisFile.run();
