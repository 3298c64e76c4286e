import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigError, load, type Loaded, type LoadInput } from './load.ts';

const loading = suite('load');
let folder = '';

loading.before.each(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'config-'));
});
loading.after.each(() => rmSync(folder, { recursive: true, force: true }));

function loaded(toml: string | undefined, input: Partial<LoadInput> = {}): Loaded {
  if (toml !== undefined) writeFileSync(path.join(folder, 'svc.toml'), toml);
  return load({ args: [], environment: {}, folder, ...input });
}

function refusal(toml: string | undefined, input: Partial<LoadInput> = {}): string {
  try {
    loaded(toml, input);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message;
  }
  return 'accepted';
}

loading('has the defaults when nothing is said', () => {
  const { settings, action, warnings } = loaded(undefined);
  assert.is(settings.number('server.port'), 6379);
  assert.equal(settings.list('server.bind'), ['127.0.0.1']);
  assert.is(settings.get('http.enabled'), true);
  assert.equal(settings.numbers('latency-bands.bands'), [1, 5, 10, 50, 100, 500]);
  assert.equal([action, warnings], [{ kind: 'serve' }, []]);
  assert.is(settings.file, undefined);
});

loading('lets the later source win', () => {
  const toml = '[server]\nport = 7001\n[slowlog]\nmax-len = 1\nmax-arg-len = 2\n';
  const environment = {
    SVC_SLOWLOG__MAX_LEN: '10',
    SVC_SERVER__PORT: '7002',
    HOME: '/',
    SVC_PORT: 'x',
  };
  const { settings } = loaded(toml, { environment, args: ['--port', '7003'] });
  assert.is(settings.number('server.port'), 7003);
  assert.is(settings.number('slowlog.max-len'), 10);
  assert.is(settings.number('slowlog.max-arg-len'), 2);
  const origins = new Map(settings.entries().map(({ name, source }) => [name, source]));
  assert.equal(
    ['server.port', 'slowlog.max-len', 'slowlog.max-arg-len', 'http.port'].map((name) =>
      origins.get(name),
    ),
    ['cli', 'env', 'file', 'default'],
  );
});

loading('reads every form of a TOML value', () => {
  const { settings } = loaded(
    `
    server.proto-max-bulk-len = 2097152
    [server]
    bind = ["127.0.0.1", "::1"]
    query-buffer-limit = "2gb"
    client-output-buffer-limit-pubsub = "1mb 512kb 5"
    [latency-bands]
    enabled = true
    bands = [
      2, # two
      4,
    ]
    [logging]
    rotation.max-files = 7
    [tracing]
    sampling-rate = 1
    [memory]
    maxmemory = "1g"
    maxmemory-clients = "5%"
  `.replace('    server.proto-max-bulk-len = 2097152\n', ''),
  );
  assert.equal(settings.list('server.bind'), ['127.0.0.1', '::1']);
  assert.is(settings.number('server.query-buffer-limit'), 2 * 1024 ** 3);
  assert.equal(settings.numbers('server.client-output-buffer-limit-pubsub'), [2 ** 20, 2 ** 19, 5]);
  assert.equal(settings.numbers('latency-bands.bands'), [2, 4]);
  assert.is(settings.number('logging.rotation.max-files'), 7);
  assert.is(settings.number('tracing.sampling-rate'), 1);
  assert.is(settings.number('memory.maxmemory'), 1_000_000_000);
  assert.is(settings.number('memory.maxmemory-clients'), -5);
});

const badFiles: readonly (readonly [toml: string, message: string])[] = [
  [
    '[server]\nport = 70000',
    'svc.toml:2: server.port = 70000 is not allowed; allowed is an integer from 0 to 65535',
  ],
  [
    '[server]\n\nport = "6379"',
    'svc.toml:3: server.port = "6379" is not allowed; allowed is an integer from 0 to 65535',
  ],
  [
    '[server]\nport = 6379.5 # half',
    'svc.toml:2: server.port = 6379.5 is not allowed; allowed is an integer from 0 to 65535',
  ],
  ['[server]\nprot = 1', 'svc.toml:2: unknown key server.prot; did you mean server.port?'],
  ['[servre]\nport = 1', 'svc.toml: unknown section [servre]; did you mean [server]?'],
  ['port = 1', 'svc.toml:1: unknown key port'],
  ['[logging]\nrotation = 5', 'svc.toml:2: unknown key logging.rotation'],
  [
    '[logging]\nlevel = "loud"',
    'svc.toml:2: logging.level = "loud" is not allowed; allowed is one of "trace", "debug", "info", "warn", "error"',
  ],
  [
    '[http]\nenabled = "yes"',
    'svc.toml:2: http.enabled = "yes" is not allowed; allowed is true or false',
  ],
  [
    '[http]\ntoken = 12345',
    'svc.toml:2: http.token = (hidden) is not allowed; allowed is a string',
  ],
  [
    '[tiered]\nenabled = 1',
    'svc.toml:2: tiered.enabled = 1 is not allowed; allowed is true or false',
  ],
  [
    '[latency-bands]\nbands = [5, 1]',
    'svc.toml:2: latency-bands.bands = [5, 1] is not allowed; allowed is an array of at most 32 rising integers from 1 to 3600000',
  ],
  ...['collector', 'ftp://host:1', 'http://host:4317/v1/traces'].map(
    (endpoint) =>
      [
        `[tracing]\notlp-endpoint = "${endpoint}"`,
        `svc.toml:2: tracing.otlp-endpoint = "${endpoint}" is not allowed; allowed is a URL such as "http://localhost:4317" or "https://collector:4317"`,
      ] as const,
  ),
  ['[server]\nport = = 1', 'svc.toml:2: not TOML: Unexpected character, expecting string'],
  ['[server]\nport = 1\nport = 2', "svc.toml:3: not TOML: Can't redefine existing key"],
];

for (const [toml, message] of badFiles) {
  loading(`refuses ${JSON.stringify(toml)}`, () => {
    assert.ok(refusal(toml).startsWith(message), refusal(toml));
  });
}

loading('catches integers that the parser wraps or hands over as bigint', () => {
  for (const digits of ['18446744073709551621', '9223372036854775808', '0x1_0000_0000_0000_0005']) {
    assert.match(refusal(`[slowlog]\nmax-len = ${digits} # huge`), 'slowlog.max-len = ');
  }
  assert.match(refusal('[slowlog]\nmax-len = 9007199254740993'), 'is not allowed');
  assert.match(refusal('[latency-bands]\nbands = [1, 18446744073709551618]'), 'is not allowed');
});

loading('tells all mistakes at once', () => {
  const message = refusal('[server]\nport = -1\nshards = 99', {
    environment: { SVC_SERVER__PROT: '1', SVC_HTTP__PORT: 'x' },
    args: ['--shards=x', '--prot', '1', '--set', 'nothing.here=1', '--set', 'x'],
  });
  assert.equal(
    message.split('\n').map((line) => line.replace(/(;| is not).*/, '')),
    [
      'svc.toml:2: server.port = -1',
      'svc.toml:3: server.shards = 99',
      'environment SVC_SERVER__PROT: unknown setting',
      'environment SVC_HTTP__PORT: http.port = x',
      'command line: unknown option --prot, did you mean --port?',
      'command line: --set needs section.key=value',
      'command line --shards: server.shards = x',
      'command line --set: unknown key nothing.here',
    ],
  );
});

loading('reads secrets from files that the environment names', () => {
  const secret = path.join(folder, 'secret');
  writeFileSync(secret, 'p a s s\n');
  const environment = { SVC_SECURITY__REQUIREPASS_FILE: secret };
  const { settings } = loaded(undefined, { environment });
  assert.is(settings.string('security.requirepass'), 'p a s s');
  const both = { ...environment, SVC_SECURITY__REQUIREPASS: 'x' };
  assert.match(refusal(undefined, { environment: both }), 'is set too; use one of them');
  const missing = { SVC_HTTP__TOKEN_FILE: path.join(folder, 'none') };
  assert.match(refusal(undefined, { environment: missing }), 'cannot read the file: ENOENT');
});

loading('knows a key that itself ends in -file', () => {
  const { settings } = loaded(undefined, { environment: { SVC_PERSISTENCE__RDB_FILE: 'a.rdb' } });
  assert.is(settings.string('persistence.rdb-file'), 'a.rdb');
});

loading('takes yes, no, true and false from environment and command line', () => {
  const environment = { SVC_HTTP__ENABLED: 'false', SVC_LATENCY_BANDS__ENABLED: 'YES' };
  const { settings } = loaded(undefined, { environment, args: ['--set', 'latency.tracking=no'] });
  assert.equal(
    [settings.boolean('http.enabled'), settings.boolean('latency-bands.enabled')],
    [false, true],
  );
  assert.is(settings.boolean('latency.tracking'), false);
});

loading('takes arrays of TOML from environment and command line', () => {
  const environment = { SVC_LATENCY_BANDS__BANDS: '[1, 5]', SVC_SERVER__BIND: '[::1]' };
  const args = ['--set', 'key-prefixes.prefixes=["a:","b c:"]'];
  assert.match(
    refusal(undefined, { args }),
    'key-prefixes.prefixes = ["a:","b c:"] is not allowed',
  );
  const { settings } = loaded(undefined, {
    environment,
    args: ['--set', 'key-prefixes.prefixes=["a:","b:"]'],
  });
  assert.equal(settings.list('key-prefixes.prefixes'), ['a:', 'b:']);
  assert.equal(settings.numbers('latency-bands.bands'), [1, 5]);
  assert.equal(settings.list('server.bind'), ['[::1]']);
  const origins = new Map(settings.entries().map(({ name, source }) => [name, source]));
  assert.equal(
    [origins.get('key-prefixes.prefixes'), origins.get('latency-bands.bands')],
    ['cli', 'env'],
  );
});

loading('takes a password as its bytes, as clients send it, wherever it is set', () => {
  const bytes = Buffer.from('pässword').toString('latin1');
  const toml = '[security]\nrequirepass = "pässword"\n';
  const environment = { SVC_SECURITY__REQUIREPASS: 'pässword' };
  for (const { settings } of [
    loaded(toml),
    loaded('', { environment }),
    loaded('', { args: ['--requirepass', 'pässword'] }),
  ]) {
    assert.is(settings.string('security.requirepass'), bytes);
    assert.match(settings.toToml({ hideSecrets: false }), 'requirepass = "pässword"');
  }
});

loading('understands the command line', () => {
  assert.equal(loaded(undefined, { args: ['--intrinsic-latency', '5'] }).action, {
    kind: 'intrinsic-latency',
    seconds: 5,
  });
  assert.match(
    refusal(undefined, { args: ['--intrinsic-latency', '-5'] }),
    '--intrinsic-latency needs whole seconds from 1 to 86400, not -5',
  );
  assert.match(refusal(undefined, { args: ['--port'] }), '--port needs a value');
  assert.match(refusal(undefined, { args: ['-p', '1'] }), 'unknown option -p');
  assert.match(refusal(undefined, { args: ['--print-config=x'] }), 'takes no value');
  assert.equal(loaded(undefined, { args: ['cluster', 'rebalance', '--dry-run'] }).action, {
    kind: 'tool',
    name: 'cluster rebalance',
    args: ['--dry-run'],
  });
  assert.is(loaded(undefined, { args: ['check-data', '--port', '7'] }).action.kind, 'check-data');
  assert.equal(loaded(undefined, { args: ['export-rdb', 'dump.rdb'] }).action, {
    kind: 'export-rdb',
    file: 'dump.rdb',
  });
  const probed = loaded(undefined, { args: ['probe', '--port', '7003'] });
  assert.is(probed.action.kind, 'probe');
  assert.is(probed.settings.number('server.port'), 7003);
  const task = ['backup', '--output', 'b', '--data-dir=d', '--port', '7003'];
  const backup = loaded(undefined, { args: task });
  assert.equal(backup.action, { kind: 'data-task', name: 'backup', args: ['--output', 'b'] });
  assert.is(backup.settings.string('persistence.data-dir'), 'd');
  assert.match(
    refusal(undefined, { args: ['restore', '--from', 'b', '--check-data'] }),
    'svc-server restore cannot be combined with --check-data',
  );
  assert.match(refusal(undefined, { args: ['prob'] }), 'an argument belongs to no option');
  assert.is(loaded(undefined, { args: ['--print-config'] }).action.kind, 'print-config');
  const { settings } = loaded(undefined, { args: ['--bind', '0.0.0.0 ::1'] });
  assert.equal(settings.list('server.bind'), ['0.0.0.0', '::1']);
  const checked = loaded(undefined, { args: ['--startup-latency-check'] });
  assert.is(checked.settings.boolean('latency.startup-test'), true);
});

loading('helps however wrong the rest is', () => {
  assert.is(loaded('nonsense', { args: ['--nonsense', '--help'] }).action.kind, 'help');
});

loading('uses the file it is given, and says when it cannot', () => {
  writeFileSync(path.join(folder, 'other.toml'), '[server]\nport = 1234\n');
  const { settings } = loaded('[server]\nport = 1\n', { args: ['--config=other.toml'] });
  assert.is(settings.number('server.port'), 1234);
  assert.is(settings.file, path.join(folder, 'other.toml'));
  assert.match(
    refusal(undefined, { args: ['--config', 'none.toml'] }),
    'none.toml: cannot be read',
  );
});

loading('refuses a token of viewers that would mean nothing', () => {
  const refused = (...args: string[]): string =>
    refusal(undefined, { args: args.flatMap((arg) => ['--set', arg]) });
  assert.match(
    refused('http.viewer-token=secret-v'),
    /http.viewer-token is set and http.token is not/,
  );
  const same = refused('http.viewer-token=secret-v', 'http.token=secret-v');
  assert.match(same, /http.viewer-token and http.token are the same/);
  assert.not.match(same, 'secret-v');
  loaded(undefined, { args: ['--set', 'http.viewer-token=v', '--set', 'http.token=t'] });
});

loading('refuses a token that no header can carry, and does not show it', () => {
  for (const name of ['http.token', 'http.viewer-token']) {
    for (const value of ['two words', 'li\nne', ' ', 'tab\t', 'schlüssel', '\u0000']) {
      const line = refusal('', { args: ['--set', `${name}=${value}`] });
      assert.match(line, `${name} = (hidden) is not allowed`);
      assert.match(line, 'a string of visible ASCII characters without blanks');
      const [section = '', key = ''] = name.split('.');
      const toml = `[${section}]\n${key} = ${JSON.stringify(value)}\n`;
      assert.match(refusal(toml), 'visible ASCII characters');
    }
  }
  const { settings } = loaded('', { args: ['--set', 'http.token=a-b_c.d~e+f/g==!{}"'] });
  assert.is(settings.string('http.token'), 'a-b_c.d~e+f/g==!{}"');
});

loading('refuses the path of a folder as the log file', () => {
  writeFileSync(path.join(folder, 'a-file'), '');
  const refused = (file: string): string =>
    refusal('', { args: ['--set', `logging.file-path=${file}`] });
  assert.match(refused(folder), `logging.file-path is ${folder}: that is a folder`);
  assert.match(refused('logs/'), 'that is the path of a folder');
  assert.match(refused(path.join(folder, 'a-file', 'x.log')), 'a part of it is no folder');
  loaded('', { args: ['--set', `logging.file-path=${path.join(folder, 'new', 'x.log')}`] });
  loaded('', { args: ['--set', `logging.file-path=${path.join(folder, 'a-file')}`] });
});

loading('warns of what is allowed but probably not meant', () => {
  const events = (...args: string[]): string[] =>
    loaded(undefined, { args: args.flatMap((arg) => ['--set', arg]) }).warnings.map(
      ({ event, severity }) => `${severity} ${event}`,
    );
  assert.equal(events('http.bind=0.0.0.0'), ['error http-open-to-the-network']);
  assert.equal(events('http.bind=0.0.0.0', 'http.token=t'), ['warn http-token-in-plaintext']);
  assert.equal(events('http.bind=0.0.0.0', 'http.enabled=false'), []);
  assert.equal(events('http.token=t'), []);
  assert.equal(events('server.bind=0.0.0.0'), ['warn no-password']);
  assert.equal(events('server.bind=::', 'security.protected-mode=no'), ['error no-password']);
  assert.equal(events('server.bind=::', 'security.requirepass=p'), []);
  assert.equal(events('logging.rotation.frequency=hourly'), ['warn rotation-without-file']);
  const never = ['logging.rotation.frequency=never', 'logging.rotation.max-size-mb=0'];
  const file = 'logging.file-path=svc.log';
  assert.equal(events(file, ...never), []);
  assert.equal(events(file, ...never, 'logging.rotation.max-files=3'), ['warn rotation-never']);
  assert.equal(events('server.port=0'), ['warn no-listener']);
});

loading.run();
