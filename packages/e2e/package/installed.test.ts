/**
 * The package as npm installs it, without this source tree, run by each supported line of Node.
 */
// test-tier: long

import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { launch, request, type ChildServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { installed, nodeOf, npm, packed, root } from './packed.ts';

const packages = suite('the installed package');

/** Lines of Node that npm has; the first is the oldest that is supported. */
const NODE_MAJORS = [20, 22, 24, 26] as const;

const folder = mkdtempSync(path.join(tmpdir(), 'svc-package-'));
let program = '';
let home = '';

packages.before(() => {
  program = installed(packed(folder), folder);
  home = path.join(folder, 'node_modules/svc-server');
});
packages.after(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Output {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(...args: readonly string[]): Output {
  // Nothing of this source tree may be found from where it runs.
  const options = { encoding: 'utf8', cwd: folder } as const;
  const { status, stdout, stderr } = spawnSync(program, args, options);
  return { code: status, stdout, stderr };
}

packages('has what was built and its documents, no sources, tests or scripts of an install', () => {
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' });
  const unwanted = files.filter((name) => /\.tsx?$|\.test\.|\.map$|\.cache$/.test(name));
  assert.equal(unwanted, []);
  for (const name of ['README.md', 'LICENSE', 'THIRD-PARTY-LICENSES', 'configs/server.toml']) {
    assert.ok(existsSync(path.join(home, name)), name);
  }
  const manifest = readFileSync(path.join(home, 'package.json'), 'utf8');
  assert.not.match(manifest, /"(?:scripts|devDependencies|private)"/);
});

packages('npm pack in the source tree packs the same, and nothing else of the tree', () => {
  const own = path.join(folder, 'of-the-tree');
  mkdirSync(own);
  npm('pack', root, '--pack-destination', own);
  const [archive = ''] = readdirSync(own);
  const executable = installed(path.join(own, archive), own);
  const inside = path.join(own, 'node_modules/svc-server');
  assert.equal(readdirSync(inside).sort(), ['LICENSE', 'README.md', 'dist', 'package.json']);
  assert.equal(readdirSync(path.join(inside, 'dist')), ['package']);
  const same = readdirSync(path.join(inside, 'dist/package'), { recursive: true }).sort();
  assert.equal(same, readdirSync(home, { recursive: true }).sort());
  const ofTree = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as object;
  const published = JSON.parse(readFileSync(path.join(home, 'package.json'), 'utf8')) as object;
  for (const field of ['dependencies', 'optionalDependencies'] as const) {
    const of = (manifest: object): unknown => (manifest as Record<string, unknown>)[field];
    assert.equal(of(ofTree), of(published), field);
  }
  const { status, stdout } = spawnSync(executable, ['--version'], { encoding: 'utf8', cwd: own });
  assert.is(status, 0);
  assert.match(stdout, run('--version').stdout.split('\n')[0]!);
});

packages('lists every package inside it, with its licence', () => {
  const bill = JSON.parse(readFileSync(path.join(home, 'sbom.cdx.json'), 'utf8')) as {
    bomFormat: string;
    components: readonly { name: string; purl: string; properties: readonly { value: string }[] }[];
  };
  assert.is(bill.bomFormat, 'CycloneDX');
  const places = new Map(
    bill.components.map(({ name, properties }) => [name, properties[0]?.value]),
  );
  const bundled = ['preact', 'uplot', 'winston', '@grpc/grpc-js'];
  assert.equal(
    bundled.map((name) => places.get(name)),
    bundled.map(() => 'bundled'),
  );
  assert.not.ok(places.has('vite'));
  const licences = readFileSync(path.join(home, 'THIRD-PARTY-LICENSES'), 'utf8');
  for (const { name } of bill.components) assert.ok(licences.includes(`${name} `), name);
  // What npm has installed beside it is listed too.
  const beside = readdirSync(path.join(folder, 'node_modules'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^[.@]|^svc-server$/.test(entry.name))
    .map((entry) => entry.name);
  assert.equal(
    beside.filter((name) => !places.has(name)),
    [],
  );
});

packages('names its version, commit and time of the build', () => {
  const { code, stdout } = run('--version');
  assert.is(code, 0);
  const manifest = JSON.parse(readFileSync(path.join(home, 'package.json'), 'utf8')) as {
    version: string;
    build: { commit: string; time: string };
  };
  const [first, commit, time] = stdout.split('\n');
  assert.is(first, `svc-server ${manifest.version}`);
  assert.is(commit, `commit    ${manifest.build.commit}`);
  assert.is(time, `built     ${manifest.build.time}`);
  assert.match(stdout, /^node {6}v\d+/m);
  assert.match(stdout, /^koffi {5}\d+\.\d+/m);
});

packages('has the tools in one program', () => {
  assert.match(run('cluster', 'help').stdout, 'svc-server cluster rebalance');
  assert.match(run('help').stdout, 'Usage: svc-server');
  assert.match(run('check-config').stdout, 'the configuration is valid');
  assert.match(run('print-config').stdout, '[server]');
  const probed = run('probe', '--http-port', '1');
  assert.is(probed.code, 1);
  assert.match(probed.stderr, 'not ready');
});

packages('says what is off without the native package, and runs', async () => {
  const koffi = path.join(folder, 'node_modules/koffi');
  renameSync(koffi, `${koffi}-away`);
  // Not merely away: another one could be found in a folder above.
  mkdirSync(koffi);
  writeFileSync(path.join(koffi, 'index.js'), "throw new Error('no binary for this platform');\n");
  try {
    assert.match(
      run('--version').stdout,
      /^koffi {5}not available \(no binary for this platform\): sockets use libuv/m,
    );
    const server = await launch({
      program,
      arguments: ({ port, folder: data }) => [
        ...['--port', String(port), '--data-dir', data],
        ...['--set', 'http.enabled=false', '--set', 'server.front-threads=0'],
      ],
    });
    const client = await server.client();
    const info = await client.reply('INFO', 'server');
    assert.ok(typeof info === 'string' && info.includes('multiplexing_api:libuv'), server.stdout);
    await server.shutDown();
  } finally {
    rmSync(koffi, { recursive: true });
    renameSync(`${koffi}-away`, koffi);
  }
});

/** Uses all kinds of native and separate files: epoll, the interpreter of Lua, tasks of the pool, pages. */
async function smoke(server: ChildServer): Promise<void> {
  const client = await server.client();
  assert.is(await client.reply('PING'), 'PONG');
  assert.is(await client.reply('SET', 'key', 'value'), 'OK');
  assert.is(await client.reply('EVAL', "return redis.call('GET', KEYS[1])", '1', 'key'), 'value');
  assert.is(await client.reply('RPUSH', 'list', 'a', 'b'), 2);
  assert.is(await client.reply('HSET', 'hash', 'field', '1'), 1);
  assert.is(await client.reply('SAVE'), 'OK');
  for (const page of ['/debug/', '/metrics', '/status/json', '/debug/api/bundle/generate']) {
    const { status } = await request(server.httpPort, page);
    assert.is(status, 200, page);
  }
}

for (const major of NODE_MAJORS) {
  packages(`runs on Node ${major}, restarts with its data, and answers its probe`, async () => {
    const node = nodeOf(major, path.join(folder, `node-${major}`));
    const data = mkdtempSync(path.join(folder, 'data-'));
    const argumentsAt = (port: number, httpPort: number): string[] => [
      ...['--port', String(port), '--http-port', String(httpPort), '--data-dir', data],
    ];
    const start = (): Promise<ChildServer> =>
      launch({
        program: node,
        arguments: ({ port, httpPort }) => [program, ...argumentsAt(port, httpPort)],
      });
    const server = await start();
    await smoke(server);
    const probe = spawnSync(
      node,
      [program, 'probe', ...argumentsAt(server.port, server.httpPort)],
      { encoding: 'utf8' },
    );
    assert.is(probe.status, 0, probe.stderr);
    const silent = ['--set', 'http.enabled=false'];
    const pinged = spawnSync(
      node,
      [program, 'probe', ...argumentsAt(server.port, server.httpPort), ...silent],
      { encoding: 'utf8' },
    );
    assert.is(pinged.status, 0, pinged.stderr);
    const { exitCode } = await server.shutDown();
    assert.is(exitCode, 0, server.stderr);
    assert.equal(server.stdout.match(/^.* ERROR .*$/gm) ?? [], []);
    const again = await start();
    const client = await again.client();
    assert.is(await client.reply('GET', 'key'), 'value');
    const info = await client.reply('INFO', 'server');
    assert.ok(typeof info === 'string' && info.includes(`node_version:v${major}.`));
    assert.is((await again.shutDown()).exitCode, 0);
  });
}

packages.run();
