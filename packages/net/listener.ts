/** Listens on TCP addresses and a unix socket, and makes connections of what comes. */

import { chmodSync, existsSync, lstatSync, unlinkSync } from 'node:fs';
import { lookup } from 'node:dns/promises';
import { dirname, resolve } from 'node:path';
import { createConnection, createServer, isIP, type ListenOptions } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { Connection } from './connection.ts';
import { addressText, type Ends } from './ends.ts';
import type { Fronts } from './front/fronts.ts';
import { endsOf, listenWith } from './node-sockets.ts';
import type { Accepted, PlainSockets } from './plain-sockets.ts';
import type { ConnectionConfig } from './ports.ts';
import type { TlsOptions } from './tls/tls-options.ts';
import { TlsServer, type TlsFailure, type TlsInfo } from './tls/tls-server.ts';
import { TlsTransport } from './tls/tls-transport.ts';
import type { Transport } from './transport.ts';

/** Places of TCP that a server listens on. */
export interface TcpPlaces {
  /** Addresses to bind; one with a leading `-` may be missing on this machine. */
  readonly binds: readonly string[];
  /** Port of plain connections, and of secured ones; 0 = none. */
  readonly port: number;
  readonly tlsPort: number;
}

interface ListenerOptions extends TcpPlaces {
  unixSocket: string;
  /** Permissions of the unix socket; 0 leaves them as they come. */
  unixSocketMode: number;
  backlog: number;
  config: ConnectionConfig;
  /** Sockets of plain connections. */
  sockets: PlainSockets;
  /** Certificate, key and the rest of TLS; undefined while there is none. */
  tls: TlsOptions | undefined;
  /** Front threads, which move the bytes; undefined where this thread does. They have the options of TLS already. */
  readonly fronts: Fronts | undefined;
  /** Takes a new connection and becomes its owner, or closes it. */
  accept(connection: Connection): void;
  /** Called for a failed handshake. */
  refused(failure: TlsFailure, address: string, error: string): void;
}

export class Listener {
  readonly #options: ListenerOptions;
  /** Functions that stop listening, by address and port, or path. */
  readonly #places = new Map<string, () => void>();
  #tls: TlsServer | undefined;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** Sets the TLS options of new connections; rejects without a change if OpenSSL refuses them. */
  async secure(options: TlsOptions): Promise<void> {
    const { fronts } = this.#options;
    if (fronts !== undefined) await fronts.secure(options);
    else if (this.#tls !== undefined) this.#tls.update(options);
    else this.#tls = this.#newTlsServer(options);
  }

  #newTlsServer(options: TlsOptions): TlsServer {
    return new TlsServer(options, {
      secured: (socket, info) => {
        this.#secured(socket, info);
      },
      failed: (failure, { remoteAddress, remotePort }, error) => {
        this.#options.refused(failure, addressText(remoteAddress, remotePort), error);
      },
    });
  }

  /** Binds all addresses; rejects with the first one that cannot be bound, and then listens on none. */
  async open(): Promise<void> {
    const { unixSocket, tls, fronts } = this.#options;
    if (tls !== undefined && fronts === undefined) this.#tls = this.#newTlsServer(tls);
    try {
      await this.move(this.#options);
      if (unixSocket !== '') await this.#openUnix(unixSocket);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Changes the TCP addresses; rejects without a change with the first one that cannot be bound. */
  async move({ binds, port, tlsPort }: TcpPlaces): Promise<void> {
    const before = new Set(this.#places.keys());
    const wanted = new Set<string>();
    try {
      for (const bind of binds) {
        if (port > 0) wanted.add(await this.#openTcp(bind, port, false));
        if (tlsPort > 0) wanted.add(await this.#openTcp(bind, tlsPort, true));
      }
    } catch (error) {
      this.#close((place) => !before.has(place));
      throw error;
    }
    this.#close((place) => !wanted.has(place) && place !== this.#options.unixSocket);
  }

  /** Stops accepting connections, and aborts unfinished handshakes; connections stay. */
  close(): void {
    this.#close(() => true);
    this.#tls?.close();
  }

  #close(isMeant: (place: string) => boolean): void {
    for (const [place, stop] of this.#places) {
      if (!isMeant(place)) continue;
      stop();
      this.#places.delete(place);
    }
  }

  /** Opens a TCP listener; returns the name of the place. */
  async #openTcp(bind: string, port: number, isSecured: boolean): Promise<string> {
    const optional = bind.startsWith('-');
    const address = addressText(hostOf(bind), port);
    const place = isSecured ? `tls ${address}` : address;
    if (this.#places.has(place)) return place;
    const { backlog } = this.#options;
    try {
      const where = { ...(await numericOptions(bind)), port, backlog };
      this.#places.set(place, await this.#listenTcp(where, isSecured));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (optional && isMissing(code)) return place;
      const isPort = code === 'EADDRINUSE' || code === 'EACCES';
      const portOption = isSecured ? '--set tls.port=N' : '--port';
      throw cannotListen(address, error, isPort ? portOption : '--bind');
    }
    return place;
  }

  async #openUnix(path: string): Promise<void> {
    try {
      demandSocketPlace(path);
      await removeStaleSocket(path);
      const { backlog, unixSocketMode, sockets } = this.#options;
      const stop = await sockets.listen({ path, backlog }, (accepted) => {
        this.#admit(accepted);
      });
      this.#places.set(path, stop);
      if (unixSocketMode > 0) chmodSync(path, unixSocketMode);
    } catch (error) {
      throw cannotListen(path, error, '--unix-socket');
    }
  }

  /** Returns the function that stops listening. */
  async #listenTcp(where: ListenOptions, isSecured: boolean): Promise<() => void> {
    if (isSecured && this.#options.fronts === undefined) {
      const server = await listenWith(createServer({ noDelay: true }), where);
      server.on('connection', (socket) => this.#tls?.take(socket));
      return () => {
        server.close();
      };
    }
    return this.#options.sockets.listen(where, (accepted) => {
      if (isSecured) this.#shake(accepted);
      else this.#admit(accepted);
    });
  }

  #admit(accepted: Accepted): void {
    const { fronts } = this.#options;
    const transport = fronts === undefined ? accepted.transport() : fronts.take(accepted.release());
    if (transport !== undefined) this.#accept(transport, accepted.ends);
  }

  #accept(transport: Transport, ends: Ends): void {
    this.#options.accept(new Connection(transport, ends, this.#options.config));
  }

  /** Has a front thread begin the handshake of a connection. */
  #shake(accepted: Accepted): void {
    const { ends } = accepted;
    this.#options.fronts?.shake(accepted.release(), {
      secured: (transport, tls) => {
        this.#accept(transport, { ...ends, tls });
      },
      refused: ({ failure, error }) => {
        this.#options.refused(failure, ends.remote, error);
      },
    });
  }

  #secured(socket: TLSSocket, tls: TlsInfo): void {
    const ends = endsOf(socket);
    if (ends === undefined) {
      socket.destroy();
      return;
    }
    this.#accept(new TlsTransport(socket), { ...ends, tls });
  }
}

/** Places that a server is to listen on; an empty path = no socket. */
interface Places extends TcpPlaces {
  readonly unixSocket: string;
}

/**
 * Rejects as a start would where this machine has no such address, or no place for the socket. A port that is taken is
 * no fault: the server that has it may be the one that was asked about.
 */
export async function demandPlaces({ binds, port, tlsPort, unixSocket }: Places): Promise<void> {
  for (const bind of port > 0 || tlsPort > 0 ? binds : []) {
    try {
      await demandAddress(bind);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (bind.startsWith('-') && isMissing(code)) continue;
      throw cannotListen(addressText(hostOf(bind), port || tlsPort), error, '--bind');
    }
  }
  if (unixSocket === '') return;
  try {
    demandSocketPlace(unixSocket);
  } catch (error) {
    throw cannotListen(unixSocket, error, '--unix-socket');
  }
}

/** Listens for a moment, on any free port. */
function demandAddress(bind: string): Promise<void> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...hostOptions(bind), port: 0 }, () => {
      server.close(() => {
        resolve();
      });
    });
  });
}

function isMissing(code: string | undefined): boolean {
  return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT';
}

function hostOptions(bind: string): { readonly host: string; readonly ipv6Only: boolean } {
  const name = hostOf(bind);
  const host = name === '*' ? '0.0.0.0' : name === '::*' ? '::' : name;
  return { host, ipv6Only: host.includes(':') };
}

/** Resolves the host of an address to its first IP address. Rejects if it has none. */
async function numericOptions(bind: string): Promise<ReturnType<typeof hostOptions>> {
  const options = hostOptions(bind);
  if (isIP(options.host.split('%')[0]!) !== 0) return options;
  const { address } = await lookup(options.host);
  return { host: address, ipv6Only: address.includes(':') };
}

/** An address without the mark that it may be missing. */
function hostOf(bind: string): string {
  return bind.replace(/^-/, '');
}

/** The error that ends a start, with the option that helps. */
function cannotListen(where: string, cause: unknown, option: string): Error {
  const text = `cannot listen on ${where}: ${reason(cause)}; choose another with ${option}`;
  return new Error(text, { cause });
}

function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return 'the address is in use';
  if (code === 'EACCES') return 'this user may not use it';
  if (code === 'EADDRNOTAVAIL') return 'it is not an address of this machine';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'there is no host of that name';
  return message;
}

function demandSocketPlace(path: string): void {
  // The kernel's refusal would be taken for one of permission.
  if (!existsSync(dirname(path))) throw new Error(`there is no folder ${resolve(dirname(path))}`);
  if (!existsSync(path) || lstatSync(path).isSocket()) return;
  throw new Error('the file exists and is not a socket');
}

/** Removes an unused socket file; one in use stays, and listening fails. */
async function removeStaleSocket(path: string): Promise<void> {
  if (!existsSync(path)) return;
  const inUse = await new Promise<boolean>((resolve) => {
    const probe = createConnection(path);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => {
      resolve(false);
    });
  });
  if (!inUse) unlinkSync(path);
}
