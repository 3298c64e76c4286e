/**
 * Reports of the server to a service manager, as a receiver of datagrams gets them: a service of `Type=notify` with a watchdog.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ChildServer, launch, mainFile, needs, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const notices = suite('notices to a service manager');

/** Binds a socket of datagrams, and prints each as JSON with the process that has sent it. */
const RECEIVER = `
import json, socket, struct, sys
name = sys.argv[1]
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
receiver.bind('\\0' + name[1:] if name[0] == '@' else name)
print('bound', flush=True)
while True:
    data, ancillary, _, _ = receiver.recvmsg(4096, 256)
    pid = struct.unpack('iii', ancillary[0][2])[0]
    print(json.dumps({'pid': pid, 'lines': data.decode().split('\\n')}), flush=True)
`;

interface Notice {
  readonly pid: number;
  readonly lines: readonly string[];
}

/** Receiver of notices in the place of systemd. */
class Manager {
  readonly #child: ChildProcess;
  #text = '';

  constructor(socket: string) {
    this.#child = spawn('/usr/bin/python3', ['-c', RECEIVER, socket], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => (this.#text += text));
  }

  async bound(): Promise<void> {
    await until(() => this.#text.startsWith('bound\n'), 'the socket is there');
  }

  get notices(): readonly Notice[] {
    const complete = this.#text.slice(0, this.#text.lastIndexOf('\n'));
    return complete
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line) as Notice);
  }

  /** Returns the first line of each notice. */
  get names(): readonly string[] {
    return this.notices.map(({ lines }) => lines[0]!);
  }

  count(name: string): number {
    return this.names.filter((each) => each === name).length;
  }

  close(): void {
    this.#child.kill();
  }
}

const folder = mkdtempSync(path.join(tmpdir(), 'svc-notices-'));
const managers: Manager[] = [];

notices.after(() => {
  for (const manager of managers) manager.close();
  rmSync(folder, { recursive: true, force: true });
});

async function managerAt(socket: string): Promise<Manager> {
  const manager = new Manager(socket);
  managers.push(manager);
  await manager.bound();
  return manager;
}

function serve(environment: Readonly<Record<string, string>>): Promise<ChildServer> {
  return launch({
    program: process.execPath,
    arguments: ({ port, folder: data }) => [
      ...[mainFile, '--port', String(port), '--data-dir', data, '--shards', '1'],
      ...['--set', 'http.enabled=false', '--set', 'security.enable-debug-command=yes'],
    ],
    environment,
  });
}

if (needs('/usr/bin/python3')) {
  const WATCHDOG_MS = 400;

  notices('report the start, signs of life, a reload and the stop', async () => {
    const socket = path.join(folder, 'notify');
    const manager = await managerAt(socket);
    const server = await serve({
      NOTIFY_SOCKET: socket,
      WATCHDOG_USEC: String(WATCHDOG_MS * 1_000),
    });
    await until(() => manager.count('WATCHDOG=1') >= 3, 'signs of life');
    const [first] = manager.notices;
    assert.is(first?.lines[0], 'READY=1');
    assert.match(first?.lines[1] ?? '', /^STATUS=.*\d/);
    server.signal('SIGHUP');
    await until(() => manager.count('READY=1') === 2, 'the reload has ended');
    const reload = manager.notices.find(({ lines }) => lines[0] === 'RELOADING=1');
    assert.match(reload?.lines[1] ?? '', /^MONOTONIC_USEC=\d+$/);
    assert.ok(manager.names.indexOf('RELOADING=1') < manager.names.lastIndexOf('READY=1'));
    const { exitCode } = await server.shutDown();
    assert.is(exitCode, 0, server.stderr);
    await until(() => manager.count('STOPPING=1') > 0, 'the stop is reported');
    assert.is(manager.count('STOPPING=1'), 1);
    // systemd takes notices of the main process only, unless NotifyAccess allows others.
    assert.ok(manager.notices.every(({ pid }) => pid === server.pid));
  });

  notices('give no sign of life while main is stuck', async () => {
    const name = `@svc-notices-${String(process.pid)}`;
    const manager = await managerAt(name);
    const server = await serve({
      NOTIFY_SOCKET: name,
      WATCHDOG_USEC: String(WATCHDOG_MS * 1_000),
    });
    await until(() => manager.count('WATCHDOG=1') >= 1, 'a sign of life');
    const client = await server.client();
    const other = await server.client();
    assert.is(await client.reply('PING'), 'PONG');
    // The reply of the same turn of main is written before it sleeps, so what comes before the other reply comes of a stuck main.
    const slept = client.reply('DEBUG', 'MAIN-SLEEP', '3');
    await until(() => server.stdout.includes('main-stuck'), 'main is stuck');
    const before = manager.count('WATCHDOG=1');
    const answered = other.reply('PING');
    await Promise.race([slept, answered]);
    // One may be due as soon as main wakes, before its replies are read here.
    const during = manager.count('WATCHDOG=1') - before;
    assert.ok(during <= 1, `${String(during)} signs of life while main slept`);
    await until(() => manager.count('WATCHDOG=1') > before + 1, 'signs of life again');
    await server.shutDown();
  });
}

notices('do not stop a server whose manager is not there', async () => {
  const server = await serve({
    NOTIFY_SOCKET: path.join(folder, 'nowhere'),
    WATCHDOG_USEC: '200000',
  });
  const client = await server.client();
  assert.is(await client.reply('PING'), 'PONG');
  const { exitCode } = await server.shutDown();
  assert.is(exitCode, 0, server.stderr);
});

notices('are sent by a program where the socket cannot be used, with a warning', async () => {
  const received = path.join(folder, 'received');
  const program = path.join(folder, 'systemd-notify');
  writeFileSync(program, `#!/bin/sh\necho "$@" >> ${received}\n`, { mode: 0o755 });
  const server = await serve({
    // Longer than an address of a socket can be.
    NOTIFY_SOCKET: `/${'long'.repeat(50)}`,
    PATH: folder,
  });
  const has = (text: string): boolean =>
    existsSync(received) && readFileSync(received, 'utf8').includes(text);
  await until(() => has('READY=1 STATUS='), 'the program has reported');
  const warning = / WARN .*service-socket-missing .*NotifyAccess=all/;
  await until(() => warning.test(server.stdout), 'the warning is in the log');
  await server.shutDown();
  await until(() => has('STOPPING=1'), 'the program has reported the stop');
  rmSync(program);
  const silent = await serve({ NOTIFY_SOCKET: `/${'long'.repeat(50)}`, PATH: folder });
  const error = / ERROR .*service-socket-missing .*Type=exec/;
  await until(() => error.test(silent.stdout), 'the error is in the log');
  await silent.shutDown();
});

notices.run();
