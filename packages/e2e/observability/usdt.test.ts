/** The static probes: what the library says of them, and what a tracer sees of a running server. */

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROBES } from '#usdt';
import {
  type ChildServer,
  keyPerShard,
  needs,
  programOrNone,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const usdt = suite('static probes');

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../..');
const LIBRARY = path.join(root, 'packages/usdt/native/build/Release/svc_probes.node');
const SHARDS = 2;

usdt('cost a look at a zero where they are not built, and nobody watches them', async () => {
  const { hasProbes, commandStart } = await import('#usdt');
  assert.is(hasProbes, programOrNone(LIBRARY) !== undefined);
  assert.not.ok(commandStart.isWatched);
  commandStart.fire('get', 'key', 1);
});

if (needs('readelf') && needs(LIBRARY)) {
  usdt('are in the notes of the library, each with its arguments and a semaphore', () => {
    const notes = execFileSync('readelf', ['-n', LIBRARY], { encoding: 'utf8' });
    const form =
      /Provider: (\w+)\s+Name: (\w+)\s+Location: \S+ Base: \S+ Semaphore: (\S+)\s+Arguments: (.*)/g;
    const found = [...notes.matchAll(form)].map(([, provider, name, semaphore, args = '']) => ({
      provider,
      name,
      count: args.trim().split(' ').length,
      hasSemaphore: Number(semaphore) !== 0,
    }));
    const byName = (one: { name?: string | undefined }, other: { name?: string | undefined }) =>
      String(one.name).localeCompare(String(other.name));
    assert.equal(
      found.sort(byName),
      PROBES.map(({ name, args }) => ({
        provider: 'svc',
        name,
        count: args.length,
        hasSemaphore: true,
      })).sort(byName),
    );
  });
}

/** Prints a line for each firing: the probe and its arguments, with bars between. */
function program(names: readonly string[]): string {
  return PROBES.filter(({ name }) => names.includes(name))
    .map(({ name, args }) => {
      const form = ['%s', ...args.map(([, kind]) => (kind === 'text' ? '%s' : '%d'))].join('|');
      const values = args.map(([, kind], nth) =>
        kind === 'text' ? `str(arg${nth})` : `arg${nth}`,
      );
      return `usdt:${LIBRARY}:svc:${name} { printf("${form}\\n", "${name}", ${values.join(', ')}); }`;
    })
    .join('\n');
}

class Tracer {
  text = '';
  readonly #child: ChildProcess;

  constructor(pid: number, names: readonly string[]) {
    this.#child = spawn('bpftrace', ['-B', 'line', '-p', String(pid), '-e', program(names)]);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.text += text;
      });
    }
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  saw(line: RegExp): boolean {
    return this.text.split('\n').some((each) => line.test(each));
  }

  async stop(): Promise<void> {
    if (!this.hasEnded) {
      this.#child.kill('SIGINT');
      await new Promise((resolve) => this.#child.once('exit', resolve));
    }
  }
}

/** True when the tracer sees what `act` causes; false, with a word, when it cannot attach on this machine. */
async function attached(
  tracer: Tracer,
  act: () => Promise<unknown>,
  line: RegExp,
): Promise<boolean> {
  await until(
    async () => {
      await act();
      return tracer.hasEnded || tracer.saw(line);
    },
    'the tracer attaches, or ends',
    90_000,
  );
  if (tracer.saw(line)) return true;
  process.stdout.write(`bpftrace cannot attach here: ${tracer.text.trim().slice(-300)}\n`);
  return false;
}

let server: ChildServer | undefined;
let tracer: Tracer | undefined;
usdt.after.each(async () => {
  await tracer?.stop();
  await server?.stop();
  tracer = undefined;
  server = undefined;
});

if (needs('bpftrace') && needs(LIBRARY)) {
  usdt('fire with their arguments where things happen', async () => {
    server = await startServer({ shards: SHARDS });
    const client = await server.client();
    const id = textOf(await client.call('CLIENT', 'ID'));
    tracer = new Tracer(
      server.pid,
      PROBES.map(({ name }) => name),
    );
    const isAttached = await attached(tracer, () => client.call('PING'), /^command__done\|ping/);
    if (!isAttached) return;
    const other = await server.client();
    const otherId = textOf(await other.call('CLIENT', 'ID'));
    await other.call('SUBSCRIBE', 'news');
    const [one = '', two = ''] = keyPerShard(SHARDS, 'probed');
    await client.call('SET', one, 'v');
    await client.reply('LPUSH', one, 'x');
    await client.call('MGET', one, two);
    await client.call('PUBLISH', 'news', 'hello');
    await client.call('RENAME', one, two);
    await client.call('SET', 'brief', 'v', 'PX', 1);
    // Else it may be evicted before it expires.
    await until(async () => (await client.call('EXISTS', 'brief')) === 0, 'it has expired');
    await until(() => tracer?.saw(/^key__expired\|brief/) === true, 'that is seen');
    await client.pipeline(
      Array.from({ length: 400 }, (_, nth) => ['SET', `fill:${String(nth)}`, 'x'.repeat(5_000)]),
    );
    await client.call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru', 'maxmemory', '1mb');
    await client.call('SET', 'last', 'x'.repeat(10_000));
    await client.call('CONFIG', 'SET', 'maxmemory-policy', 'noeviction', 'maxmemory', '1');
    await client.reply('SET', 'refused', 'v');
    const shard = '[01]';
    const wanted = [
      `^connection__accept\\|${otherId}\\|127\\.0\\.0\\.1:\\d+$`,
      `^command__start\\|set\\|${one}\\|${id}$`,
      '^command__done\\|set\\|\\d+\\|0$',
      '^command__done\\|lpush\\|\\d+\\|1$',
      '^scatter__start\\|mget\\|2\\|\\d+$',
      '^scatter__done\\|mget\\|\\d+\\|2$',
      '^pubsub__publish\\|news\\|1$',
      `^shard__message__sent\\|-1\\|${shard}\\|part$`,
      `^shard__message__sent\\|1\\|0\\|copies$`,
      `^shard__message__received\\|${shard}\\|command\\|\\d+$`,
      `^key__expired\\|brief\\|${shard}$`,
      `^key__evicted\\|[\\w:]+\\|${shard}\\|allkeys-lru$`,
      '^memory__pressure\\|\\d+\\|1048576\\|evict$',
      '^memory__pressure\\|\\d+\\|1\\|refuse$',
    ].map((text) => new RegExp(text));
    const missing = (): string[] => wanted.filter((line) => tracer?.saw(line) !== true).map(String);
    try {
      await until(() => missing().length === 0, 'all are seen');
    } catch (error) {
      throw new Error(`not seen: ${missing().join(' ')}`, { cause: error });
    }
  });

  usdt('wal__write tells of a shard, a key and bytes, whoever fires it', async () => {
    const probes = new URL('../../usdt/index.js', import.meta.url).href;
    const code = `import(${JSON.stringify(probes)}).then(({ walWrite }) => {
      setInterval(() => { if (walWrite.isWatched) walWrite.fire(1, 'written', 77); }, 20);
    });`;
    const child = spawn(process.execPath, ['-e', code]);
    const maps = (): boolean =>
      execFileSync('cat', [`/proc/${String(child.pid)}/maps`], { encoding: 'utf8' }).includes(
        LIBRARY,
      );
    await until(maps, 'the library is loaded');
    tracer = new Tracer(child.pid ?? 0, ['wal__write']);
    await attached(tracer, () => Promise.resolve(), /^wal__write\|1\|written\|77$/);
    await tracer.stop();
    child.kill();
  });
}

usdt.run();
