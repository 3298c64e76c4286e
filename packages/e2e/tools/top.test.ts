/** `svc-server top`: its figures beside those of other surfaces, and its view in a terminal. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  type ChildServer,
  LinkProxy,
  mainFile,
  needs,
  type RespClient,
  settingArguments,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const tops = suite('top');

const OTHER_SCREEN = '\u001b[?1049h\u001b[?25l';
const OWN_SCREEN = '\u001b[?25h\u001b[?1049l';
const WATCHED = settingArguments({
  'hotkeys.window-enabled': 'yes',
  'hotkeys.window-seconds': 1,
  'hotkeys.window-sample': 1,
  'latency-bands.enabled': 'yes',
});

let server: ChildServer;
let client: RespClient;

tops.before(async () => {
  server = await startServer({ shards: 2, args: WATCHED });
  client = await server.client();
});
tops.after(async () => {
  for (const terminal of terminals) terminal.kill();
  await server.stop();
});

/** Terminals that a failed test leaves. */
const terminals = new Set<OnTerminal>();

interface Run {
  readonly code: number | null;
  readonly output: string;
  readonly error: string;
}

const words = (port: number, ...more: readonly string[]): string[] => [
  ...[mainFile, 'top', '--address', `127.0.0.1:${port}`],
  ...more,
];

async function run(...args: readonly string[]): Promise<Run> {
  const child = spawn(process.execPath, words(server.port, ...args));
  let output = '';
  let error = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (error += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output, error };
}

type Row = Readonly<Record<string, string | number | null>>;
type Document = Readonly<Record<'shards' | 'commands' | 'clients' | 'keys', readonly Row[]>> & {
  readonly missing: readonly string[];
};

async function figures(...args: readonly string[]): Promise<Document> {
  const { code, output, error } = await run('--json', ...args);
  assert.equal([code, error], [0, '']);
  return JSON.parse(output) as Document;
}

function rowOf(rows: readonly Row[], field: string, value: string): Row {
  const found = rows.find((row) => row[field] === value);
  assert.ok(found, `a row with the ${field} ${value}`);
  return found;
}

tops('figures are those of STATUS, INFO and CLIENT LIST', async () => {
  const named = await server.client();
  await named.call('CLIENT', 'SETNAME', 'of-the-test');
  for (let nth = 0; nth < 300; nth += 1) await named.call('SET', `k${nth}`, 'x'.repeat(nth));
  const { shards, commands, clients, missing } = await figures();
  assert.equal(missing, []);
  const status = JSON.parse(textOf(await client.call('STATUS', 'JSON'))) as {
    readonly shards: readonly Row[];
  };
  for (const field of ['id', 'keys', 'memory_bytes', 'state', 'queue_depth']) {
    assert.equal(
      shards.map((row) => row[field]),
      status.shards.map((row) => row[field]),
      field,
    );
  }
  const info = textOf(await client.call('INFO', 'commandstats'));
  const set = rowOf(commands, 'command', 'set');
  assert.match(info, `cmdstat_set:calls=${set['calls']},`);
  assert.is(set['calls_per_sec'], 0, 'nothing was set between the two readings');
  const list = textOf(await client.call('CLIENT', 'LIST'));
  const [line = ''] = list.split('\n').filter((each) => each.includes('name=of-the-test'));
  const row = rowOf(clients, 'name', 'of-the-test');
  const { id, addr, commands: total, output_bytes: output, memory_bytes: memory } = row;
  const wanted = [`id=${id} addr=${addr} `, `omem=${output} tot-mem=${memory} `];
  for (const text of wanted) assert.ok(line.includes(text), `${text} in ${line}`);
  assert.ok(line.endsWith(`tot-cmds=${total}`), line);
});

/** Gives a server something to do until the end of `act`. */
async function busy<T>(act: () => Promise<T>): Promise<T> {
  const end = new AbortController();
  const traffic = (async () => {
    while (!end.signal.aborted) await client.call('GET', '\u001b[31mhot');
  })();
  try {
    return await act();
  } finally {
    end.abort();
    await traffic;
  }
}

tops(
  'rates are of the last interval, and texts of the server have no control characters',
  async () => {
    await client.call('SET', '\u001b[31mhot', 'v');
    await busy(async () => {
      await until(
        async () => textOf(JSON.stringify(await client.call('HOTKEYS', 'WINDOW'))).includes('hot'),
        'the window has the key',
      );
      const { commands, clients, keys, shards } = await figures();
      assert.ok((rowOf(commands, 'command', 'get')['calls_per_sec'] as number) > 1);
      assert.ok((rowOf(commands, 'command', 'get')['cpu_percent'] as number) > 0);
      assert.ok(clients.some((row) => (row['commands_per_sec'] as number) > 1));
      assert.ok((rowOf(keys, 'key', '\u001b[31mhot')['reads_per_sec'] as number) > 1);
      assert.ok(shards.some((row) => row['p99_us_max'] !== null));
      const { code, output } = await run();
      assert.is(code, 0, 'without a terminal one frame is printed');
      assert.match(output, /Health: \w+\n/);
      assert.match(output, /\?\[31mhot +0 /);
      assert.not.match(output, '\u001b');
      for (const title of ['Shards', 'Commands', 'Clients', 'Keys'])
        assert.match(output, `${title}:`);
    });
  },
);

tops('health issues are at the head', async () => {
  await client.call('CONFIG', 'SET', 'maxmemory', '1');
  const { output } = await run('--once');
  await client.call('CONFIG', 'SET', 'maxmemory', '0');
  assert.match(output, /\nHealth: \w+\n {2}\w+ MEMORY_PRESSURE: /);
});

tops('a part that the user may not ask for is missing with its reason', async () => {
  await client.call('ACL', 'SETUSER', 'default', '-client|list');
  try {
    const { clients, missing } = await figures();
    assert.equal(clients, []);
    assert.match(missing.join(), /CLIENT LIST: NOPERM/);
  } finally {
    await client.call('ACL', 'SETUSER', 'default', '+@all');
  }
});

tops('a server that cannot be asked is exit code 2', async () => {
  const child = spawn(process.execPath, words(1));
  let error = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (error += text));
  const [code] = (await once(child, 'close')) as [number | null];
  assert.is(code, 2);
  assert.match(error, 'ECONNREFUSED');
});

/** `top` in a terminal of 100 columns and 30 lines. */
class OnTerminal {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown[]>;
  text = '';

  constructor(port: number) {
    const command = [process.execPath, ...words(port)].map((word) => `'${word}'`).join(' ');
    const shell = `stty rows 30 cols 100; exec ${command}`;
    this.#child = spawn('script', ['-qec', shell, '/dev/null'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => (this.text += text));
    this.#ended = once(this.#child, 'exit');
    terminals.add(this);
  }

  kill(): void {
    this.#child.kill();
  }

  press(keys: string): void {
    this.text = '';
    this.#child.stdin!.write(keys);
  }

  shows(text: string | RegExp): Promise<void> {
    const has = (): boolean =>
      typeof text === 'string' ? this.text.includes(text) : text.test(this.text);
    return until(has, `the terminal shows ${String(text)}`);
  }

  async end(): Promise<number> {
    const [code] = (await this.#ended) as [number];
    terminals.delete(this);
    return code;
  }
}

tops('keys choose the view, the column, the interval, and the end', async () => {
  if (!needs('script')) return;
  const terminal = new OnTerminal(server.port);
  await terminal.shows('[1 shards]');
  assert.ok(terminal.text.includes(OTHER_SCREEN));
  terminal.press('2');
  await terminal.shows('[2 commands]  3 clients   4 keys   by CPU, every 1 s');
  await terminal.shows(/status\|json +\d+ +\d+\.\d %/);
  terminal.press('s');
  await terminal.shows('by p99, every 1 s');
  terminal.press('\t');
  await terminal.shows('[3 clients]');
  terminal.press('+');
  await terminal.shows('by commands/s, every 2 s');
  terminal.press('--');
  await terminal.shows('every 0.5 s');
  terminal.press('p4');
  await terminal.shows('[4 keys]  by ops/s, paused');
  terminal.press('\u001b[A');
  terminal.press('q');
  assert.is(await terminal.end(), 0);
  assert.ok(terminal.text.endsWith(OWN_SCREEN), 'the terminal is given back');
});

tops('Ctrl-C and a signal give the terminal back', async () => {
  if (!needs('script')) return;
  const terminal = new OnTerminal(server.port);
  await terminal.shows('[1 shards]');
  terminal.press('\u0003');
  assert.is(await terminal.end(), 130);
  assert.ok(terminal.text.endsWith(OWN_SCREEN));
});

tops('a lost connection is reported until the server is there again', async () => {
  if (!needs('script')) return;
  const proxy = await LinkProxy.to(server.port);
  const terminal = new OnTerminal(proxy.port);
  await terminal.shows('[1 shards]');
  proxy.isClosed = true;
  proxy.cut();
  await terminal.shows('Connection lost, reconnecting: ');
  proxy.isClosed = false;
  terminal.text = '';
  const isBack = (): boolean => {
    const frames = terminal.text.split('\u001b[H');
    return frames.length > 2 && !frames.at(-2)!.includes('Connection lost');
  };
  await until(isBack, 'the view has figures again');
  proxy.isSilent = true;
  await terminal.shows(`reconnecting: 127.0.0.1:${proxy.port}: no answer within 5 s`);
  terminal.press('q');
  assert.is(await terminal.end(), 0, 'a server that does not answer does not delay the end');
  await proxy.close();
});

tops.run();
