/** A server whose folder outlives it: killed, and restarted with its data. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type ChildServer,
  type RespClient,
  type ServerOptions,
  startServer,
  textOf,
  until,
} from '#testkit';
import type { Test } from 'uvu';
import { runMain, type MainEnd } from '../process/main-process.ts';

const DATABASES = 16;

export class KeptServer {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'svc-kept-'));
  #server: ChildServer | undefined;

  /** Folder of the server's data. */
  get data(): string {
    return path.join(this.folder, 'svc-data');
  }

  get server(): ChildServer {
    if (this.#server === undefined) throw new Error('the server was not started');
    return this.#server;
  }

  /** Starts it, and waits until it has its data. */
  async start(options: ServerOptions = {}): Promise<RespClient> {
    this.#server = await startServer({ ...options, folder: this.folder });
    const client = await this.#server.client();
    await until(async () => !isError(await client.reply('DBSIZE')), 'the data is back');
    return client;
  }

  /** Starts it; answers how many keys it has. */
  async startedKeys(options: ServerOptions = {}): Promise<number> {
    return (await (await this.start(options)).call('DBSIZE')) as number;
  }

  /** Runs the executable on its folder, for two shards; it is expected to end by itself. */
  main(...args: readonly string[]): Promise<MainEnd> {
    const kept = ['--set', 'persistence.enabled=yes'];
    const where = ['--port', '0', '--bind', '127.0.0.1', '--shards', '2'];
    return runMain([...kept, ...where, ...args], {}, this.folder);
  }

  /** Waits until the log has a text: log lines come in their own time. */
  async reported(text: RegExp | string): Promise<void> {
    const isReported = (): boolean => {
      const { stdout } = this.server;
      return typeof text === 'string' ? stdout.includes(text) : text.test(stdout);
    };
    await until(isReported, `the log says ${String(text)}`);
  }

  /** Ends it without a word, as a crash of the process does. */
  async kill(): Promise<void> {
    this.server.signal('SIGKILL');
    await this.server.ended;
  }

  /** Ends it in good order; answers how. */
  async stop(): Promise<void> {
    await this.#server?.stop();
  }

  async remove(): Promise<void> {
    if (this.#server?.isRunning === true) await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Returns a function that makes the servers of a suite; they and their folders are removed when it ends. */
export function keptServers(of: Test): () => KeptServer {
  const servers: KeptServer[] = [];
  of.after(async () => {
    await Promise.all(servers.map((server) => server.remove()));
  });
  return () => {
    const server = new KeptServer();
    servers.push(server);
    return server;
  };
}

function isError(reply: unknown): boolean {
  return reply instanceof Error;
}

/** Everything a server holds, by key. */
type State = ReadonlyMap<string, string>;

/** All keys of all databases, with their values' digests and what those leave out. */
export async function stateOf(client: RespClient): Promise<State> {
  const state = new Map<string, string>();
  for (let database = 0; database < DATABASES; database += 1) {
    await client.call('SELECT', String(database));
    for (const name of (await client.call('KEYS', '*')) as (string | Buffer)[]) {
      const key = Buffer.from(name);
      state.set(`${database} ${key.toString('latin1')}`, await detailsOf(client, key));
    }
  }
  await client.call('SELECT', '0');
  return state;
}

async function detailsOf(client: RespClient, key: Buffer): Promise<string> {
  const type = textOf(await client.call('TYPE', key));
  const expiry = await client.call('PEXPIRETIME', key);
  const digest = await client.call('DEBUG', 'DIGEST-VALUE', key);
  return JSON.stringify([type, expiry, digest, await moreOf(client, key, type)]);
}

/** Returns the parts of a value that its digest leaves out. */
async function moreOf(client: RespClient, key: Buffer, type: string): Promise<unknown> {
  if (type === 'stream') {
    const full = await client.reply('XINFO', 'STREAM', key, 'FULL', 'COUNT', '0');
    // How nodes are cut hangs on settings, and that a consumer asked in vain is no change.
    return JSON.stringify(full).replace(/"(radix-tree-\w+|seen-time|active-time)",-?\d+,/g, '');
  }
  if (type !== 'hash') return null;
  const fields = (await client.call('HKEYS', key)) as (string | Buffer)[];
  const sorted = fields.map((field) => Buffer.from(field)).sort((a, b) => a.compare(b));
  if (sorted.length === 0) return null;
  return client.call('HPEXPIRETIME', key, 'FIELDS', String(sorted.length), ...sorted);
}

/** Returns the differences between two states, one line for each key. */
export function differences(before: State, after: State): string[] {
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys]
    .filter((key) => before.get(key) !== after.get(key))
    .map((key) => `${key}: was ${before.get(key) ?? 'absent'}, is ${after.get(key) ?? 'absent'}`);
}
