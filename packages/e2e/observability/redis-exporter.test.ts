/**
 * Fields that redis_exporter asks for: they are there and can be read as it reads them; see `redis-exporter-fields.ts`.
 */
import {
  byName,
  type ChildServer,
  type Reply,
  type RespClient,
  startServer,
  textOf,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ABSENT, PRESENT } from './redis-exporter-fields.ts';

const exporter = suite('redis_exporter');

let server: ChildServer;
let client: RespClient;
/** Lines of INFO ALL by section. */
let sections: Map<string, Map<string, string>>;

exporter.before(async () => {
  server = await startServer({ shards: 2, args: ['--set', 'slowlog.log-slower-than=0'] });
  client = await server.client();
  await client.call('CLIENT', 'SETNAME', 'redis_exporter');
  await client.pipeline([
    ['MSET', 'a', '1', 'b', '2', 'c', '3'],
    ['EXPIRE', 'a', '100'],
    ['GET', 'a'],
    ['HSET', 'h', 'f', 'v'],
    ['HEXPIRE', 'h', '100', 'FIELDS', '1', 'f'],
    ['SELECT', '3'],
    ['SET', 'd', '4'],
    ['SELECT', '0'],
  ]);
  await client.reply('INCR', 'h');
  await client.reply('NONSENSE');
  sections = sectionsOf(textOf(await client.call('INFO', 'ALL')));
});
exporter.after(async () => {
  await server.stop();
});

/** As it does: a line with `# ` begins a section, others are split at their first colon. */
function sectionsOf(info: string): Map<string, Map<string, string>> {
  const found = new Map<string, Map<string, string>>();
  let current = new Map<string, string>();
  for (const line of info.split('\n').map((each) => each.trim())) {
    const colon = line.indexOf(':');
    if (line.startsWith('# ')) {
      current = new Map();
      found.set(line.slice(2), current);
    } else if (colon > 0) {
      current.set(line.slice(0, colon), line.slice(colon + 1));
    }
  }
  return found;
}

function section(name: string): Map<string, string> {
  const found = sections.get(name);
  assert.ok(found !== undefined && found.size > 0, `INFO has # ${name}`);
  return found;
}

function fieldOf(name: string): string | undefined {
  for (const fields of sections.values()) {
    const value = fields.get(name);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** True when the exporter takes a text for a number. */
const isNumber = (text: string | undefined): boolean =>
  text !== undefined && text !== '' && Number.isFinite(Number(text));

for (const name of PRESENT) {
  exporter(`reads ${name}`, () => {
    const value = fieldOf(name);
    assert.ok(isNumber(value) || ['ok', 'err', 'fail', 'true', 'false'].includes(value ?? ''));
  });
}

for (const [reason, names] of ABSENT) {
  exporter(`does not find ${names[0] ?? ''} and the like: ${reason}`, () => {
    for (const name of names) assert.is(fieldOf(name), undefined, `${name} is here after all`);
  });
}

exporter('knows each field once', () => {
  const all = [...PRESENT, ...ABSENT.flatMap(([, names]) => names)];
  assert.is(new Set(all).size, all.length);
});

exporter('labels the instance', () => {
  const labels = ['role', 'redis_version', 'redis_mode', 'os', 'maxmemory_policy', 'tcp_port'];
  for (const name of [...labels, 'run_id', 'process_id', 'master_replid']) {
    assert.ok((fieldOf(name) ?? '') !== '', name);
  }
  assert.is(fieldOf('role'), 'master');
  // There is no build id: only the version distinguishes builds.
  assert.is(fieldOf('redis_build_id'), undefined);
  for (const name of ['uptime_in_seconds', 'configured_hz', 'hz']) {
    assert.match(section('Server').get(name) ?? '', /^\d+$/, name);
  }
});

exporter('reads databases', () => {
  assert.equal([...section('Keyspace').keys()], ['db0', 'db3']);
  for (const [name, value] of section('Keyspace')) {
    const fields = new Map(value.split(',').map((part) => part.split('=') as [string, string]));
    for (const field of ['keys', 'expires', 'avg_ttl', 'subexpiry']) {
      assert.ok(isNumber(fields.get(field)), `${field} of ${name}`);
    }
  }
});

exporter('reads commands: five numbers in their order', () => {
  const commands = section('Commandstats');
  for (const [name, value] of commands) {
    assert.match(name, /^cmdstat_[a-z0-9|_-]+$/);
    const parts = value.split(',').map((part) => part.split('='));
    assert.equal(
      parts.slice(0, 5).map(([field]) => field),
      ['calls', 'usec', 'usec_per_call', 'rejected_calls', 'failed_calls'],
    );
    for (const [, number] of parts) assert.ok(isNumber(number), `${name}: ${value}`);
  }
  assert.match(commands.get('cmdstat_incr') ?? '', /failed_calls=1/);
});

exporter('reads percentiles and errors', () => {
  for (const [name, value] of section('Latencystats')) {
    assert.match(name, /^latency_percentiles_usec_/);
    assert.match(value, /^p[\d.]+=[\d.]+(,p[\d.]+=[\d.]+)*$/);
    const command = name.slice('latency_percentiles_usec_'.length);
    assert.ok(section('Commandstats').has(`cmdstat_${command}`), 'count and sum go with it');
  }
  for (const [name, value] of section('Errorstats')) {
    assert.match(name, /^errorstat_[A-Z]+$/);
    assert.match(value, /^count=\d+$/);
  }
  assert.ok(section('Errorstats').has('errorstat_WRONGTYPE'));
});

/** Fields that begin with `db` are all taken for databases or numbers: others must not look like either. */
exporter('takes no other field for a database', () => {
  for (const [title, fields] of sections) {
    if (title === 'Keyspace') continue;
    for (const [name, value] of fields) {
      if (name.startsWith('db')) assert.not.ok(isNumber(value), `${name} in ${title}`);
    }
  }
});

exporter('reads settings', async () => {
  const flat = (await client.call('CONFIG', 'GET', '*')) as Reply[];
  assert.is(flat.length % 2, 0);
  const settings = new Map([...byName(flat)].map(([name, value]) => [name, textOf(value)]));
  for (const name of ['databases', 'maxclients', 'maxmemory', 'io-threads', 'repl-backlog-size']) {
    assert.match(settings.get(name) ?? '', /^\d+$/, name);
  }
  const limits = settings.get('client-output-buffer-limit')!.split(' ');
  assert.is(limits.length % 4, 0);
  for (const [nth, part] of limits.entries()) assert.is(isNumber(part), nth % 4 !== 0, part);
  // It shows all values as labels, and hides this one by its name only.
  assert.is(settings.get('requirepass'), '');
});

exporter('reads histograms, each with its sum in INFO', async () => {
  const flat = (await client.call('LATENCY', 'HISTOGRAM')) as Reply[];
  assert.ok(flat.length > 0 && flat.length % 2 === 0);
  for (const [command, row] of byName(flat)) {
    const [, calls, , buckets] = row as [Reply, number, Reply, number[]];
    assert.ok(calls > 0, command);
    const counts = buckets.filter((_, nth) => nth % 2 === 1);
    const bounds = buckets.filter((_, nth) => nth % 2 === 0);
    for (const row of [counts, bounds]) {
      assert.equal(
        row,
        [...row].sort((a, b) => a - b),
        'cumulative, by rising bounds',
      );
    }
    assert.is(counts.at(-1), calls, command);
    assert.match(section('Commandstats').get(`cmdstat_${command}`) ?? 'usec=0', /usec=\d+/);
  }
});

exporter('reads latency events', async () => {
  await client.call('DEBUG', 'SLEEP', '0.02');
  const events = (await client.call('LATENCY', 'LATEST')) as Reply[][];
  assert.ok(events.length > 0);
  for (const [name, ...numbers] of events) {
    assert.match(textOf(name), /^[a-z-]+$/);
    assert.is(numbers.length, 3);
    for (const number of numbers) assert.ok(Number.isInteger(number));
  }
});

exporter('reads the slow log', async () => {
  assert.ok(Number(await client.call('SLOWLOG', 'LEN')) > 0);
  const [entry] = (await client.call('SLOWLOG', 'GET', '1')) as Reply[][];
  for (const number of entry!.slice(0, 3)) assert.ok(Number.isInteger(number));
});

exporter('reads clients: every part has one equals sign', async () => {
  const lines = textOf(await client.call('CLIENT', 'LIST')).split('\n');
  const known = lines.filter((line) => /^id=\d+ addr=\S+/.test(line));
  assert.ok(known.length > 0);
  const numbers = [
    'age',
    'idle',
    'sub',
    'psub',
    'ssub',
    'watch',
    'qbuf',
    'qbuf-free',
    'obl',
    'oll',
  ];
  for (const line of known) {
    const fields = new Map(line.split(' ').map((part) => part.split('=') as [string, string]));
    for (const part of line.split(' ')) assert.is(part.split('=').length, 2, part);
    for (const name of [...numbers, 'omem', 'tot-mem'])
      assert.match(fields.get(name) ?? '', /^\d+$/, name);
    for (const name of ['id', 'flags', 'db', 'user', 'resp']) assert.ok(fields.get(name), name);
    assert.match(fields.get('addr') ?? '', /^.+:\d+$/);
  }
  assert.ok(known.some((line) => line.includes(' name=redis_exporter ')));
});

exporter.run();
