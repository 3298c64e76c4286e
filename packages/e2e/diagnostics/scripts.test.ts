/** Scripts and functions in commands and in the debug API: equal numbers everywhere. */
import { createHash } from 'node:crypto';
import {
  type ChildServer,
  type Reply,
  request,
  type RespClient,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const scripts = suite('statistics of scripts');

const LIBRARY = `#!lua name=mylib
redis.register_function('get', function(keys) return redis.call('GET', keys[1]) end)
redis.register_function('spin', function() while true do end end)`;
const GET = `return redis.call('GET', KEYS[1])`;
const FAIL = `redis.call('SET', KEYS[1], 1) return redis.call('LPUSH', KEYS[1], 'x')`;
const LOOP = 'while true do end';

let server: ChildServer;
let client: RespClient;
let other: RespClient;

scripts.before(async () => {
  server = await startServer({
    http: true,
    shards: 2,
    args: ['--set', 'scripting.busy-reply-threshold-ms=50'],
  });
  client = await server.client();
  other = await server.client();
  await client.call('FUNCTION', 'LOAD', LIBRARY);
});
scripts.after(async () => {
  await server.stop();
});
scripts.before.each(async () => {
  await client.call('CONFIG', 'RESETSTAT');
});

type Figures = Record<string, unknown>;

const digestOf = (source: string): string => createHash('sha1').update(source).digest('hex');

async function reported(...name: string[]): Promise<Figures[]> {
  const reply = (await client.call('SCRIPT', 'STATS', ...name)) as Reply[][];
  return reply.map((fields) => {
    const words = fields.map((each) => (typeof each === 'number' ? each : textOf(each)));
    return Object.fromEntries(
      Array.from({ length: words.length / 2 }, (_, nth) => [words[2 * nth], words[2 * nth + 1]]),
    ) as Figures;
  });
}

interface Document {
  readonly scripts: readonly Figures[];
  readonly kept: number;
  readonly running: readonly Figures[];
  readonly missing_shards: readonly number[];
}

async function api(query = ''): Promise<Document> {
  const answer = await request(server.httpPort, `/debug/api/scripts${query}`);
  assert.is(answer.status, 200, answer.text);
  return answer.json() as Document;
}

async function failing(...words: (string | number)[]): Promise<string> {
  const [reply] = await client.pipeline([words.map(String)]);
  return (reply as Error).message;
}

scripts('each script and function is counted over all shards', async () => {
  for (let nth = 0; nth < 20; nth += 1) await client.call('EVAL', GET, 1, `key:${nth}`);
  await client.call('EVALSHA', digestOf(GET).toUpperCase(), 1, 'key');
  await client.call('FCALL', 'get', 1, 'key');
  assert.match(await failing('EVAL', FAIL, 1, 'key'), /^WRONGTYPE/);
  await client.call('DEL', 'key');
  const all = await reported();
  assert.is(all.length, 3);
  const [get] = await reported(digestOf(GET));
  const { kind, calls, errors, keys, commands, killed, bytes } = get!;
  assert.equal(
    { kind, calls, errors, keys, commands, killed, bytes },
    { kind: 'script', calls: 21, errors: 0, keys: 21, commands: 21, killed: 0, bytes: GET.length },
  );
  const [called] = await reported('mylib.get');
  assert.equal(
    [called!['kind'], called!['calls'], called!['bytes']],
    ['function', 1, LIBRARY.length],
  );
  const [failed] = await reported(digestOf(FAIL));
  assert.equal([failed!['errors'], failed!['commands']], [1, 2]);
  const times = all.map((each) => Number(each['time-us']));
  assert.equal(
    times,
    [...times].sort((a, b) => b - a),
    'the one that has taken most time comes first',
  );
});

scripts('the same numbers are in SCRIPT STATS, INFO and the debug API', async () => {
  for (let nth = 0; nth < 10; nth += 1) await client.call('EVAL', GET, 1, `key:${nth}`);
  await client.call('EVAL', `return redis.call('DBSIZE')`, 0);
  await client.call('FCALL', 'get', 1, 'key');
  await failing('EVAL', 'return nonsense', 0);
  const commands = await reported();
  const document = await api();
  assert.equal(
    document.scripts.map(({ source: _, source_bytes: bytes, ...rest }) => ({ ...rest, bytes })),
    commands.map((each) =>
      Object.fromEntries(
        Object.entries(each).map(([name, value]) => [name.replaceAll('-', '_'), value]),
      ),
    ),
  );
  assert.equal([document.kept, document.running, document.missing_shards], [4, [], []]);
  const info = textOf(await client.call('INFO', 'everything'));
  const sum = (name: string): number =>
    commands.reduce((total, each) => total + Number(each[name]), 0);
  for (const [field, name] of [
    ['script_runs', 'calls'],
    ['script_errors', 'errors'],
    ['script_calls', 'commands'],
    ['script_calls_on_main', 'calls-on-main'],
    ['script_barriers', 'barrier-runs'],
  ] as const) {
    assert.match(info, new RegExp(`^${field}:${sum(name)}\\r$`, 'm'), field);
  }
  assert.ok(sum('calls-on-main') >= 1);
  assert.ok(commands.some((each) => each['barrier-runs'] === 1));
  assert.ok(
    commands.some((each) => each['barrier-runs'] === 0),
    'a GET of a declared key needs one shard',
  );
});

scripts('sources of scripts are told, cut off where they are long', async () => {
  const long = `return 1 --${'é'.repeat(5_000)}`;
  await client.call('EVAL', GET, 1, 'key');
  await client.call('EVAL', long, 0);
  await client.call('FCALL', 'get', 1, 'key');
  const { scripts: all } = await api();
  const sourceOf = (name: string): unknown => all.find((each) => each['name'] === name)?.['source'];
  assert.is(sourceOf(digestOf(GET)), GET);
  assert.is(sourceOf(digestOf(long)), long.slice(0, 4_096));
  assert.is(sourceOf('mylib.get'), null);
  await client.call('SCRIPT', 'FLUSH');
  const [forgotten] = (await api()).scripts.filter((each) => each['name'] === digestOf(GET));
  assert.equal([forgotten!['source'], forgotten!['calls']], [null, 1]);
});

scripts('count says how many are told', async () => {
  await client.call('EVAL', GET, 1, 'key');
  await client.call('FCALL', 'get', 1, 'key');
  const { scripts: all, kept } = await api('?count=1');
  assert.equal([all.length, kept], [1, 2]);
  assert.is((await api('?count=-1')).scripts.length, 2);
  for (const query of ['count=many', 'count=-2', 'name=x']) {
    const answer = await request(server.httpPort, `/debug/api/scripts?${query}`);
    assert.is(answer.status, 400, query);
  }
});

scripts('CONFIG RESETSTAT forgets all', async () => {
  await client.call('EVAL', GET, 1, 'key');
  await client.call('CONFIG', 'RESETSTAT');
  assert.equal([await reported(), (await api()).scripts], [[], []]);
});

for (const [words, name, kind] of [
  [['EVAL', LOOP, '0'], digestOf(LOOP), 'script'],
  [['FCALL', 'spin', '0'], 'spin', 'function'],
] as const) {
  scripts(`a ${kind} that runs is named with its shard, and its kill counted`, async () => {
    const running = client.pipeline([words]);
    const seen = async (): Promise<boolean> => (await api()).running.length > 0;
    await until(seen, 'the script runs');
    const [run] = (await api()).running;
    const { shard, duration_ms: durationMs, run: number, line, ...rest } = run!;
    const source = kind === 'script' ? LOOP : null;
    const command = words[0].toLowerCase();
    assert.equal(rest, { name, kind, command, has_written: false, source });
    assert.ok(Number(number) > 0);
    assert.ok(line === null || Number(line) > 0);
    assert.ok(Number(durationMs) >= 0);
    const status = JSON.parse(textOf(await other.call('STATUS', 'JSON'))) as {
      shards: { executing: { command: string; script: string | null } | null }[];
    };
    const executing = status.shards[Number(shard)]!.executing!;
    assert.equal([executing.command, executing.script], [words[0].toLowerCase(), name]);
    assert.ok((await api()).missing_shards.includes(Number(shard)));
    assert.is(await other.call(kind === 'script' ? 'SCRIPT' : 'FUNCTION', 'KILL'), 'OK');
    await running;
    const fullName = kind === 'script' ? name : 'mylib.spin';
    const [killed] = await reported(fullName);
    assert.equal([killed!['calls'], killed!['errors'], killed!['killed']], [1, 1, 1]);
    assert.ok(Number(killed!['max-us']) > 0);
  });
}

scripts('LATENCY DOCTOR says that scripts stop all shards', async () => {
  assert.not.match(textOf(await client.call('LATENCY', 'DOCTOR')), /All shards had to stop/);
  const run = async (source: string): Promise<string> => {
    await client.pipeline(Array.from({ length: 200 }, () => ['EVAL', source, '0']));
    return textOf(await client.call('LATENCY', 'DOCTOR'));
  };
  assert.not.match(await run('return 1'), /All shards had to stop/);
  // The called commands cannot be derived from this text.
  const report = await run('local server = redis; return 1');
  const [, share = '0'] = /All shards had to stop for (\d+) %/.exec(report) ?? [];
  assert.ok(Number(share) > 30 && Number(share) <= 50, report);
});

scripts('a refused call is an error of its script', async () => {
  assert.is(await client.call('DEBUG', 'SET-DISABLE-DENY-SCRIPTS', '0'), 'OK');
  const source = `return redis.call('SCRIPT', 'STATS')`;
  assert.match(await failing('EVAL', source, 0), /This Redis command is not allowed from script/);
  const [refused] = await reported(digestOf(source));
  assert.equal([refused!['errors'], refused!['commands']], [1, 0]);
});

scripts('commands that run no script name none', async () => {
  const asleep = client.call('DEBUG', 'SLEEP', '0.5');
  await until(async () => {
    const status = textOf(await other.call('STATUS', 'JSON'));
    return status.includes('"command":"debug|sleep","script":null');
  }, 'the shards sleep');
  await asleep;
});

scripts('what Lua and sources take is told as Redis does, and adds up', async () => {
  const memory = async (): Promise<Record<string, string>> =>
    Object.fromEntries(
      textOf(await client.call('INFO', 'memory'))
        .split('\r\n')
        .map((line) => line.split(':') as [string, string]),
    );
  await client.call('FUNCTION', 'FLUSH');
  await client.call('SCRIPT', 'FLUSH');
  const none = await memory();
  for (const name of ['lua', 'vm_eval', 'vm_functions', 'vm_total', 'scripts', 'functions']) {
    assert.is(none[`used_memory_${name}`], '0', name);
  }
  assert.is(none['used_memory_vm_total_human'], '0B');
  const big = `#!lua name=big
    local kept = {}
    for n = 1, 20000 do kept[n] = n end
    redis.register_function('big', function() return #kept end)`;
  const source = 'return 1';
  await client.call('FUNCTION', 'LOAD', big);
  await client.call('EVAL', source, 0);
  const some = await memory();
  const of = (name: string): number => Number(some[name]);
  assert.ok(of('used_memory_vm_functions') > 200_000);
  assert.ok(of('used_memory_vm_eval') > 10_000 && of('used_memory_vm_eval') < 200_000);
  assert.is(of('used_memory_vm_total'), of('used_memory_vm_eval') + of('used_memory_vm_functions'));
  assert.ok(of('script_interpreter_bytes') > of('used_memory_vm_total'));
  assert.is(some['used_memory_lua'], some['used_memory_vm_eval']);
  assert.equal(
    [of('used_memory_scripts_eval'), of('used_memory_functions'), of('used_memory_scripts')],
    [source.length, big.length, source.length + big.length],
  );
  assert.equal([some['number_of_libraries'], some['number_of_functions']], ['1', '1']);
  const stats = (await client.call('MEMORY', 'STATS')) as unknown[];
  const figure = (name: string): unknown =>
    stats[stats.findIndex((one) => String(one) === name) + 1];
  assert.equal([figure('lua.caches'), figure('functions.caches')].map(Number), [
    source.length,
    big.length,
  ]);
});

scripts.run();
