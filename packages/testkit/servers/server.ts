import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch, type ChildServer, type ServerPlaces } from './child-server.ts';
import { isSecure, serverPair } from '../clients/dial.ts';
import { request } from '../clients/http-client.ts';

/** The executable, as users start it after the installation. */
export const mainFile = fileURLToPath(new URL('../../../bundle/server/main.js', import.meta.url));

/** Options of a test's server. */
export interface ServerOptions {
  /** Command-line arguments, put last so that they win. */
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** The text of a configuration file for the server. */
  readonly toml?: string;
  readonly shards?: number;
  /** True when HTTP is served, on a free port; off unless asked for. */
  readonly http?: boolean;
  readonly password?: string;
  /** False leaves enable-debug-command at its default; tests may use all of DEBUG unless they say so. */
  readonly allowsDebug?: boolean;
  /** A folder to run in and keep; otherwise one is made and removed. */
  readonly folder?: string;
  /** Options of Node itself. */
  readonly nodeArgs?: readonly string[];
}

/** Tests are run with a warm tier that gets every value at once. */
const spillsAlways = process.env['TEST_SPILLS'] === '1';
const SPILL_EVERY_MS = 2;
const SPILLING = {
  'tiered.enabled': 'yes',
  'tiered.min-value-bytes': '16',
  'memory.maxmemory-policy': 'tiered-lru',
  'memory.maxmemory': '8gb',
};

/** Boots a real server on a free port, in a folder of its own, and waits until it answers. */
export async function startServer(options: ServerOptions = {}): Promise<ChildServer> {
  const { password, folder, environment } = options;
  const server = await launch({
    program: process.execPath,
    arguments: (places) => serverArguments(places, options),
    ...(environment === undefined ? {} : { environment }),
    ...(folder === undefined ? {} : { folder }),
    ...(password === undefined ? {} : { password }),
    isReady: (one) => options.http !== true || servesHttp(one.httpPort),
  });
  if (spillsAlways) keepSpilling(server).catch(() => undefined);
  return server;
}

/** Has all values spilled again and again, until the server ends: what clients ask for is warm, most of the time. */
async function keepSpilling(server: ChildServer): Promise<void> {
  const client = await server.client();
  let isAsked = false;
  const timer = setInterval(() => {
    if (isAsked) return;
    isAsked = true;
    client.reply('DEBUG', 'SPILL').then(
      () => (isAsked = false),
      () => undefined,
    );
  }, SPILL_EVERY_MS).unref();
  await client.closed;
  clearInterval(timer);
}

/** Probes answer before the shards are there; a test that asks for HTTP waits for both. */
async function servesHttp(port: number): Promise<boolean> {
  const { status } = await request(port, '/health/ready');
  return status === 200;
}

function serverArguments(places: ServerPlaces, options: ServerOptions): string[] {
  const { port, httpPort, folder } = places;
  const args = [
    ...(options.nodeArgs ?? []),
    ...[mainFile, ...portArguments(port), '--bind', '127.0.0.1'],
  ];
  args.push('--shards', String(options.shards ?? 2));
  if (spillsAlways) args.push(...settingArguments(SPILLING));
  if (options.http === true) args.push('--http-port', String(httpPort));
  else args.push('--set', 'http.enabled=false');
  if (options.password !== undefined) args.push('--requirepass', options.password);
  if (options.allowsDebug !== false) args.push('--set', 'security.enable-debug-command=local');
  if (options.toml !== undefined) {
    const file = path.join(folder, 'svc.toml');
    writeFileSync(file, options.toml);
    args.push('--config', file);
  }
  return [...args, ...(options.args ?? [])];
}

/** Command-line arguments that give settings such values. */
export function settingArguments(settings: Readonly<Record<string, string | number>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
}

/** Options by which clients find the server at the port, over TLS where tests are run so. */
function portArguments(port: number): string[] {
  if (!isSecure) return ['--port', String(port)];
  const { certificate, key } = serverPair();
  const settings = {
    'tls.enabled': 'yes',
    'tls.port': port,
    'tls.cert-file': certificate,
    'tls.key-file': key,
  };
  return ['--port', '0', ...settingArguments(settings)];
}
