/** The command line of `bench`: what it means, and each of its mistakes. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readBenchOptions } from './bench-options.ts';

const options = suite('options of bench');

const read = (...args: readonly string[]): ReturnType<typeof readBenchOptions> =>
  readBenchOptions(args);

options('defaults are ten seconds of a closed loop', () => {
  const { plan, places, rounds, filling, files } = read();
  const { commands, sizes, target, ...rest } = plan;
  assert.equal(rest, {
    keys: 100_000,
    order: { kind: 'uniform' },
    elements: 10,
    seed: 1,
    connections: 50,
    threads: 1,
    pipeline: 1,
    rate: 0,
    requests: 0,
    seconds: 10,
    warmupSeconds: 0,
  });
  assert.equal(
    commands.map(({ name, weight }) => [name, weight]),
    [
      ['get', 90],
      ['set', 10],
    ],
  );
  assert.equal(sizes, [{ least: 64, most: 64, weight: 1 }]);
  assert.equal([places.length, rounds, filling.length], [1, 1, 0]);
  assert.equal([places[0]!.host, places[0]!.port, target.resp], ['127.0.0.1', 6379, 2]);
  assert.equal(files, { json: '', csv: '', html: '' });
});

options('every option of a load has its place in the plan', () => {
  const { plan } = read(
    ...['--rate', '1500.5', '--requests', '7', '--duration', '2.5', '--warmup', '1'],
    ...['--connections', '9', '--threads', '3', '--pipeline', '4', '--keys', '12'],
    ...['--zipf', '0.99', '--elements', '5', '--seed', '8', '--value-size', '1-2', '--resp', '3'],
    '--cluster',
  );
  assert.equal(
    [plan.rate, plan.requests, plan.seconds, plan.warmupSeconds, plan.connections],
    [1500.5, 7, 2.5, 1, 9],
  );
  assert.equal(
    [plan.threads, plan.pipeline, plan.keys, plan.elements, plan.seed],
    [3, 4, 12, 5, 8],
  );
  assert.equal(plan.order, { kind: 'zipf', exponent: 0.99 });
  assert.equal(plan.sizes, [{ least: 1, most: 2, weight: 1 }]);
  assert.equal([plan.target.resp, plan.target.isCluster], [3, true]);
  assert.equal(read('--sequential').plan.order, { kind: 'sequential' });
  assert.is(read('--requests', '5').plan.seconds, 0);
});

options('commands have weights, and may stand beside a mix', () => {
  const { plan } = read('--mix', 'get:3', '--command', '2.5:SET a {value}', '--command', 'PING');
  assert.equal(
    plan.commands.map(({ name, weight }) => [name, weight]),
    [
      ['get', 3],
      ['SET a {value}', 2.5],
      ['PING', 1],
    ],
  );
});

options('the way to a server', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-bench-'));
  const password = path.join(folder, 'password');
  writeFileSync(password, 'of the file\n');
  assert.equal(read('--password', 'x').plan.target.login, ['x']);
  assert.equal(read('--user', 'u', '--password', 'x').plan.target.login, ['u', 'x']);
  assert.equal(read('--password', 'x', '--password-file', password).plan.target.login, [
    'of the file',
  ]);
  const { places } = read('--tls', '--sni', 'name', '--insecure', '--compare', '[::1]:7');
  const [first, second] = places;
  assert.equal([second!.host, second!.port], ['::1', 7]);
  for (const { tls } of [first!, second!])
    assert.equal([tls!.serverName, tls!.isInsecure], ['name', true]);
  assert.is(read('--unix-socket', '/x').places[0]!.unixSocket, '/x');
  assert.is(read('--unix-socket', '/x', '--compare', 'h:1').places[1]!.unixSocket, '');
  assert.not.match(JSON.stringify(read('--password', 'hidden-word').given), 'hidden-word');
  rmSync(folder, { recursive: true });
});

options('a preload has a command for each type of the mix', () => {
  const { filling } = read('--preload', '--mix', 'get,set,hget,xadd,lrange,sadd,zadd,incr,ping');
  assert.equal(
    filling.map(({ name }) => name),
    ['SET', 'HSET', 'XADD', 'RPUSH', 'SADD', 'ZADD', 'SET'],
  );
});

options('--compare has three rounds', () => {
  assert.is(read('--compare', 'h:1').rounds, 3);
  assert.is(read('--compare', 'h:1', '--rounds', '5').rounds, 5);
});

const mistakes: readonly (readonly [args: string, reason: RegExp])[] = [
  ['--nope', /Unknown option '--nope'; svc-server bench --help/],
  ['word', /an argument belongs to no option/],
  ['--address nowhere', /--address nowhere is not HOST:PORT/],
  ['--address h:99999', /the port of --address is a number from 1 to 65535/],
  ['--compare nowhere', /--compare nowhere is not HOST:PORT/],
  ['--rounds 3', /--rounds needs --compare/],
  ['--compare h:1 --rounds 0', /--rounds is a whole number from 1 to 1000, not "0"/],
  ['--metrics nowhere', /--metrics nowhere is not HOST:PORT/],
  ['--token-file x', /--token-file needs --metrics/],
  ['--user me', /--user needs a password/],
  ['--password-file /nowhere/x', /ENOENT/],
  ['--sni x', /--sni and --insecure need --tls/],
  ['--insecure', /--sni and --insecure need --tls/],
  ['--cacert x', /--cacert, --cert and --key need --tls/],
  ['--tls --cert x', /--cert and --key belong together/],
  ['--unix-socket /x --tls', /exclude each other/],
  ['--unix-socket /x --cluster', /exclude each other/],
  ['--resp 4', /--resp is a whole number from 2 to 3, not "4"/],
  ['--rate 0', /--rate is a number above 0/],
  ['--rate fast', /--rate is a number above 0.*not "fast"/],
  ['--duration 0', /--duration is a number above 0/],
  ['--duration 1e3', /--duration is a number above 0/],
  ['--requests 0', /--requests is a whole number from 1/],
  ['--requests 1.5', /--requests is a whole number from 1/],
  ['--warmup long', /--warmup is a number above 0/],
  ['--connections 0', /--connections is a whole number from 1 to 60000/],
  ['--threads 0', /--threads is a whole number from 1 to 256/],
  ['--threads 8 --connections 7', /--threads 8 needs as many --connections; there are 7/],
  ['--pipeline 0', /--pipeline is a whole number from 1/],
  ['--keys 0', /--keys is a whole number from 1/],
  ['--zipf 0', /--zipf is a number above 0/],
  ['--zipf 21', /at most 20/],
  ['--zipf 1 --sequential', /--zipf and --sequential exclude each other/],
  ['--elements 0', /--elements is a whole number from 1 to 1000/],
  ['--seed -1', /--seed/],
  ['--seed=-1', /--seed is a whole number from 0/],
  ['--value-size many', /--value-size many/],
  ['--mix nothing', /unknown command nothing/],
  ['--mix get,get', /get is in the mix twice/],
  ['--command {key}', /name has a placeholder/],
  ['--command 0:PING', /a weight is above 0/],
  ['--command=', /--command has no command/],
  ['--command PING --prefix x', /--prefix needs \{prefix\} in a --command/],
  ['--command PING --preload', /--preload fills the keys of --mix/],
  ['--mix ping --preload', /--preload fills the keys of --mix/],
];
for (const [args, reason] of mistakes) {
  options(`refuses ${args}`, () => {
    assert.throws(() => read(...args.split(' ')), reason);
  });
}

options.run();
