import { CommandError, fromLatin1 } from '#base';
import type { TraceReport } from '#api-types';
import { call, CallContext, type CallOptions } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Arguments } from '../arguments.ts';
import { commandTable } from '../table/all-commands.ts';
import { tellSecrecy } from './config.ts';
import type { MemoryTree, SavingPort, ServerContext, TraceStatus } from './ports.ts';

const server = suite('server');

const TRACE_STATUS: TraceStatus = {
  enabled: 1,
  'sampling-rate': '0.5',
  'sampled-total': 7,
  'dropped-busy-total': 1,
  'dropped-queue-total': 2,
  'dropped-collector-total': 3,
  'spans-exported-total': 20,
  queued: 4,
  recent: 5,
  collector: 'working',
};
const TRACE: TraceReport = {
  trace_id: 'ab',
  spans: [
    {
      span_id: 'cd',
      parent_id: null,
      name: 'GET',
      start_us: 1_000,
      duration_us: 2.25,
      attributes: { 'svc.shard_id': 1 },
    },
  ],
};
const MEMORY_TREE: MemoryTree = [
  ['total', 5],
  ['share', { double: 0.5 }],
  ['tree', [['part', 1]]],
];
const MEMORY_REPLY = ['total', 5, 'share', '0.5', 'tree', ['part', 1]];
const BUNDLE = {
  id: '20260102T030405Z-abcdef',
  created_at: '2026-01-02T03:04:05.000Z',
  size_bytes: 1_234,
  expires_at: '2026-01-02T04:04:05.000Z',
};

/** Imitations of the ports, and what was asked of them. */
function contextWithPorts(
  options: CallOptions = {},
  saving?: SavingPort,
): { context: CallContext; asked: string[] } {
  const asked: string[] = [];
  const ask = (what: string, ...words: unknown[]): void => {
    asked.push([what, ...words.map((word) => JSON.stringify(word))].join(' '));
  };
  const ports: Omit<
    ServerContext,
    'reply' | 'client' | 'nowMs' | 'unixUs' | 'mayBlock' | 'defer' | 'hotKeys'
  > = {
    commands: commandTable,
    redisVersion: '7.4.1',
    saving,
    startedMs: 0,
    settings: {
      get: (patterns) => patterns.map((pattern) => [pattern, `value of ${pattern}`] as const),
      set: (pairs) => {
        if (pairs[0]?.[0] === 'nothing') throw new CommandError('ERR no such setting');
        ask('set', pairs);
      },
      shown: () => Promise.resolve(),
      rewrite: () => ask('rewrite'),
    },
    info: { render: (sections) => `# ${sections.join(',') || 'default'}` },
    memory: {
      stats: () => MEMORY_TREE,
      statsLater: () => Promise.resolve(MEMORY_TREE),
      latencyMonitor: () => 'well\n',
      allocator: () => 'slabs\n',
      purge: () => {
        ask('purge');
        return Promise.resolve();
      },
    },
    bundles: {
      generate: () => Promise.resolve(BUNDLE),
      list: () => Promise.resolve([BUNDLE]),
    },
    threads: {
      names: ['main', 'shard-0', 'shard-1', 'ops'],
      profile: (thread, seconds) => {
        if (thread === 'shard-1') return Promise.reject(new Error('shard-1 is busy'));
        return Promise.resolve(Buffer.from(`${thread} ${seconds}`));
      },
      heap: () =>
        Promise.resolve({ figures: { used: 5 }, spaces: [{ space: 'new', figures: { size: 7 } }] }),
    },
    flight: {
      newest: (count, thread) => {
        ask('flight', String(count), thread ?? 'all');
        return [
          { time_us: 5, thread: 'main', event: 'config-change', setting: 'a.b', value: null },
          { time_us: 6, thread: 'shard-1', event: 'slow-batch', duration_us: 5_000.5 },
        ];
      },
    },
    traces: {
      status: () => Promise.resolve(TRACE_STATUS),
      recent: (count) => Promise.resolve(new Array<TraceReport>(count).fill(TRACE).slice(0, 2)),
    },
    status: { json: () => '{"status":1}' },
    statistics: {
      reset: () => {
        ask('reset');
        return Promise.resolve();
      },
    },
    process: {
      shutdown: (how) => ask('shutdown', how),
      abortShutdown: () => asked.some((each) => each.startsWith('shutdown')),
      freeze: (seconds) => {
        ask('freeze', seconds);
      },
    },
    timers: {
      after: (ms, callback) => {
        ask('after', ms);
        callback();
      },
    },
    log: { warning: (message) => ask('log', message) },
    monitors: { start: (_client, { lines }) => ask('monitor', lines) },
  };
  return { context: new CallContext({ ports, ...options }), asked };
}

const cases: readonly (readonly [line: string, reply: unknown])[] = [
  ['TIME', ['1700000000', '0']],
  ['ROLE', ['master', 0, []]],
  ['STATUS JSON', '{"status":1}'],
  ['STATUS JSON now', "-ERR wrong number of arguments for 'status|json' command"],
  ['STATUS nothing', "-ERR unknown subcommand 'nothing'. Try STATUS HELP."],
  ['CONFIG GET a b*', ['a', 'value of a', 'b*', 'value of b*']],
  ['CONFIG GET', "-ERR wrong number of arguments for 'config|get' command"],
  ['CONFIG SET a', "-ERR wrong number of arguments for 'config|set' command"],
  ['CONFIG SET a 1 b', '-ERR syntax error'],
  ['CONFIG SET nothing 1', '-ERR no such setting'],
  ['CONFIG FOO', "-ERR unknown subcommand 'FOO'. Try CONFIG HELP."],
  ['CONFIG', "-ERR wrong number of arguments for 'config' command"],
  ['INFO', '# default'],
  ['INFO Server CPU', '# server,cpu'],
  ['WAIT 0 100', 0],
  ['WAIT -1 0', 0],
  ['WAIT x 0', '-ERR value is not an integer or out of range'],
  ['WAIT 1 x', '-ERR timeout is not an integer or out of range'],
  ['WAIT 1 -1', '-ERR timeout is negative'],
  ['WAIT 1 9223372036854775807', '-ERR timeout is out of range'],
  ['SHUTDOWN FOO', '-ERR syntax error'],
  ['SHUTDOWN SAVE NOSAVE', '-ERR syntax error'],
  ['SHUTDOWN ABORT NOW', '-ERR syntax error'],
  ['SHUTDOWN ABORT', '-ERR No shutdown in progress.'],
  ['MEMORY USAGE nowhere', null],
  ['MEMORY USAGE k SAMPLES', '-ERR syntax error'],
  ['MEMORY USAGE k SAMPLES -1', '-ERR syntax error'],
  ['MEMORY USAGE k SAMPLES x', '-ERR value is not an integer or out of range'],
  ['MEMORY DOCTOR', 'well\n'],
  ['MEMORY MALLOC-STATS', 'slabs\n'],
  ['MEMORY STATS x', "-ERR wrong number of arguments for 'memory|stats' command"],
  ['LOLWUT VERSION x', '-ERR value is not an integer or out of range'],
];

for (const [line, reply] of cases) {
  server(line, () => assert.equal(call(contextWithPorts().context, line), reply));
}

const requests: readonly (readonly [line: string, asked: string])[] = [
  ['CONFIG REWRITE', 'rewrite'],
];

for (const [line, expected] of requests) {
  server(`${line} asks its port`, () => {
    const { context, asked } = contextWithPorts();
    assert.is(call(context, line), 'OK');
    assert.equal(asked, [expected]);
  });
}

server('CONFIG SET answers when what was set is shown', async () => {
  const { context, asked } = contextWithPorts();
  assert.is(call(context, 'CONFIG SET a 1 b 2'), undefined);
  assert.equal(asked, ['set [["a","1"],["b","2"]]']);
  await new Promise(setImmediate);
  assert.equal(context.deferred.map(String), ['OK']);
});

server('CONFIG RESETSTAT answers when the counters are set back', async () => {
  const { context, asked } = contextWithPorts();
  assert.is(call(context, 'CONFIG RESETSTAT'), undefined);
  assert.equal(asked, ['reset']);
  await Promise.resolve();
  assert.equal(context.deferred.map(String), ['OK']);
});

const endings: readonly (readonly [line: string, options: object])[] = [
  ['SHUTDOWN', { save: 'default', now: false, force: false }],
  ['SHUTDOWN NOSAVE', { save: 'never', now: false, force: false }],
  ['SHUTDOWN SAVE NOW FORCE', { save: 'always', now: true, force: true }],
];

for (const [line, options] of endings) {
  server(`${line} ends the server without a reply`, () => {
    const { context, asked } = contextWithPorts();
    assert.is(call(context, line), undefined);
    assert.equal(asked, [`shutdown ${JSON.stringify(options)}`]);
    assert.is(call(context, 'SHUTDOWN ABORT'), 'OK');
  });
}

server('WAIT answers when its time is over, and never without one', () => {
  const { context, asked } = contextWithPorts();
  assert.is(call(context, 'WAIT 1 100'), undefined);
  assert.equal(asked, ['after 100']);
  assert.equal(context.deferred, [0]);
  assert.is(call(context, 'WAIT 1 0'), undefined);
  assert.equal(context.deferred, [0]);
});

server('DEBUG TRACING answers how it goes, and the latest traces', async () => {
  const { context } = contextWithPorts();
  assert.is(call(context, 'DEBUG TRACING STATUS'), undefined);
  const status = (await later(context)) as unknown[];
  assert.equal(status.slice(0, 6), ['enabled', 1, 'sampling-rate', '0.5', 'sampled-total', 7]);
  assert.equal(status.slice(-2), ['collector', 'working']);
  assert.is(call(context, 'DEBUG TRACING recent 1'), undefined);
  const attributes = ['svc.shard_id', '1'];
  const span = ['span-id', 'cd', 'parent-id', null, 'name', 'GET', 'start-us', 1_000];
  const trace = [[...span, 'duration-us', 2, 'attributes', attributes]];
  assert.equal(await later(context), [['trace-id', 'ab', 'spans', trace]]);
  assert.is(call(context, 'DEBUG TRACING RECENT'), undefined);
  assert.is(((await later(context)) as unknown[]).length, 2);
});

/** Returns what a command has answered later. */
async function later(context: CallContext): Promise<unknown> {
  await new Promise((resolve) => setImmediate(resolve));
  return context.deferred.pop();
}

const tracingErrors: readonly (readonly [line: string, error: string])[] = [
  ['DEBUG TRACING NOW', '-ERR DEBUG TRACING takes STATUS, or RECENT and a number'],
  ['DEBUG TRACING STATUS 1', '-ERR DEBUG TRACING takes STATUS, or RECENT and a number'],
  ['DEBUG TRACING RECENT 1 2', '-ERR DEBUG TRACING takes STATUS, or RECENT and a number'],
  ['DEBUG TRACING RECENT x', '-ERR value is not an integer or out of range'],
  ['DEBUG TRACING RECENT -1', '-ERR DEBUG TRACING RECENT takes a number that is not negative'],
];
for (const [line, error] of tracingErrors) {
  server(line, () => {
    assert.is(call(contextWithPorts().context, line), error);
  });
}

server('DEBUG TRACING is not for transactions, and says when nobody can be asked', async () => {
  const busy = contextWithPorts().context;
  busy.mayBlock = false;
  const refusal = '-ERR DEBUG TRACING is not allowed in transactions';
  assert.is(call(busy, 'DEBUG TRACING STATUS'), refusal);
  const ports = {
    traces: { status: () => Promise.reject(new Error('the ops thread is not there')) },
  };
  const alone = new CallContext({ ports });
  assert.is(call(alone, 'DEBUG TRACING STATUS'), undefined);
  assert.match(String(await later(alone)), /ERR the ops thread is not there/);
});

server('DEBUG BUNDLE answers when the bundle is there', async () => {
  const { context } = contextWithPorts();
  const entry = Object.entries(BUNDLE).flatMap(([name, value]) => [name.replace('_', '-'), value]);
  assert.is(call(context, 'DEBUG BUNDLE GENERATE'), undefined);
  await Promise.resolve();
  assert.is(call(context, 'DEBUG BUNDLE list'), undefined);
  await Promise.resolve();
  assert.equal(context.deferred, [entry, [entry]]);
  assert.is(call(context, 'DEBUG BUNDLE DROP'), '-ERR DEBUG BUNDLE takes GENERATE or LIST');
  assert.match(call(context, 'DEBUG BUNDLE') as string, /wrong number of arguments/);
  context.mayBlock = false;
  assert.is(call(context, 'DEBUG BUNDLE LIST'), '-ERR DEBUG BUNDLE is not allowed in transactions');
});

server('MEMORY STATS lets another thread read, but for a transaction', async () => {
  const { context } = contextWithPorts();
  assert.is(call(context, 'MEMORY STATS'), undefined);
  await Promise.resolve();
  assert.equal(context.deferred, [MEMORY_REPLY]);
  context.mayBlock = false;
  assert.equal(call(context, 'MEMORY STATS'), MEMORY_REPLY);
});

server('MEMORY PURGE answers when the shards are through, in a transaction at once', async () => {
  const { context, asked } = contextWithPorts();
  assert.is(call(context, 'MEMORY PURGE'), undefined);
  await Promise.resolve();
  assert.equal(context.deferred, ['OK']);
  context.mayBlock = false;
  assert.is(call(context, 'MEMORY PURGE'), 'OK');
  assert.equal(asked, ['purge', 'purge']);
});

server('MEMORY USAGE tells the bytes of a key, growing with it', () => {
  const { context } = contextWithPorts();
  call(context, 'SET k v');
  const little = call(context, 'MEMORY USAGE k') as number;
  call(context, ['SET', 'k', 'v'.repeat(10_000)]);
  const much = call(context, 'MEMORY USAGE k SAMPLES 0') as number;
  assert.ok(little > 10 && much > little + 9000);
});

server('LOLWUT is a picture and the version', () => {
  const { context } = contextWithPorts();
  for (const line of ['LOLWUT', 'LOLWUT VERSION 5', 'LOLWUT 1 2 3']) {
    const text = call(context, line) as string;
    assert.match(text, /\nRedis ver\. 7\.4\.1\n$/);
    assert.is(text.split('\n').length, 14);
  }
});

for (const line of [
  'CONFIG HELP',
  'MEMORY HELP',
  'MODULE HELP',
  'COMMAND HELP',
  'DEBUG HELP',
  'OBJECT HELP',
  'HOTKEYS HELP',
]) {
  server(`${line} has Redis' layout and names every subcommand`, () => {
    const [name = ''] = line.split(' ');
    const lines = call(contextWithPorts().context, line) as string[];
    assert.is(lines[0], `${name} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:`);
    assert.equal(lines.slice(-2), ['HELP', '    Print this help.']);
    for (const { command } of commandTable.byName(name)!.subcommands) {
      const subcommand = command.name.split('|')[1]!;
      assert.ok(
        lines.some((each) => each === subcommand || each.startsWith(`${subcommand} `)),
        subcommand,
      );
    }
  });
}

/** Returns the indexes of the words of a command that are recorded nowhere. */
function secretWords(name: string, line: string): readonly number[] {
  const words = line.split(' ').map((word) => fromLatin1(word));
  const spans: number[] = [];
  let at = 0;
  for (const { length } of words) {
    spans.push(at, length);
    at += length;
  }
  const args = new Arguments();
  args.point(Buffer.concat(words), 0, Int32Array.from(spans), 0, words.length);
  return commandTable.byName(name)!.secretsOf(args);
}

const secrets: readonly (readonly [name: string, line: string, hidden: readonly number[]])[] = [
  ['CONFIG|SET', 'CONFIG SET requirepass x port 1 MasterAuth y', [3, 6, 7]],
  ['CONFIG|SET', 'CONFIG SET RequirePass x', [3]],
  ['CONFIG|SET', 'CONFIG SET port 1', []],
  ['CONFIG|SET', 'CONFIG SET requirepass a b', [2, 3, 4]],
  ['CONFIG|SET', 'CONFIG SET port 1 x', [2, 3, 4]],
  ['CONFIG|SET', 'CONFIG SET requirepas x', [2, 3]],
  ['CONFIG|SET', 'CONFIG SET x requirepass', [2, 3]],
  ['AUTH', 'AUTH x', [1]],
  ['AUTH', 'AUTH a b c', [1, 2, 3]],
  ['HELLO', 'HELLO', []],
  ['HELLO', 'HELLO 3 AUTH u p SETNAME n', [3, 4]],
  ['HELLO', 'HELLO 3 SETNAME n AUTH u p', [5, 6]],
  ['HELLO', 'HELLO 9 AUTH u p', [3, 4]],
  ['HELLO', 'HELLO AUTH u p', [1, 2, 3]],
  ['HELLO', 'HELLO 3 AUTH p', [2, 3]],
  ['HELLO', 'HELLO 3 ATUH u p', [2, 3, 4]],
  ['HELLO', 'HELLO 3 AUTH u p q', [3, 4, 5]],
  ['HELLO', 'HELLO x u p', [1, 2, 3]],
];

for (const [name, line, hidden] of secrets) {
  server(`${line} leaves no secret`, () => {
    tellSecrecy(
      new Map([
        ['requirepass', true],
        ['port', false],
      ]),
    );
    assert.equal(secretWords(name, line), hidden);
  });
}

server('nothing of CONFIG SET is put down before secrets are known', () => {
  tellSecrecy(new Map());
  assert.equal(secretWords('CONFIG|SET', 'CONFIG SET port 1'), [2, 3]);
});

const NO_THREAD = '-ERR there is no such thread: say main, ops or the number of a shard, 0 to 1';
const recorderLines: readonly (readonly [line: string, asked: string])[] = [
  ['DEBUG FLIGHT-RECORDER', 'flight "128" "all"'],
  ['DEBUG flight-recorder COUNT 5', 'flight "5" "all"'],
  ['DEBUG FLIGHT-RECORDER MAIN count -1', 'flight "Infinity" "main"'],
  ['DEBUG FLIGHT-RECORDER 01 COUNT 0', 'flight "0" "shard-1"'],
  ['DEBUG FLIGHT-RECORDER ops', 'flight "128" "ops"'],
  ['DEBUG FLIGHT-RECORDER 2', NO_THREAD],
  ['DEBUG FLIGHT-RECORDER shard-1x', NO_THREAD],
  ['DEBUG FLIGHT-RECORDER COUNT', '-ERR syntax error'],
  ['DEBUG FLIGHT-RECORDER main 5', '-ERR syntax error'],
  ['DEBUG FLIGHT-RECORDER COUNT 5 main', '-ERR syntax error'],
  ['DEBUG FLIGHT-RECORDER COUNT x', '-ERR value is not an integer or out of range'],
  ['DEBUG FLIGHT-RECORDER COUNT -2', '-ERR count should be greater than or equal to -1'],
];
for (const [line, expected] of recorderLines) {
  server(line, () => {
    const { context, asked } = contextWithPorts();
    const reply = call(context, line);
    assert.is(asked[0] ?? reply, expected);
  });
}

server('DEBUG FLIGHT-RECORDER answers the fields of each event', () => {
  const { context } = contextWithPorts();
  assert.equal(call(context, 'DEBUG FLIGHT-RECORDER'), [
    [
      ...['time_us', 5, 'thread', 'main', 'event', 'config-change', 'setting', 'a.b'],
      ...['value', null],
    ],
    ['time_us', 6, 'thread', 'shard-1', 'event', 'slow-batch', 'duration_us', '5000.5'],
  ]);
});

const NO_SHARD = '-ERR there is no such shard: say main or a number from 0 to 1';
const SHARD_WORDS =
  '-ERR DEBUG SHARD takes the number of a shard or main, then PROFILE <seconds> or HEAP';
const SECONDS = '-ERR a profile lasts from 0.01 to 60 seconds';
const refusedProbes: readonly (readonly [line: string, reply: string])[] = [
  ['DEBUG SHARD 2 HEAP', NO_SHARD],
  ['DEBUG SHARD ops HEAP', NO_SHARD],
  ['DEBUG SHARD shard-1 HEAP', NO_SHARD],
  ['DEBUG SHARD main STACK', SHARD_WORDS],
  ['DEBUG SHARD main HEAP 5', SHARD_WORDS],
  ['DEBUG SHARD main PROFILE', SHARD_WORDS],
  ['DEBUG SHARD main PROFILE 1 2', SHARD_WORDS],
  ['DEBUG SHARD main PROFILE 0', SECONDS],
  ['DEBUG SHARD main PROFILE 60.1', SECONDS],
  ['DEBUG SHARD main PROFILE -1', SECONDS],
  ['DEBUG SHARD main PROFILE long', SECONDS],
  ['DEBUG SHARD main PROFILE nan', SECONDS],
];
for (const [line, reply] of refusedProbes) {
  server(line, () => {
    assert.is(call(contextWithPorts().context, line), reply);
  });
}

server('DEBUG SHARD answers when the thread has', async () => {
  const { context } = contextWithPorts();
  const lines = ['MAIN PROFILE 60', '0 profile 0.01', '1 PROFILE 1', '1 HEAP'];
  for (const line of lines) {
    assert.is(call(context, `DEBUG SHARD ${line}`), undefined);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(context.deferred, [
    ...['main 60', 'shard-0 0.01', '-ERR shard-1 is busy'],
    ['used', 5, 'spaces', ['new', ['size', 7]]],
  ]);
  context.mayBlock = false;
  const refused = '-ERR DEBUG SHARD is not allowed in transactions';
  assert.is(call(context, 'DEBUG SHARD 1 HEAP'), refused);
});

/** A place for snapshots, of which one is under way or none. */
function savingContext(isSaving: boolean, failure?: string): CallContext & { later: number } {
  const saving: SavingPort = {
    isSaving,
    lastSaveMs: 1_700_000_000_999,
    save: () => (failure === undefined ? Promise.resolve() : Promise.reject(new Error(failure))),
    saveInBackground: (schedule) => {
      if (!isSaving) return 'started';
      return schedule ? 'scheduled' : 'busy';
    },
    saveLater: () => {
      context.later += 1;
    },
  };
  const context = Object.assign(contextWithPorts({}, saving).context, { later: 0 });
  return context;
}

const ADVICE =
  '-ERR Background save already in progress, use BGSAVE SCHEDULE to have one follow it';
const savingLines: readonly (readonly [line: string, idle: unknown, busy: unknown])[] = [
  ['BGSAVE', 'Background saving started', ADVICE],
  ['BGSAVE SCHEDULE', 'Background saving started', 'Background saving scheduled'],
  ['BGSAVE LATER', '-ERR syntax error', '-ERR syntax error'],
  [
    'BGREWRITEAOF',
    'Background append only file rewriting started',
    'Background append only file rewriting scheduled',
  ],
  ['LASTSAVE', 1_700_000_000, 1_700_000_000],
];
for (const [line, idle, busy] of savingLines) {
  server(`${line}, idle and while one is under way`, () => {
    assert.is(call(savingContext(false), line), idle);
    assert.is(call(savingContext(true), line), busy);
  });
}

server('inside of a transaction a snapshot is put off until its end', () => {
  for (const [line, reply] of [
    ['BGSAVE', 'Background saving scheduled'],
    ['BGSAVE SCHEDULE', 'Background saving scheduled'],
    ['BGREWRITEAOF', 'Background append only file rewriting scheduled'],
  ] as const) {
    const context = savingContext(false);
    context.mayBlock = false;
    assert.is(call(context, line), reply);
    assert.is(context.later, 1);
  }
  const busy = savingContext(true);
  busy.mayBlock = false;
  assert.is(call(busy, 'BGSAVE'), ADVICE);
});

server('SAVE answers when the snapshot is on disk, or why it is not', async () => {
  const settled = async (failure?: string): Promise<readonly unknown[]> => {
    const context = savingContext(false, failure);
    assert.is(call(context, 'SAVE'), undefined);
    await new Promise((resolve) => setImmediate(resolve));
    return context.deferred;
  };
  assert.equal(await settled(), ['OK']);
  assert.equal(await settled('no\r\nroom'), ['-ERR the snapshot has failed: no room']);
  const busy = savingContext(true);
  assert.is(call(busy, 'SAVE'), '-ERR Background save already in progress');
});

server('without a disk no snapshot is taken, and LASTSAVE says when the server began', () => {
  const { context } = contextWithPorts();
  for (const line of ['SAVE', 'BGSAVE', 'BGSAVE SCHEDULE', 'BGREWRITEAOF']) {
    assert.is(call(context, line), '-ERR nothing is kept on disk: persistence.enabled is off');
  }
  assert.is(call(context, 'LASTSAVE'), 0);
});

server('has no modules, and loads none', () => {
  const { context } = contextWithPorts();
  assert.equal(call(context, 'MODULE LIST'), []);
  assert.is(
    call(context, 'MODULE LOAD /lib/one.so'),
    "-ERR unknown subcommand 'LOAD'. Try MODULE HELP.",
  );
});

server.run();
