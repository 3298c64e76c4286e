import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { frontCount } from './front-count.ts';
import { load } from './load.ts';
import { ConfigCommandError, Settings } from './runtime.ts';

const runtime = suite('settings at run time');

function get(settings: Settings, ...patterns: string[]): Record<string, string> {
  return Object.fromEntries(settings.configGet(patterns));
}

function refusal(settings: Settings, ...words: string[]): string {
  const pairs = words.flatMap((word, index) =>
    index % 2 === 0 ? [[word, words[index + 1]!] as const] : [],
  );
  try {
    settings.configSet(pairs);
  } catch (error) {
    assert.ok(error instanceof ConfigCommandError, String(error));
    return error.message;
  }
  return 'OK';
}

runtime('CONFIG GET knows names, aliases and patterns, each once', () => {
  const settings = new Settings();
  assert.equal(settings.configGet(['maxmemory', 'MAXMEMORY', 'max?emory']), [['maxmemory', '0']]);
  assert.equal(settings.configGet(['MaxMemory']), [['MaxMemory', '0']]);
  assert.equal(get(settings, '*of'), { replicaof: '', slaveof: '' });
  assert.equal(get(settings, 'HASH-MAX-ZIP*'), {
    'hash-max-ziplist-entries': '512',
    'hash-max-ziplist-value': '64',
  });
  assert.equal(get(settings, 'nothing', 'client-output-buffer-limit-normal'), {});
  assert.equal(get(settings, 'key-load-delay'), { 'key-load-delay': '0' });
  assert.not.ok('key-load-delay' in get(settings, '*'));
  assert.ok(settings.configGet(['*']).length > 100);
});

const wordings: readonly (readonly [name: string, set: string, shown: string])[] = [
  ['maxmemory', '100mb', '104857600'],
  ['maxmemory', '1K', '1000'],
  ['maxmemory', '18446744073709551615', '18446744073709551615'],
  ['maxmemory-clients', '5%', '5%'],
  ['slowlog-log-slower-than', '-1', '-1'],
  ['slowlog-log-slower-than', '9223372036854775807', '9223372036854775807'],
  ['latency-bands', '1 2 3', '1 2 3'],
  ['latency-bands-enabled', 'YES', 'yes'],
  ['loglevel', 'WARN', 'warn'],
  ['notify-keyspace-events', 'KEA', 'AKE'],
  ['notify-keyspace-events', 'Kg$lszxeE', 'g$lszxeKE'],
  ['latency-tracking-info-percentiles', '0 50.5 100', '0 50.5 100'],
  ['latency-tracking-info-percentiles', '', ''],
  ['list-max-ziplist-size', '-3', '-3'],
  ['hz', '1000', '500'],
  ['hz', '0', '1'],
  ['loglevel', 'notice', 'notice'],
  ['loglevel', 'warning', 'warning'],
  ['loglevel', 'nothing', 'nothing'],
  ['loglevel', 'Verbose', 'verbose'],
  ['unixsocketperm', '0', '0'],
  [
    'client-output-buffer-limit',
    'replica 1mb 2kb 3 normal 1 2 3',
    'normal 1 2 3 slave 1048576 2048 3 pubsub 33554432 8388608 60',
  ],
  ['requirepass', 'secret', 'secret'],
  ['save', '', ''],
  ['save', '900 1', '900 1'],
  ['appendonly', 'yes', 'yes'],
  ['appendonly', 'no', 'no'],
  ['appendfsync', 'ALWAYS', 'always'],
  ['appendfsync', 'everysec', 'everysec'],
  ['appendfsync', 'no', 'no'],
  ['port', '6379', '6379'],
];

for (const [name, set, shown] of wordings) {
  runtime(`CONFIG SET ${name} '${set}' shows as '${shown}'`, () => {
    const settings = new Settings();
    assert.is(refusal(settings, name, set), 'OK');
    assert.equal(settings.configGet([name]), [[name, shown]]);
  });
}

const synonyms: readonly (readonly [name: string, value: string, other: string, shown: string])[] =
  [
    ['appendfsync', 'always', 'persistence-durability-mode', 'sync'],
    ['persistence-durability-mode', 'async', 'appendfsync', 'no'],
    ['save', '900 1', 'snapshot-interval-secs', '900'],
    ['save', '', 'snapshot-interval-secs', '0'],
    ['snapshot-interval-secs', '60', 'save', '60 1'],
    ['save', '60 10000 900 1 300 10', 'snapshot-interval-secs', '900'],
    ['save', '60 10000 300 10', 'snapshot-interval-secs', '0'],
    ['rdbcompression', 'no', 'snapshot-compression', 'no'],
  ];

for (const [name, value, other, shown] of synonyms) {
  runtime(`${name} '${value}' is ${other} '${shown}'`, () => {
    const settings = new Settings();
    assert.is(refusal(settings, name, value), 'OK');
    assert.equal(settings.configGet([other]), [[other, shown]]);
  });
}

runtime('save has several points; with nothing kept on disk it has none', () => {
  const settings = new Settings();
  assert.is(refusal(settings, 'save', '60 10000 900 1 300 10'), 'OK');
  assert.equal(settings.configGet(['save']), [['save', '900 1 60 10000 300 10']]);
  assert.equal(settings.list('snapshot.save-points'), ['60 10000', '300 10']);
  const args = ['--set', 'persistence.enabled=no'];
  const { settings: without } = load({ args, environment: {}, folder: '/nowhere' });
  assert.equal(without.configGet(['save']), [['save', '']]);
  assert.is(refusal(without, 'save', ''), 'OK');
  const reason = 'nothing is kept on disk: persistence.enabled is off';
  assert.match(refusal(without, 'save', '900 1'), reason);
  assert.equal(without.configGet(['save']), [['save', '']]);
  assert.match(refusal(without, 'save', 'x'), 'Invalid save parameters');
});

runtime('save is judged by the appendonly of the same CONFIG SET', () => {
  const args = ['--set', 'persistence.enabled=no'];
  const { settings } = load({ args, environment: {}, folder: '/nowhere' });
  const set = (...words: string[]): readonly (readonly [string, string])[] => {
    const pairs = words.flatMap((word, nth) =>
      nth % 2 === 0 ? [[word, words[nth + 1]!] as const] : [],
    );
    settings.configSet(pairs);
    return settings.configGet(['appendonly', 'save']);
  };
  const shows = (appendonly: string, save: string): readonly (readonly [string, string])[] => [
    ['appendonly', appendonly],
    ['save', save],
  ];
  assert.equal(set('save', '900 1 60 100', 'appendonly', 'yes'), shows('yes', '900 1 60 100'));
  assert.throws(() => set('appendonly', 'no', 'save', '60 1'), 'nothing is kept on disk');
  assert.equal(set('appendonly', 'no', 'save', '900 1 60 100'), shows('no', ''), 'as it was');
  assert.equal(set('save', '', 'appendonly', 'yes'), shows('yes', ''));
});

runtime('dir is told with all that is above it, and can be set to that', () => {
  const settings = new Settings();
  const [[, dir] = []] = settings.configGet(['dir']);
  assert.is(dir, path.resolve('svc-data'));
  assert.is(refusal(settings, 'dir', dir!), 'OK');
  assert.is(settings.string('persistence.data-dir'), 'svc-data');
});

const failed = (name: string, reason: string): string =>
  `CONFIG SET failed (possibly related to argument '${name}') - ${reason}`;

const refusals: readonly (readonly [words: readonly string[], message: string])[] = [
  [['nope', '1'], "Unknown option or number of arguments for CONFIG SET - 'nope'"],
  [['maxmemory', '1', 'MAXMEMORY', '2'], failed('MAXMEMORY', 'duplicate parameter')],
  [
    ['hash-max-listpack-value', '1', 'hash-max-ziplist-value', '2'],
    failed('hash-max-ziplist-value', 'duplicate parameter'),
  ],
  [['databases', '1'], failed('databases', "can't set immutable config")],
  [['appendonly', 'maybe'], failed('appendonly', "argument must be 'yes' or 'no'")],
  [
    ['appendfsync', 'often'],
    failed('appendfsync', 'argument(s) must be one of the following: always, everysec, no'),
  ],
  [['save', '900'], failed('save', 'Invalid save parameters')],
  [['save', '0 1'], failed('save', 'Invalid save parameters')],
  [['save', '900 1 300'], failed('save', 'Invalid save parameters')],
  [['sanitize-dump-payload', 'no'], failed('sanitize-dump-payload', "can't set immutable config")],
  [['daemonize', 'yes'], failed('daemonize', "can't set immutable config")],
  [
    ['io-threads-do-reads', frontCount(-1) > 0 ? 'no' : 'yes'],
    failed('io-threads-do-reads', "can't set immutable config"),
  ],
  [['tiered-enabled', 'yes'], failed('tiered-enabled', "can't set immutable config")],
  [
    ['maxmemory-samples', '0'],
    failed('maxmemory-samples', 'argument must be between 1 and 64 inclusive'),
  ],
  [
    ['slowlog-max-len', '-1'],
    failed('slowlog-max-len', 'argument must be between 0 and 9223372036854775807 inclusive'),
  ],
  [['timeout', '1x'], failed('timeout', "argument couldn't be parsed into an integer")],
  [['timeout', '01'], failed('timeout', "argument couldn't be parsed into an integer")],
  [
    ['timeout', '9223372036854775808'],
    failed('timeout', "argument couldn't be parsed into an integer"),
  ],
  [['maxmemory', '-1'], failed('maxmemory', 'argument must be a memory value')],
  [['maxmemory', '1tb'], failed('maxmemory', 'argument must be a memory value')],
  [
    ['maxmemory-clients', '200%'],
    failed('maxmemory-clients', 'percentage argument must be less or equal to 100'),
  ],
  [
    ['maxmemory-clients', 'x'],
    failed('maxmemory-clients', 'argument must be a memory or percent value'),
  ],
  [
    ['loglevel', 'loud'],
    failed(
      'loglevel',
      'argument(s) must be one of the following: ' +
        'trace, debug, info, warn, error, verbose, notice, warning, nothing',
    ),
  ],
  [['latency-tracking', 'maybe'], failed('latency-tracking', "argument must be 'yes' or 'no'")],
  [
    ['notify-keyspace-events', '?'],
    failed('notify-keyspace-events', "Invalid event class character. Use 'Ag$lshzxeKEtmdnoc'."),
  ],
  [
    ['latency-tracking-info-percentiles', '50 101'],
    failed(
      'latency-tracking-info-percentiles',
      'latency-tracking-info-percentiles parameters should sit between [0.0,100.0]',
    ),
  ],
  [
    ['client-output-buffer-limit', 'wrong 1 2 3'],
    failed(
      'client-output-buffer-limit',
      'Invalid client class specified in buffer limit configuration.',
    ),
  ],
  [
    ['client-output-buffer-limit', 'normal 1 2'],
    failed(
      'client-output-buffer-limit',
      'Wrong number of arguments in buffer limit configuration.',
    ),
  ],
  [
    ['client-output-buffer-limit', 'normal 1 x 3'],
    failed(
      'client-output-buffer-limit',
      'Error in hard, soft or soft_seconds setting in buffer limit configuration.',
    ),
  ],
];

for (const [words, message] of refusals) {
  runtime(`CONFIG SET ${words.join(' ')} is refused`, () =>
    assert.is(refusal(new Settings(), ...words), message),
  );
}

runtime('CONFIG SET does all or nothing', () => {
  const settings = new Settings();
  settings.configSet([['maxmemory', '10000002']]);
  const message = refusal(settings, 'maxmemory', '1', 'maxmemory-clients', '200%', 'timeout', 'x');
  assert.match(message, /maxmemory-clients/);
  assert.equal(get(settings, 'maxmemory'), { maxmemory: '10000002' });
});

runtime('tells listeners, and undoes everything when one refuses', () => {
  const settings = new Settings();
  const heard: number[] = [];
  settings.onChange('memory.maxmemory', (value) => heard.push(value));
  settings.onChange('server.timeout-secs', (value) => {
    if (value > 5) throw new Error('too long for this test');
  });
  settings.configSet([['maxmemory', '7']]);
  settings.configSet([['maxmemory', '7']]);
  assert.equal(heard, [7]);
  assert.is(
    refusal(settings, 'maxmemory', '8', 'timeout', '9'),
    failed('timeout', 'too long for this test'),
  );
  assert.equal(heard, [7, 8, 7]);
  assert.equal(get(settings, 'maxmemory', 'timeout'), { maxmemory: '7', timeout: '0' });
});

runtime('shows origin and mutability, and hides secrets', () => {
  const settings = new Settings();
  settings.configSet([['requirepass', 'secret']]);
  const entries = new Map(settings.entries().map((entry) => [entry.name, entry]));
  const { value, source, mutable } = entries.get('security.requirepass')!;
  assert.equal([value, source, mutable], ['(hidden)', 'runtime', true]);
  assert.is(entries.get('server.databases')?.mutable, false);
  assert.not.match(settings.toToml({ hideSecrets: true }), 'secret"');
  assert.match(settings.toToml({ hideSecrets: false }), 'requirepass = "secret"');
});

runtime('CONFIG GET hides tokens, and its answer can be set again', () => {
  const { settings } = load({
    args: ['--set', 'http.token=secret'],
    environment: {},
    folder: tmpdir(),
  });
  const shown = settings.configGet(['*token*']);
  assert.equal(shown, [
    ['http-token', '(hidden)'],
    ['http-viewer-token', ''],
  ]);
  settings.configSet(shown);
  assert.is(settings.string('http.token'), 'secret');
  assert.throws(() => {
    settings.configSet([['http-token', 'other']]);
  }, /immutable/);
});

runtime('gives a snapshot that can be sent to another thread', () => {
  const settings = new Settings();
  const snapshot = structuredClone(settings.snapshot());
  assert.is(snapshot['logging.level'], 'info');
  assert.equal(snapshot['server.bind'], ['127.0.0.1']);
});

const before = `# My server.
[server]
port = 7000     # the usual one

[slowlog]   # slow things
max-len   =   5  # few
# The end of slowlog.

[latency-bands]
bands = [
  1, # one
  2,
]
`;

const after = `# My server.
[server]
port = 7000     # the usual one

[slowlog]   # slow things
max-len   =   77  # few
log-slower-than = 5
# The end of slowlog.

[latency-bands]
bands = [3, 4]
enabled = true

[security]
requirepass = "quo\\"ted"

[memory]
maxmemory = "1mb"
`;

function inFolder(body: (folder: string) => void): () => void {
  return () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'rewrite-'));
    try {
      body(folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
}

runtime(
  'CONFIG REWRITE edits the file in place',
  inFolder((folder) => {
    const file = path.join(folder, 'svc.toml');
    writeFileSync(file, before);
    chmodSync(file, 0o600);
    const { settings } = load({ args: [], environment: {}, folder });
    settings.configSet([
      ['slowlog-max-len', '77'],
      ['slowlog-log-slower-than', '5'],
      ['latency-bands', '3 4'],
      ['latency-bands-enabled', 'yes'],
      ['maxmemory', '1mb'],
      ['requirepass', 'quo"ted'],
    ]);
    settings.rewrite();
    assert.is(readFileSync(file, 'utf8'), after);
    assert.is(statSync(file).mode & 0o777, 0o600);
    assert.equal(readdirSync(folder), ['svc.toml']);
    const again = load({ args: [], environment: {}, folder }).settings;
    assert.equal(again.snapshot(), settings.snapshot());
    settings.rewrite();
    assert.is(readFileSync(file, 'utf8'), after);
  }),
);

runtime(
  'CONFIG REWRITE leaves a file alone that it cannot edit',
  inFolder((folder) => {
    const file = path.join(folder, 'svc.toml');
    const inline = 'slowlog = { max-len = 5 }\n';
    writeFileSync(file, inline);
    const { settings } = load({ args: [], environment: {}, folder });
    assert.is(settings.number('slowlog.max-len'), 5);
    settings.configSet([['slowlog-max-len', '6']]);
    assert.throws(() => settings.rewrite(), /Rewriting config file/);
    assert.is(readFileSync(file, 'utf8'), inline);
  }),
);

runtime('CONFIG REWRITE needs a file', () => {
  assert.throws(() => new Settings().rewrite(), 'The server is running without a config file');
});

runtime.run();
