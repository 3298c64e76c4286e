/**
 * A server as a child process in a folder of its own, which does not outlive the test.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { RespClient, type ClientOptions } from '../clients/resp-client.ts';
import { until } from '../until.ts';
import { endWithTest } from './end-with-test.ts';

const START_MS_MAX = 90_000;
const STOP_MS_MAX = 30_000;
const PORT_ATTEMPTS = 5;
const OUTPUT_CHARS_MAX = 1_000_000;

/** Options for starting a server process. */
interface LaunchOptions {
  readonly program: string;
  /** The arguments, given the places chosen for the server. */
  arguments(places: ServerPlaces): readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** A folder to use and keep; otherwise one is made, and removed when the server stops. */
  readonly folder?: string;
  /** Sent once on the connection that waits for the server. */
  readonly password?: string;
  /** True when everything else that the test needs is there; asked again until it is. */
  readonly isReady?: (server: ChildServer) => boolean | Promise<boolean>;
}

/** Places of a server: free ports, and a folder. */
export interface ServerPlaces {
  readonly port: number;
  readonly httpPort: number;
  readonly folder: string;
}

/** End of a server process. */
interface ServerEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running server. */
export class ChildServer {
  readonly port: number;
  /** Port on which HTTP is served, if it is. */
  readonly httpPort: number;
  readonly folder: string;
  readonly pid: number;
  /** Settles when the process has ended. */
  readonly ended: Promise<ServerEnd>;
  readonly #child: ChildProcess;
  readonly #keepsFolder: boolean;
  readonly #clients: RespClient[] = [];
  #stdout = '';
  #stderr = '';

  constructor(child: ChildProcess, places: ServerPlaces, keepsFolder: boolean) {
    this.port = places.port;
    this.httpPort = places.httpPort;
    this.folder = places.folder;
    this.pid = child.pid ?? -1;
    this.#child = child;
    this.#keepsFolder = keepsFolder;
    endWithTest(child);
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout = (this.#stdout + text).slice(-OUTPUT_CHARS_MAX);
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-OUTPUT_CHARS_MAX);
    });
    this.ended = new Promise((resolve) => {
      child.on('error', (error) => {
        this.#stderr += error.message;
        resolve({ exitCode: null, signal: null });
      });
      child.on('close', (exitCode, signal) => {
        resolve({ exitCode, signal });
      });
    });
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** A new connection, which `stop` closes. */
  async client(options: ClientOptions = {}): Promise<RespClient> {
    const client = await RespClient.connect({ port: this.port }, options);
    this.#clients.push(client);
    return client;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /**
   * Ends the server. One whose folder is kept shuts down in good order, for the next one that starts there; another is
   * killed, since nothing can be seen of its end, and a shutdown takes a third of the processor time of a start.
   */
  async stop(): Promise<void> {
    if (this.#keepsFolder) await this.shutDown();
    else await this.#end('SIGKILL');
  }

  /** Asks the server to shut down, kills it after a while, and returns how it ended. */
  async shutDown(): Promise<ServerEnd> {
    const insist = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS_MAX);
    const end = await this.#end('SIGTERM');
    clearTimeout(insist);
    return end;
  }

  async #end(signal: NodeJS.Signals): Promise<ServerEnd> {
    for (const client of this.#clients) client.socket.destroy();
    this.#child.kill(signal);
    const end = await this.ended;
    if (!this.#keepsFolder) rmSync(this.folder, { recursive: true, force: true });
    return end;
  }
}

/** Starts the program on a free port and waits until it answers PING. */
export async function launch(options: LaunchOptions): Promise<ChildServer> {
  for (let attempt = 1; ; attempt += 1) {
    const server = await spawnServer(options);
    try {
      await untilReady(server, options);
      return server;
    } catch (error) {
      const end = await server.shutDown();
      // Another process took the port between its choice and its use.
      const again = attempt < PORT_ATTEMPTS && isPortTaken(server);
      if (!again) throw withOutput(error as Error, server, end);
    }
  }
}

async function spawnServer(options: LaunchOptions): Promise<ChildServer> {
  const port = await freePort();
  const folder = options.folder ?? mkdtempSync(path.join(tmpdir(), 'svc-test-'));
  const places = { port, httpPort: await freePort(port), folder };
  const child = spawn(options.program, options.arguments(places), {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.environment },
  });
  return new ChildServer(child, places, options.folder !== undefined);
}

function isPortTaken(server: ChildServer): boolean {
  return /EADDRINUSE|in use/i.test(server.stdout + server.stderr);
}

async function untilReady(
  server: ChildServer,
  { password, isReady }: LaunchOptions,
): Promise<void> {
  const answers = async (): Promise<boolean> => {
    if (!server.isRunning) throw new Error('the server ended before it was ready');
    try {
      const client = await RespClient.connect({ port: server.port });
      const words = password === undefined ? ['PING'] : ['AUTH', password];
      const answer = await client.reply(...words);
      await client.end();
      const isFine = answer === 'PONG' || answer === 'OK';
      return isFine && (await isReady?.(server)) !== false;
    } catch {
      // Not listening yet.
      return false;
    }
  };
  await until(answers, 'the server answers', START_MS_MAX);
}

function withOutput(error: Error, server: ChildServer, end: ServerEnd): Error {
  const how = `exit code ${end.exitCode ?? 'none'}, signal ${end.signal ?? 'none'}`;
  return new Error(`${error.message} (${how})\n${server.stdout}${server.stderr}`, { cause: error });
}

/** Returns a TCP port without a listener that is not `other`. */
export async function freePort(other = 0): Promise<number> {
  for (;;) {
    const port = await anyFreePort();
    if (port !== other) return port;
  }
}

function anyFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as net.AddressInfo;
      probe.close(() => {
        resolve(port);
      });
    });
  });
}
