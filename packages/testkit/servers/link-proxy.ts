/** A proxy on loopback between a replica and its primary, which a test can cut and hold back. */

import net from 'node:net';

export class LinkProxy {
  readonly port: number;
  readonly #server: net.Server;
  readonly #pairs = new Set<readonly [net.Socket, net.Socket]>();
  /** True while all data is blocked without closing connections. */
  isSilent = false;
  /** True while no connection is taken. */
  isClosed = false;
  /** Bytes that get through from the far end before it waits. */
  passesBytes = Infinity;
  #passedBytes = 0;
  #held: net.Socket[] = [];
  /** Port to which connections go. */
  target: number;
  /** Connections that were taken. */
  taken = 0;

  private constructor(server: net.Server, target: number) {
    this.#server = server;
    this.target = target;
    this.port = (server.address() as net.AddressInfo).port;
    server.on('connection', (near) => {
      this.#take(near);
    });
  }

  /** Listens on a free port for connections that are to go to another. */
  static async to(target: number): Promise<LinkProxy> {
    const server = net.createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new LinkProxy(server, target);
  }

  #take(near: net.Socket): void {
    if (this.isClosed) {
      near.destroy();
      return;
    }
    this.taken += 1;
    const far = net.connect({ host: '127.0.0.1', port: this.target, noDelay: true });
    const pair = [near, far] as const;
    this.#pairs.add(pair);
    this.#pass(near, far);
    this.#pass(far, near);
    far.on('data', (piece) => {
      this.#passedBytes += piece.length;
      if (this.#passedBytes < this.passesBytes) return;
      far.pause();
      this.#held.push(far);
    });
    const end = (): void => {
      this.#pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of pair) {
      socket.on('close', end);
      socket.on('error', end);
    }
  }

  #pass(from: net.Socket, to: net.Socket): void {
    from.on('data', (piece) => {
      if (!this.isSilent) to.write(piece);
    });
  }

  /** Lets all through again. */
  release(): void {
    this.passesBytes = Infinity;
    for (const socket of this.#held.splice(0)) socket.resume();
  }

  /** Breaks all connections off. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
