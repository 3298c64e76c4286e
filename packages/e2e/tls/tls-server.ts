/** Servers that speak TLS, and clients of theirs. */

import type { Socket } from 'node:net';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import {
  type Certificates,
  type ChildServer,
  type ClientOptions,
  freePort,
  type Pair,
  pem,
  request,
  RespClient,
  type ServerOptions,
  settingArguments,
  startServer,
  textOf,
  until,
} from '#testkit';
import { sampleIn } from '../observability/metrics-text.ts';

/** Options of a server that has the pair and the authority of these certificates. */
export function tlsArguments(
  { server, authority }: Certificates,
  tlsPort: number,
  settings: Readonly<Record<string, string | number>> = {},
): string[] {
  return settingArguments({
    'tls.enabled': 'yes',
    'tls.port': tlsPort,
    'tls.cert-file': server.certificate,
    'tls.key-file': server.key,
    'tls.ca-file': authority.certificate,
    ...settings,
  });
}

/** Options of a client of TLS. */
export interface SecureOptions extends ConnectionOptions {
  /** Certificate that it shows. */
  readonly pair?: Pair;
  /** Known to Node, but in no type. */
  readonly allowHalfOpen?: boolean;
}

/** A server that listens for TLS beside its plain port. */
export class SecureServer {
  readonly plain: ChildServer;
  readonly tlsPort: number;
  readonly certificates: Certificates;
  readonly #clients: RespClient[] = [];
  #admin: RespClient | undefined;

  private constructor(plain: ChildServer, tlsPort: number, certificates: Certificates) {
    this.plain = plain;
    this.tlsPort = tlsPort;
    this.certificates = certificates;
  }

  static async start(
    certificates: Certificates,
    settings: Readonly<Record<string, string | number>> = {},
    options: ServerOptions = {},
  ): Promise<SecureServer> {
    const tlsPort = await freePort();
    const args = [...tlsArguments(certificates, tlsPort, settings), ...(options.args ?? [])];
    const plain = await startServer({ shards: 2, ...options, args });
    return new SecureServer(plain, tlsPort, certificates);
  }

  /** Connects, and waits for the end of the handshake. */
  connect(options: SecureOptions = {}): Promise<TLSSocket> {
    return connectSecurely(this.tlsPort, this.certificates, options);
  }

  /** A client of RESP over TLS. */
  async client(options: SecureOptions = {}, resp: ClientOptions = {}): Promise<RespClient> {
    const client = RespClient.over(await this.connect(options), resp);
    this.#clients.push(client);
    return client;
  }

  /** Breaks off all connections that clients have over TLS. */
  leave(): void {
    for (const { socket } of this.#clients.splice(0)) socket.destroy();
  }

  /** Sends a command on the plain port. */
  async call(...words: string[]): Promise<string> {
    this.#admin ??= await this.plain.client();
    const reply = await this.#admin.reply(...words);
    return textOf(reply);
  }

  set(...words: string[]): Promise<string> {
    return this.call('CONFIG', 'SET', ...words);
  }

  /** Value of a sample of /metrics. */
  async sample(name: string): Promise<number> {
    return sampleIn((await request(this.plain.httpPort, '/metrics')).text, name);
  }

  /** Handshakes that have failed for a reason. */
  failures(reason: string): Promise<number> {
    return this.sample(`svc_tls_handshake_failures_total{reason="${reason}"}`);
  }

  /** Waits for the sample to have a value. */
  async untilSample(name: string, value: number): Promise<void> {
    await until(async () => (await this.sample(name)) === value, `${name} is ${value}`);
  }

  stop(): Promise<unknown> {
    this.leave();
    return this.plain.stop();
  }
}

/** Connects to a port of TLS, and waits for the end of the handshake. */
export function connectSecurely(
  port: number,
  certificates: Certificates,
  { pair, ...options }: SecureOptions = {},
): Promise<TLSSocket> {
  const shown = pair === undefined ? {} : { cert: pem(pair.certificate), key: pem(pair.key) };
  const ca = pem(certificates.authority.certificate);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, ca, ...shown, ...options });
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      socket.off('error', reject);
      socket.on('error', () => undefined);
      resolve(socket);
    });
  });
}

/** Session that a connection can be resumed with. */
export function sessionOf(socket: TLSSocket): Promise<Buffer> {
  const session = socket.getSession();
  if (socket.getProtocol() !== 'TLSv1.3' && session !== undefined) return Promise.resolve(session);
  return new Promise((resolve, reject) => {
    socket.once('session', resolve);
    socket.once('close', () => {
      reject(new Error('no session was given'));
    });
    // A socket without a consumer is not read.
    socket.resume();
  });
}

/** End of a connection as a client sees it: `end` for a clean one, else the code of the error. */
export function endOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let seen = '';
    socket.on('end', () => (seen ||= 'end'));
    socket.on('error', (error: NodeJS.ErrnoException) => (seen ||= error.code ?? error.message));
    socket.on('close', () => {
      resolve(seen === '' ? 'close' : seen);
    });
    socket.resume();
  });
}

/** Outcome of an attempt to speak: the reply to a command, or the way in which it was refused. */
export async function attempt(
  server: SecureServer,
  options: SecureOptions = {},
  ...words: string[]
): Promise<string> {
  try {
    const client = await server.client(options);
    const reply = await client.reply(...(words.length === 0 ? ['PING'] : words));
    await client.end();
    return textOf(reply);
  } catch (error) {
    const { code, message, cause } = error as NodeJS.ErrnoException & { cause?: Error };
    return `refused: ${code ?? cause?.message ?? message}`;
  }
}
