import { call, CallContext } from '../call.test-helper.ts';
import type { ScriptReport } from '#stats';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { libraryShebang, scriptShebang } from './shebang.ts';

const script = suite('scripts without a shard');

const WRONG_FORM = 'unknown subcommand or wrong number of arguments for';

const cases: readonly (readonly [line: string, reply: unknown])[] = [
  ['FUNCTION FLUSH NOW', '-ERR FUNCTION FLUSH only supports SYNC|ASYNC option'],
  ['FUNCTION FLUSH ASYNC SYNC', `-ERR ${WRONG_FORM} 'FLUSH'. Try FUNCTION HELP.`],
  ['FUNCTION LIST', []],
  ['FUNCTION LIST WITHCODE LIBRARYNAME x', []],
  ['FUNCTION LIST LIBRARYNAME WITHCODE', []],
  ['FUNCTION LIST LIBRARYNAME', '-ERR library name argument was not given'],
  ['FUNCTION LIST x', '-ERR Unknown argument x'],
  ['FUNCTION LIST withcode withcode', '-ERR Unknown argument withcode'],
  ['FUNCTION LOAD NOW code', '-ERR Unknown option given: NOW'],
  ['FUNCTION RESTORE x', '-ERR DUMP payload version or checksum are wrong'],
  [
    'FUNCTION RESTORE x NOW',
    '-ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.',
  ],
  ['SCRIPT FLUSH NOW', '-ERR SCRIPT FLUSH only support SYNC|ASYNC option'],
  ['SCRIPT FLUSH SYNC x', '-ERR SCRIPT FLUSH only support SYNC|ASYNC option'],
  ['SCRIPT STATS a b', `-ERR ${WRONG_FORM} 'STATS'. Try SCRIPT HELP.`],
  ['SCRIPT DEBUG NO', 'OK'],
  ['SCRIPT DEBUG MAYBE', '-ERR Use SCRIPT DEBUG YES/SYNC/NO'],
];

for (const [line, reply] of cases) {
  script(line, () => {
    assert.equal(call(new CallContext(), line), reply);
  });
}

script('SCRIPT DEBUG YES is refused with the reason', () => {
  assert.match(call(new CallContext(), 'SCRIPT DEBUG YES') as string, /^-ERR SCRIPT DEBUG is not/);
});

for (const [line, first] of [
  ['FUNCTION HELP', 'LOAD [REPLACE] <FUNCTION CODE>'],
  ['SCRIPT HELP', 'DEBUG (YES|SYNC|NO)'],
] as const) {
  script(`${line} tells of what is there`, () => {
    assert.is((call(new CallContext(), line) as string[])[1], first);
  });
}

const shebangs: readonly (readonly [
  code: string,
  read: (code: string) => unknown,
  fault: string,
])[] = [
  ['#!lua', scriptShebang, 'ERR Invalid script shebang'],
  ['#!lua "x\n', scriptShebang, 'ERR Invalid engine in script shebang'],
  [`#!lua name="${'x'.repeat(10_000_000)}"\n`, libraryShebang, 'ERR Invalid library metadata'],
  ['#!lua name="x y"z\n', libraryShebang, 'ERR Invalid library metadata'],
  ['#!js\n', scriptShebang, 'ERR Unexpected engine in script shebang: #!js'],
  ['#!lua name=x\n', scriptShebang, 'ERR Unknown lua shebang option: name=x'],
  ['#!lua flags=x\n', scriptShebang, 'ERR Unexpected flag in script shebang: x'],
  ['return 1', libraryShebang, 'ERR Missing library metadata'],
  ['#!lua name=x', libraryShebang, 'ERR Invalid library metadata'],
  [
    '#!lua name=x name=y\n',
    libraryShebang,
    'ERR Invalid metadata value, name argument was given multiple times',
  ],
  ['#!lua foo=x\n', libraryShebang, 'ERR Invalid metadata value given: foo=x'],
  ['#!lua\n', libraryShebang, 'ERR Library name was not given'],
  ['#!js name=x\n', libraryShebang, "ERR Engine 'js' not found"],
];

for (const [code, read, fault] of shebangs) {
  script(`a first line ${JSON.stringify(code).slice(0, 100)}`, () => {
    assert.throws(
      () => read(code),
      (error: Error) => error.message === fault,
    );
  });
}

script('flags of a script are read, and its code begins behind them', () => {
  const { flags, length } = scriptShebang('#!lua flags=no-writes,allow-oom\nreturn 1');
  assert.equal([[...flags!], length], [['no-writes', 'allow-oom'], 31]);
  assert.equal(scriptShebang('#!lua flags=\nreturn 1').flags, new Set());
  assert.is(scriptShebang('return 1').flags, undefined);
});

const figures: ScriptReport = {
  name: 'lib.f',
  isFunction: true,
  sourceBytes: 9,
  calls: 1,
  errors: 2,
  us: 3,
  usP50: 4,
  usP99: 5,
  usMax: 6,
  keys: 7,
  commands: 8,
  callsOnMain: 10,
  barrierRuns: 12,
  killed: 11,
};
const digest = 'ab'.repeat(20);
const all = [figures, { ...figures, name: digest, isFunction: false }];

async function statsOf(line: string): Promise<unknown> {
  const ports = { scripts: { figures: () => Promise.resolve(all) } };
  const context = new CallContext({ ports });
  call(context, line);
  await new Promise(setImmediate);
  return context.deferred[0];
}

script('SCRIPT STATS answers all figures', async () => {
  const numbers = [
    ...['calls', 1, 'errors', 2, 'time-us', 3, 'p50-us', 4, 'p99-us', 5, 'max-us', 6],
    ...[
      'keys',
      7,
      'commands',
      8,
      'calls-on-main',
      10,
      'barrier-runs',
      12,
      'killed',
      11,
      'bytes',
      9,
    ],
  ];
  assert.equal(await statsOf('SCRIPT STATS'), [
    ['name', 'lib.f', 'kind', 'function', ...numbers],
    ['name', digest, 'kind', 'script', ...numbers],
  ]);
});

for (const [name, found] of [
  [digest.toUpperCase(), 1],
  ['lib.f', 1],
  ['LIB.F', 0],
  ['f', 0],
  ['nonsense', 0],
] as const) {
  script(`SCRIPT STATS ${name} finds ${String(found)}`, async () => {
    assert.is(((await statsOf(`SCRIPT STATS ${name}`)) as unknown[]).length, found);
  });
}

script.run();
