import { createHash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Settings } from '#config';
import { summaryLines } from './inspect.ts';
import { summaryOf } from './summary.ts';

const summaries = suite('summary of a bundle');

const CREATED_MS = Date.UTC(2026, 0, 2, 3, 4, 5);
const PREFIX = 'svc-bundle-20260102T030405Z-abcdef';

const event = (ms: number, message: string): object => ({
  seq: 1,
  time_ms: ms,
  kind: 'settings',
  event: 'x',
  level: 'info',
  thread: 'main',
  message,
  fields: { setting: 'a' },
});
const slow = (us: number, command: string): object => ({
  duration_us: us,
  command,
  args: ['k\u001b[2J'],
  client_addr: 'there',
  shard: null,
});

const documents: Record<string, string> = {
  'status.json': JSON.stringify({
    frogdb: { uptime_secs: 70 },
    health: {
      status: 'degraded',
      issues: [{ severity: 'warning', code: 'MEMORY_PRESSURE', message: 'memory is at 95 %' }],
      limited_by: [{ cause: 'key', message: 'one key takes 80 %', advice: 'Split the key.' }],
    },
  }),
  'slowlog.json': JSON.stringify({ entries: [slow(20, 'get'), slow(3_000, 'keys')] }),
  'clients.json': JSON.stringify({ error: 'main did not answer in time' }),
  'hot-keys.json': JSON.stringify({
    session: null,
    window: { window: { keys: [{ key: 'warm', ops_per_sec: 90 }] } },
  }),
  'events.json': JSON.stringify({
    events: [
      event(CREATED_MS - 1_000, 'a setting was changed'),
      event(CREATED_MS - 3_700_000, 'old'),
    ],
  }),
  'config.toml': new Settings().toToml({ hideSecrets: true }).replace('port = 6379', 'port = 7000'),
  'doctor.txt': 'all is well\n',
};

function bundle(
  files: Record<string, string>,
  change: (contents: Map<string, Buffer>) => void = () => undefined,
): ReadonlyMap<string, Buffer> {
  const listed = Object.entries(files).map(([name, text]) => ({
    name,
    sha256: createHash('sha256').update(text).digest('hex'),
  }));
  const manifest = {
    id: '20260102T030405Z-abcdef',
    created_at: new Date(CREATED_MS).toISOString(),
    version: '0.3.0',
    files: listed,
  };
  const contents = new Map(
    Object.entries({ 'manifest.json': JSON.stringify(manifest), ...files }).map(([name, text]) => [
      `${PREFIX}/${name}`,
      Buffer.from(text),
    ]),
  );
  change(contents);
  return contents;
}

summaries('has what limits the server, slowest first, and the settings that were changed', () => {
  const summary = summaryOf(bundle(documents));
  assert.is(summary.health?.status, 'degraded');
  assert.equal(
    summary.slowest?.map(({ command }) => command),
    ['keys', 'get'],
  );
  assert.equal(summary.changed_settings, [{ name: 'server.port', value: '7000', default: '6379' }]);
  assert.equal(
    summary.events?.map(({ message }) => message),
    ['a setting was changed'],
  );
  assert.equal(summary.hot_keys, [{ key: 'warm', accesses: '90 per second' }]);
  assert.is(summary.largest_clients, null);
  assert.equal(summary.problems, [
    'clients.json has an error in place of its document: main did not answer in time',
  ]);
});

summaries('prints a terminal none of the control characters of the bundle', () => {
  const text = summaryLines(summaryOf(bundle(documents))).join('\n');
  assert.match(text, 'key: one key takes 80 %');
  assert.match(text, 'Largest clients: unknown');
  assert.match(text, 'keys k?[2J');
  assert.not.match(text, '\u001b');
});

summaries('names missing and damaged files', () => {
  const files = bundle(documents, (contents) => {
    contents.delete(`${PREFIX}/doctor.txt`);
    contents.set(`${PREFIX}/slowlog.json`, Buffer.from('{"entries":'));
  });
  const { problems, slowest, doctor } = summaryOf(files);
  assert.is(slowest, null);
  assert.is(doctor, null);
  assert.ok(problems.includes('doctor.txt is missing'));
  assert.ok(problems.includes('slowlog.json is damaged: its checksum differs'));
  assert.ok(problems.some((problem) => problem.startsWith('slowlog.json is no JSON')));
});

summaries('refuses the files of anything else', () => {
  assert.throws(() => summaryOf(new Map([['a.txt', Buffer.from('a')]])), /no diagnostic bundle/);
  const broken = bundle(documents, (contents) => {
    contents.set(`${PREFIX}/manifest.json`, Buffer.from('{}'));
  });
  assert.throws(() => summaryOf(broken), /its manifest.json cannot be read/);
});

summaries.run();
