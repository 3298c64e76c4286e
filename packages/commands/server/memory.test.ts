import { call } from '../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { contextWithPorts, MEMORY_REPLY } from './server.test-helper.ts';

const memory = suite('MEMORY');

const cases: readonly (readonly [line: string, reply: unknown])[] = [
  ['MEMORY USAGE nowhere', null],
  ['MEMORY USAGE k SAMPLES', '-ERR syntax error'],
  ['MEMORY USAGE k SAMPLES -1', '-ERR syntax error'],
  ['MEMORY USAGE k SAMPLES x', '-ERR value is not an integer or out of range'],
  ['MEMORY DOCTOR', 'well\n'],
  ['MEMORY MALLOC-STATS', 'slabs\n'],
  ['MEMORY STATS x', "-ERR wrong number of arguments for 'memory|stats' command"],
];

for (const [line, reply] of cases) {
  memory(line, () => assert.equal(call(contextWithPorts().context, line), reply));
}

memory('MEMORY STATS lets another thread read, but for a transaction', async () => {
  const { context } = contextWithPorts();
  assert.is(call(context, 'MEMORY STATS'), undefined);
  await Promise.resolve();
  assert.equal(context.deferred, [MEMORY_REPLY]);
  context.mayBlock = false;
  assert.equal(call(context, 'MEMORY STATS'), MEMORY_REPLY);
});

memory('MEMORY PURGE answers when the shards are through, in a transaction at once', async () => {
  const { context, asked } = contextWithPorts();
  assert.is(call(context, 'MEMORY PURGE'), undefined);
  await Promise.resolve();
  assert.equal(context.deferred, ['OK']);
  context.mayBlock = false;
  assert.is(call(context, 'MEMORY PURGE'), 'OK');
  assert.equal(asked, ['purge', 'purge']);
});

memory('MEMORY USAGE tells the bytes of a key, growing with it', () => {
  const { context } = contextWithPorts();
  call(context, 'SET k v');
  const little = call(context, 'MEMORY USAGE k') as number;
  call(context, ['SET', 'k', 'v'.repeat(10_000)]);
  const much = call(context, 'MEMORY USAGE k SAMPLES 0') as number;
  assert.ok(little > 10 && much > little + 9000);
});

memory.run();
