/**
 * A TCP proxy on loopback that breaks connections, holds them up, or is silent as a network without a way through.
 *
 * While it is silent nothing is read, so what was sent comes late when it is healed, also what a peer has sent that has given
 * up since: as with segments that are sent again.
 */

import net from 'node:net';

/** A piece on its way; undefined for the end of what comes. */
type Piece = Buffer | undefined;

/** One direction of a connection. Pieces stay in order when the delay changes. */
class Direction {
  readonly #to: net.Socket;
  readonly #delayMs: () => number;
  readonly #queue: Piece[] = [];

  constructor(from: net.Socket, to: net.Socket, delayMs: () => number) {
    this.#to = to;
    this.#delayMs = delayMs;
    from.on('data', (piece) => {
      this.#take(piece);
    });
    from.on('end', () => {
      this.#take(undefined);
    });
  }

  #take(piece: Piece): void {
    const delayMs = this.#delayMs();
    if (delayMs === 0 && this.#queue.length === 0) {
      this.#give(piece);
      return;
    }
    this.#queue.push(piece);
    setTimeout(() => {
      this.#give(this.#queue.shift());
    }, delayMs);
  }

  #give(piece: Piece): void {
    if (this.#to.destroyed) return;
    if (piece === undefined) this.#to.end();
    else this.#to.write(piece);
  }
}

export class FaultProxy {
  readonly port: number;
  /** Port to which connections go. */
  target = 0;
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();
  /** Connections that were taken while it is silent. */
  readonly #waiting = new Set<net.Socket>();
  #isClosed = false;
  #isSilent = false;
  #delayMs = 0;

  private constructor(server: net.Server) {
    this.#server = server;
    this.port = (server.address() as net.AddressInfo).port;
    server.on('connection', (near) => {
      this.#take(near);
    });
  }

  /** Listens on a free port. */
  static async listen(): Promise<FaultProxy> {
    const server = net.createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new FaultProxy(server);
  }

  #take(near: net.Socket): void {
    this.#keep(near);
    if (this.#isClosed || this.target === 0) near.destroy();
    else if (this.#isSilent) this.#waiting.add(near);
    else this.#connect(near);
  }

  #keep(socket: net.Socket): void {
    this.#sockets.add(socket);
    // The error adds nothing to the close event.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      this.#waiting.delete(socket);
    });
  }

  #connect(near: net.Socket): void {
    const options = { host: '127.0.0.1', port: this.target, noDelay: true, allowHalfOpen: true };
    const far = net.connect(options);
    this.#keep(far);
    const delayMs = (): number => this.#delayMs;
    new Direction(near, far, delayMs);
    new Direction(far, near, delayMs);
    near.on('close', () => {
      far.destroy();
    });
    far.on('close', () => {
      near.destroy();
    });
    near.resume();
  }

  /** Breaks all connections off; others are taken. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Breaks all connections off, and takes no others. */
  shut(): void {
    this.#isClosed = true;
    this.cut();
  }

  /** Blocks all data without closing connections. */
  stall(): void {
    this.#isSilent = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** Delays each piece by `ms` milliseconds. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /** Lets all through again. */
  heal(): void {
    this.#isClosed = false;
    this.#isSilent = false;
    this.#delayMs = 0;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const near of waiting) this.#connect(near);
    for (const socket of this.#sockets) socket.resume();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
