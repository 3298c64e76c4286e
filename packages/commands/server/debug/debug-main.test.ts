import { call, CallContext } from '../../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BUNDLE, contextWithPorts, later } from '../server.test-helper.ts';

const debug = suite('DEBUG on main');

debug('DEBUG TRACING answers how it goes, and the latest traces', async () => {
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

const tracingErrors: readonly (readonly [line: string, error: string])[] = [
  ['DEBUG TRACING NOW', '-ERR DEBUG TRACING takes STATUS, or RECENT and a number'],
  ['DEBUG TRACING STATUS 1', '-ERR DEBUG TRACING takes STATUS, or RECENT and a number'],
  ['DEBUG TRACING RECENT 1 2', '-ERR DEBUG TRACING takes STATUS, or RECENT and a number'],
  ['DEBUG TRACING RECENT x', '-ERR value is not an integer or out of range'],
  ['DEBUG TRACING RECENT -1', '-ERR DEBUG TRACING RECENT takes a number that is not negative'],
];
for (const [line, error] of tracingErrors) {
  debug(line, () => {
    assert.is(call(contextWithPorts().context, line), error);
  });
}

debug('DEBUG TRACING is not for transactions, and says when nobody can be asked', async () => {
  const busy = contextWithPorts().context;
  busy.mayBlock = false;
  const refusal = '-ERR DEBUG TRACING is not allowed in transactions';
  assert.is(call(busy, 'DEBUG TRACING STATUS'), refusal);
  const ports = {
    traces: { status: () => Promise.reject(new Error('the ops thread is not there')) },
  };
  const exclusive = new CallContext({ ports });
  assert.is(call(exclusive, 'DEBUG TRACING STATUS'), undefined);
  assert.match(String(await later(exclusive)), /ERR the ops thread is not there/);
});

debug('DEBUG BUNDLE answers when the bundle is there', async () => {
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
  debug(line, () => {
    const { context, asked } = contextWithPorts();
    const reply = call(context, line);
    assert.is(asked[0] ?? reply, expected);
  });
}

debug('DEBUG FLIGHT-RECORDER answers the fields of each event', () => {
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
const refusedProfiles: readonly (readonly [line: string, reply: string])[] = [
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
for (const [line, reply] of refusedProfiles) {
  debug(line, () => {
    assert.is(call(contextWithPorts().context, line), reply);
  });
}

debug('DEBUG SHARD answers when the thread has', async () => {
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

debug.run();
