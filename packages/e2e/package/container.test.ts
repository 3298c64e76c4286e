/**
 * The image, without a registry of images: its root file system is made by the instructions of the Dockerfile over programs of
 * this machine, and the server runs in it as a container does, with a read-only root and without rights.
 */
// test-tier: long

import { execFileSync, spawnSync } from 'node:child_process';
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { launch, needs } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stagesOf, textOf, textsOf, variablesOf } from './dockerfile.ts';
import { npm, packed, root } from './packed.ts';

const container = suite('container');

const folder = mkdtempSync(path.join(tmpdir(), 'svc-container-'));
const image = path.join(folder, 'image');
const configs = path.join(root, 'configs/container');
const dockerfile = readFileSync(path.join(configs, 'Dockerfile'), 'utf8');
const [build = [], final = []] = stagesOf(dockerfile);

container.after(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Programs that the steps of the last stage and the start of the server need. */
const PROGRAMS = ['/bin/sh', '/bin/ln', '/bin/mkdir', '/bin/chown', '/usr/bin/env', '/bin/touch'];

/** Copies a program and its libraries to the same paths; Node to where the images of Node have it. */
function copyProgram(file: string, target = file): void {
  const libraries = execFileSync('ldd', [file], { encoding: 'utf8' });
  const files = [...libraries.matchAll(/(\/\S+) \(0x/g)].map(([, library]) => library!);
  for (const [from, to] of [[file, target], ...files.map((each) => [each, each])] as const) {
    const place = path.join(image, to);
    mkdirSync(path.dirname(place), { recursive: true });
    copyFileSync(from, place);
  }
}

/** Makes the file system as the steps of the Dockerfile do. */
function buildImage(): void {
  for (const program of PROGRAMS) copyProgram(program);
  copyProgram(process.execPath, '/usr/local/bin/node');
  for (const name of ['proc', 'sys', 'dev', 'tmp']) mkdirSync(path.join(image, name));
  packed(folder);
  // The steps before it install and pack as the line above has done.
  const install = textsOf(build, 'RUN')
    .at(-1)!
    .replaceAll('/opt/svc', path.join(image, 'opt/svc'))
    .replace('./dist/', `${folder}/`);
  execFileSync('sh', ['-c', install], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  assert.equal(textsOf(final, 'COPY'), ['--from=build /opt/svc /opt/svc']);
  for (const step of textsOf(final, 'RUN')) {
    execFileSync('chroot', [image, '/bin/sh', '-c', step], { stdio: 'inherit' });
  }
}

/** Returns arguments for `unshare` that run words in the file system, read-only but for the data. */
function inside(data: string, user: string, words: readonly string[]): string[] {
  const volume = path.join(image, textOf(final, 'VOLUME'));
  const mounts = [
    `mount --bind ${image} ${image}`,
    `mount -o remount,bind,ro ${image}`,
    `mount --bind ${data} ${volume}`,
    ...['proc', 'sys', 'dev'].map((name) => `mount --rbind /${name} ${image}/${name}`),
  ];
  const enter = `exec chroot --userspec=${user} --groups= ${image} /usr/bin/env -i "$@"`;
  const script = [...mounts, enter].join(' && ');
  return ['--mount', '--propagation', 'private', 'sh', '-c', script, 'sh', ...words];
}

/** Returns a command of the image with its variables and those given, in its working folder. */
function commandOf(words: readonly string[], given: Readonly<Record<string, string>>): string[] {
  const variables = { PATH: '/usr/local/bin:/usr/bin:/bin', ...variablesOf(final), ...given };
  const script = `cd ${textOf(final, 'WORKDIR')} && exec "$@"`;
  const pairs = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return [...pairs, '/bin/sh', '-c', script, 'sh', ...words];
}

function wordsOf(text: string): string[] {
  return JSON.parse(text.slice(text.indexOf('['))) as string[];
}

const isRoot = process.getuid?.() === 0;
if (!isRoot) process.stdout.write('left out: needs root\n');

if (isRoot) {
  container('runs with a read-only root, without rights, and knows its health', async () => {
    buildImage();
    const user = textOf(final, 'USER');
    const [uid, gid] = user.split(':').map(Number);
    const data = path.join(folder, 'data');
    mkdirSync(data);
    chownSync(data, uid!, gid!);
    const placesOf = (port: number, httpPort: number): Record<string, string> => ({
      SVC_SERVER__BIND: '127.0.0.1',
      SVC_SERVER__PORT: String(port),
      SVC_HTTP__PORT: String(httpPort),
    });
    const server = await launch({
      program: 'unshare',
      folder: data,
      arguments: ({ port, httpPort }) =>
        inside(
          data,
          user,
          commandOf(wordsOf(textOf(final, 'ENTRYPOINT')), placesOf(port, httpPort)),
        ),
    });
    const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
    assert.match(status, new RegExp(`^Uid:\\t${uid}\\t${uid}\\t`, 'm'));
    assert.match(status, /^CapEff:\t0+$/m);
    const client = await server.client();
    assert.is(await client.reply('SET', 'key', 'value'), 'OK');
    assert.is(await client.reply('EVAL', 'return 1', '0'), 1);
    assert.is(await client.reply('SAVE'), 'OK');
    assert.ok(readdirSync(data).every((name) => statSync(path.join(data, name)).uid === uid));

    const probe = wordsOf(textOf(final, 'HEALTHCHECK'));
    const check = (): ReturnType<typeof spawnSync> => {
      const words = commandOf(probe, placesOf(server.port, server.httpPort));
      return spawnSync('unshare', inside(data, user, words), { encoding: 'utf8' });
    };
    const healthy = check();
    assert.is(healthy.status, 0, String(healthy.stderr));

    const written = inside(data, '0:0', commandOf(['touch', '/opt/svc/written'], {}));
    const { stderr } = spawnSync('unshare', written, { encoding: 'utf8' });
    assert.match(stderr, 'Read-only file system');

    assert.is(textOf(final, 'STOPSIGNAL'), 'SIGTERM');
    const { exitCode } = await server.shutDown();
    assert.is(exitCode, 0, server.stdout + server.stderr);
    assert.not.match(server.stdout, / ERROR /);
    assert.is(check().status, 1);
  });
}

/** A program that checks Dockerfiles, at the version that this test was written with. */
const LINTER = 'dockerfile-utils@0.16.3';

container('has a Dockerfile without faults', () => {
  const tools = path.join(folder, 'tools');
  npm('install', '--prefix', tools, '--ignore-scripts', '--prefer-offline', LINTER);
  const lint = (file: string): ReturnType<typeof spawnSync> =>
    spawnSync(path.join(tools, 'node_modules/.bin/dockerfile-utils'), ['lint', file], {
      encoding: 'utf8',
    });
  const { status, stdout } = lint(path.join(configs, 'Dockerfile'));
  assert.is(status, 0, String(stdout));
  const faulty = path.join(folder, 'Faulty');
  writeFileSync(faulty, dockerfile.replace('EXPOSE 6379 9090', 'EXPOSE clients'));
  assert.is(lint(faulty).status, 1);
});

if (needs('docker-compose')) {
  container('has a compose file that docker-compose accepts, and all files that it mounts', () => {
    const file = path.join(configs, 'compose.yaml');
    const compose = (...args: readonly string[]): string =>
      execFileSync('docker-compose', ['-f', file, ...args], { encoding: 'utf8' });
    assert.equal(compose('config', '--services').trim().split('\n').sort(), [
      'grafana',
      'prometheus',
      'svc',
    ]);
    const mounts = [...compose('config').matchAll(/^ +- (\/\S+?):\S+:ro$/gm)].map(
      ([, source]) => source!,
    );
    assert.is(mounts.length, 5);
    assert.equal(
      mounts.filter((source) => !existsSync(source)),
      [],
    );
  });
}

if (needs('promtool')) {
  container('has a configuration that Prometheus accepts', () => {
    const rules = path.join(root, 'configs/observability/rules.yml');
    for (const file of [rules, path.join(configs, 'prometheus.yml')]) {
      copyFileSync(file, path.join(folder, path.basename(file)));
    }
    const checked = spawnSync(
      'promtool',
      ['check', 'config', path.join(folder, 'prometheus.yml')],
      {
        encoding: 'utf8',
      },
    );
    assert.is(checked.status, 0, checked.stdout + checked.stderr);
  });
}

container.run();
