/** redis-cli and redis-benchmark against this server, as a newcomer would try them. */
// test-tier: long
import { type ChildServer, needs, startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runTool } from './redis-tool.ts';

const tools = suite('redis tools');

let server: ChildServer;

tools.before(async () => {
  server = await startServer({ shards: 2 });
});
tools.after(async () => {
  await server.stop();
});

const run = (program: string, args: readonly string[], input = ''): Promise<string> =>
  runTool(server, [program, ...args], input);

const cli = (...args: string[]): Promise<string> => run('redis-cli', args);

tools('redis-cli asks and is answered', async () => {
  assert.is(await cli('SET', 'cli', 'a value'), 'OK\n');
  assert.is(await cli('GET', 'cli'), 'a value\n');
  assert.is(await cli('--no-raw', 'GET', 'none'), '(nil)\n');
  assert.is(await cli('--no-raw', 'INCR', 'n'), '(integer) 1\n');
  assert.is(await cli('-3', '--no-raw', 'GET', 'none'), '(nil)\n');
  assert.match(await cli('INCR', 'cli'), /^ERR value is not an integer or out of range/);
  assert.is(await cli('-n', '3', 'GET', 'cli'), '\n');
});

tools('redis-cli runs a list of commands from its input', async () => {
  const output = await run('redis-cli', [], 'SET in 1\nINCR in\nMGET in none\nPING\n');
  assert.is(output, 'OK\n2\n2\n\nPONG\n');
});

tools('redis-cli scans, and finds the largest keys', async () => {
  await cli('MSET', 'scan:1', 'x', 'scan:2', 'y', 'scan:3', 'z'.repeat(500));
  const found = await cli('--scan', '--pattern', 'scan:*');
  assert.equal(found.trim().split('\n').sort(), ['scan:1', 'scan:2', 'scan:3']);
  assert.match(await cli('--bigkeys'), /Biggest string found .*scan:3.* has 500 bytes/);
});

tools('redis-cli sends a file of commands in one go', async () => {
  const commands = Array.from(
    { length: 5_000 },
    (_, nth) => `SET pipe:${String(nth)} ${String(nth)}\r\n`,
  );
  const output = await run('redis-cli', ['--pipe'], commands.join(''));
  assert.match(output, /errors: 0, replies: 5000/);
  assert.is(await cli('GET', 'pipe:4999'), '4999\n');
});

const loads: readonly (readonly string[])[] = [
  ['-c', '50', '-n', '20000'],
  ['-c', '20', '-n', '50000', '-P', '16', '-r', '1000'],
  ['-c', '5', '-n', '2000', '-d', '100000'],
];

for (const load of loads) {
  tools(`redis-benchmark ${load.join(' ')} runs through`, async () => {
    const output = await run('redis-benchmark', [
      ...['-t', 'ping,set,get,incr,mset', '--csv'],
      ...load,
    ]);
    const rows = output.split('\n').filter((line) => /^"(PING|SET|GET|INCR|MSET)/.test(line));
    assert.is(rows.length, 6, output);
    for (const row of rows) assert.ok(Number(row.split('","')[1]) > 0, row);
    assert.not.match(output, /Error|WARNING: [^C]/);
  });
}

if (needs('redis-cli') && needs('redis-benchmark')) tools.run();
