/** Listens, and accepts connections, by sockets of Node. */

import { createServer, type ListenOptions, type Server, type Socket } from 'node:net';
import { addressText, type Ends } from './ends.ts';
import type { Accepted, PlainSockets } from './plain-sockets.ts';
import { descriptorOf, detachHandle } from './raw-handle.ts';
import { SocketTransport, type ReadBuffer } from './socket-transport.ts';

export class NodeSockets implements PlainSockets {
  readonly #read: ReadBuffer;
  readonly #duplicate: (descriptor: number) => number;

  /** With the read buffer of the thread, and what makes a further descriptor of the same socket; -1 where it cannot. */
  constructor(read: ReadBuffer, duplicate: (descriptor: number) => number) {
    this.#read = read;
    this.#duplicate = duplicate;
  }

  async listen(where: ListenOptions, accept: (accepted: Accepted) => void): Promise<() => void> {
    const server = await listenWith(createServer({ pauseOnConnect: true, noDelay: true }), where);
    server.on('connection', (socket) => {
      const ends = endsOf(socket, where.path);
      // A client that has hung up already has no address, and wants nothing.
      if (ends === undefined) socket.destroy();
      else accept(this.#newAccepted(socket, ends));
    });
    return () => {
      server.close();
    };
  }

  #newAccepted(socket: Socket, ends: Ends): Accepted {
    return {
      ends,
      transport: () => {
        const handle = detachHandle(socket);
        return handle === undefined ? undefined : new SocketTransport({ handle }, this.#read);
      },
      release: () => {
        const accepted = descriptorOf(socket);
        const descriptor = accepted < 0 ? -1 : this.#duplicate(accepted);
        socket.destroy();
        return descriptor;
      },
    };
  }
}

/** Has a server listen; rejects with the error of the system. */
export function listenWith(server: Server, where: ListenOptions): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.off('error', reject);
      // A failed accept (no more file descriptors) concerns one client, not the server.
      server.on('error', () => undefined);
      resolve(server);
    });
  });
}

/** The two ends of a socket; undefined where its client has hung up. `path` is that of a unix socket. */
export function endsOf(socket: Socket, path?: string): Ends | undefined {
  if (path !== undefined) return { remote: `${path}:0`, local: `${path}:0`, isUnix: true };
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  if (remoteAddress === undefined) return undefined;
  return {
    remote: addressText(remoteAddress, remotePort),
    local: addressText(localAddress, localPort),
    isUnix: false,
  };
}
