/**
 * Runs commands of a document as a reader would who types them, against a server of its own: in an empty folder, with free
 * ports in place of the default ones.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { answersPing, freePort, mainFile, programOrNone, until } from '#testkit';

/** Ports that documents name. */
const DOCUMENTED = { client: '6379', http: '9090', tls: '6380', other: '7000' } as const;
type Ports = Readonly<Record<keyof typeof DOCUMENTED, number>>;

export class DocumentShell {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'svc-document-'));
  readonly #ports: Ports;
  #server: ChildProcess | undefined;
  #output = '';
  /** True while the server listens on the default port, where the commands of documents look for it. */
  #isDefault = false;

  private constructor(ports: Ports) {
    this.#ports = ports;
    this.#writeShims();
  }

  static async open(): Promise<DocumentShell> {
    const client = await freePort();
    const http = await freePort(client);
    return new DocumentShell({ client, http, tls: await freePort(http), other: await freePort() });
  }

  /** Programs by their names in documents: redis-cli fails where a reply is an error, and npm starts the built server. */
  #writeShims(): void {
    const bin = path.join(this.#folder, 'bin');
    mkdirSync(bin);
    const { client, http, tls } = this.#ports;
    const shims = {
      'redis-cli': `exec ${programOrNone('redis-cli') ?? 'redis-cli'} -e -p ${client} "$@"`,
      'redis-benchmark': `exec ${programOrNone('redis-benchmark') ?? 'redis-benchmark'} -p ${client} "$@"`,
      'svc-server': `exec ${process.execPath} ${mainFile} "$@"`,
      npm: `shift; [ "$1" = -- ] && shift
exec ${process.execPath} ${mainFile} --port ${client} --set http.port=${http} --set tls.port=${tls} "$@"`,
    };
    for (const [name, script] of Object.entries(shims)) {
      const file = path.join(bin, name);
      writeFileSync(file, `#!/bin/sh\n${script}\n`);
      chmodSync(file, 0o755);
    }
  }

  /** Returns a command with the ports of this shell in place of those that documents name. */
  #withPorts(command: string): string {
    let text = command;
    for (const [name, port] of Object.entries(DOCUMENTED)) {
      text = text.replaceAll(
        new RegExp(String.raw`\b${port}\b`, 'g'),
        String(this.#ports[name as keyof Ports]),
      );
    }
    return text;
  }

  /** Starts a server by an `npm start` line; a server that is there is stopped before. */
  async start(command: string): Promise<void> {
    await this.#stop();
    const isOther = command.includes(`--port ${DOCUMENTED.other}`);
    const child = this.#spawn(`exec ${this.#withPorts(command)}`);
    this.#server = child;
    this.#isDefault = !isOther;
    const port = isOther ? this.#ports.other : this.#ports.client;
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`${command}: ${this.#output}`);
      return answersPing(port);
    }, `a server for: ${command}`);
  }

  /** Runs shell commands, beside a server with the defaults unless one is there; rejects when one of them fails. */
  async run(script: string): Promise<void> {
    if (!this.#isDefault) await this.start('npm start');
    const child = this.#spawn(`set -e\n${this.#withPorts(script)}\nwait`);
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`exit code ${code}: ${script}\n${this.#output.slice(-2_000)}`);
  }

  #spawn(script: string): ChildProcess {
    const child = spawn('bash', ['-c', script], {
      cwd: this.#folder,
      env: { ...process.env, PATH: `${this.#folder}/bin:${process.env['PATH'] ?? ''}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        this.#output = (this.#output + chunk.toString('latin1')).slice(-20_000);
      });
    }
    return child;
  }

  async #stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#isDefault = false;
    if (server === undefined || server.exitCode !== null) return;
    server.kill();
    await once(server, 'exit');
  }

  async close(): Promise<void> {
    await this.#stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
