/** The modes of redis-cli that look at a server as a whole. */
// test-tier: long
import { type ChildServer, needs, startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runTool, watchTool } from './redis-tool.ts';

const tools = suite('modes of redis-cli');

let server: ChildServer;

tools.before(async () => {
  server = await startServer({ shards: 2 });
});
tools.after(async () => {
  await server.stop();
});

const cli = (...args: string[]): Promise<string> => runTool(server, ['redis-cli', ...args]);

/** Modes that measure or watch, and what shows that they have understood the answers. */
const modes: readonly (readonly [args: readonly string[], awaited: RegExp])[] = [
  // Keys, memory, clients, blocked, requests with the growth since the line before, connections.
  [['--stat', '-i', '0.1'], /^\d+ +[\d.]+[BKMG] +\d+ +0 +\d+ \(\+\d+\) +\d+ *$/m],
  [['--latency', '-i', '1', '--raw'], /^\d+ \d+ [\d.]+ \d+$/m],
  [['--latency-history', '-i', '1'], /^\d+ \d+ [\d.]+ \d+\n[^]* -- [\d.]+ seconds range$/m],
  // A row of colours, one for each step of time.
  [['--latency-dist', '-i', '1'], /38;5;0m.\[48;5;\d+m\./],
  [['--intrinsic-latency', '1'], /total runs \(avg latency: [\d.]+ microseconds/],
];

for (const [args, awaited] of modes) {
  tools(`redis-cli ${args.join(' ')} shows figures`, async () => {
    await watchTool(server, ['redis-cli', ...args], awaited);
  });
}

tools('redis-cli weighs keys', async () => {
  await cli('SET', 'weigh:large', 'x'.repeat(100_000));
  const output = await cli('--memkeys');
  assert.match(output, /Biggest string found .*weigh:large.* has 1\d{5} bytes/);
});

tools('redis-cli finds hot keys by their use', async () => {
  await cli('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lfu');
  await cli('SET', 'used:often', 'x');
  await runTool(server, ['redis-cli'], 'GET used:often\n'.repeat(5_000));
  assert.match(await cli('--hotkeys'), /hot key found with counter: \d+\s+keyname: "?used:often/);
  await cli('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
});

if (needs('redis-cli') && needs('stdbuf')) tools.run();
