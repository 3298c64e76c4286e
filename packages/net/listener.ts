/** Listens on TCP addresses and a unix socket, and makes connections of what comes. */

import { chmodSync, existsSync, lstatSync, unlinkSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import {
  createConnection,
  createServer,
  type ListenOptions,
  type Server,
  type Socket,
} from 'node:net';
import type { TLSSocket } from 'node:tls';
import { Connection } from './connection.ts';
import { addressText, type Ends } from './ends.ts';
import type { Fronts } from './front/fronts.ts';
import type { ConnectionConfig } from './ports.ts';
import { detachHandle } from './raw-handle.ts';
import { SocketTransport, type ReadBuffer } from './socket-transport.ts';
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
  read: ReadBuffer;
  /** Certificate, key and the rest of TLS; undefined while there is none. */
  tls: TlsOptions | undefined;
  /** Front threads, which move the bytes; undefined where this thread does. They have the options of TLS already. */
  fronts: () => Fronts | undefined;
  /** Takes a new connection and becomes its owner, or closes it. */
  accept(connection: Connection): void;
  /** Told of a handshake that has failed. */
  refused(failure: TlsFailure, address: string, error: string): void;
}

/** Takes a socket that comes to a place. */
type Admit = (socket: Socket) => void;

export class Listener {
  readonly #options: ListenerOptions;
  /** Servers by address and port, or path. */
  readonly #servers = new Map<string, Server>();
  #tls: TlsServer | undefined;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** Secures new connections with that; rejects where OpenSSL refuses it, and all is as it was. */
  async secure(options: TlsOptions): Promise<void> {
    const fronts = this.#options.fronts();
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

  /** Binds everything; rejects with the first address that cannot be had, and then listens on none. */
  async open(): Promise<void> {
    const { unixSocket, tls, fronts } = this.#options;
    if (tls !== undefined && fronts() === undefined) this.#tls = this.#newTlsServer(tls);
    try {
      await this.move(this.#options);
      if (unixSocket !== '') await this.#openUnix(unixSocket);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Listens for TCP there and nowhere else; rejects with the first address that cannot be had, and is where it was. */
  async move({ binds, port, tlsPort }: TcpPlaces): Promise<void> {
    const before = new Set(this.#servers.keys());
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

  /** Accepts no more, handshakes under way included; connections stay. */
  close(): void {
    this.#close(() => true);
    this.#tls?.close();
  }

  #close(isMeant: (place: string) => boolean): void {
    for (const [place, server] of this.#servers) {
      if (!isMeant(place)) continue;
      server.close();
      this.#servers.delete(place);
    }
  }

  /** Answers the place's name. */
  async #openTcp(bind: string, port: number, isSecured: boolean): Promise<string> {
    const optional = bind.startsWith('-');
    const address = addressText(hostOf(bind), port);
    const place = isSecured ? `tls ${address}` : address;
    if (this.#servers.has(place)) return place;
    const { backlog } = this.#options;
    const admit: Admit = isSecured
      ? (socket) => {
          this.#shake(socket);
        }
      : (socket) => {
          this.#admit(socket, tcpEnds(socket));
        };
    const isPaused = !isSecured || this.#options.fronts() !== undefined;
    try {
      await this.#listen(place, { ...hostOptions(bind), port, backlog }, admit, isPaused);
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
      const { backlog, unixSocketMode } = this.#options;
      const admit: Admit = (socket) => {
        this.#admit(socket, unixEnds(path));
      };
      await this.#listen(path, { path, backlog }, admit, true);
      if (unixSocketMode > 0) chmodSync(path, unixSocketMode);
    } catch (error) {
      throw cannotListen(path, error, '--unix-socket');
    }
  }

  #admit(socket: Socket, ends: Ends | undefined): void {
    const transport = this.#transportOf(socket);
    // Who has hung up before it was looked at has no address, and wants nothing.
    if (ends === undefined) transport?.destroy();
    else if (transport !== undefined) this.#accept(transport, ends);
  }

  #transportOf(socket: Socket): Transport | undefined {
    const fronts = this.#options.fronts();
    if (fronts !== undefined) return fronts.take(socket);
    const handle = detachHandle(socket);
    return handle === undefined ? undefined : new SocketTransport({ handle }, this.#options.read);
  }

  #accept(transport: Transport, ends: Ends): void {
    this.#options.accept(new Connection(transport, ends, this.#options.config));
  }

  /** Has the handshake of a socket begin. */
  #shake(socket: Socket): void {
    const fronts = this.#options.fronts();
    if (fronts === undefined) {
      this.#tls?.take(socket);
      return;
    }
    const ends = tcpEnds(socket);
    fronts.shake(socket, {
      secured: (transport, tls) => {
        if (ends === undefined) transport.destroy();
        else this.#accept(transport, { ...ends, tls });
      },
      refused: ({ failure, error }) => {
        this.#options.refused(failure, ends?.remote ?? addressText(undefined, 0), error);
      },
    });
  }

  #secured(socket: TLSSocket, tls: TlsInfo): void {
    const ends = tcpEnds(socket);
    if (ends === undefined) {
      socket.destroy();
      return;
    }
    this.#accept(new TlsTransport(socket), { ...ends, tls });
  }

  #listen(
    place: string,
    where: ListenOptions,
    admit: Admit,
    pauseOnConnect: boolean,
  ): Promise<void> {
    const server = createServer({ pauseOnConnect, noDelay: true });
    server.on('connection', admit);
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(where, () => {
        server.off('error', reject);
        // A failed accept (no more file descriptors) concerns one client, not the server.
        server.on('error', () => undefined);
        this.#servers.set(place, server);
        resolve();
      });
    });
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

/** An address without the mark that it may be missing. */
function hostOf(bind: string): string {
  return bind.replace(/^-/, '');
}

function tcpEnds(socket: Socket): Ends | undefined {
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  if (remoteAddress === undefined) return undefined;
  return {
    remote: addressText(remoteAddress, remotePort),
    local: addressText(localAddress, localPort),
    isUnix: false,
  };
}

function unixEnds(path: string): Ends {
  return { remote: `${path}:0`, local: `${path}:0`, isUnix: true };
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
  throw new Error('a file is there that is no socket');
}

/** Removes a socket file that nobody listens on; one in use stays, and listening fails. */
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
