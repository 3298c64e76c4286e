/**
 * A front thread: moves the bytes of connections between their sockets and main, and does TLS. It knows nothing of what
 * the bytes mean.
 *
 * One turn reads what the sockets have, writes what main has sent, and wakes main once.
 */

import { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { systemClock } from '#base';
import {
  type Doorbell,
  FrontKind,
  type FrontPlaces,
  FrontReader,
  FrontSlots,
  FrontWriter,
  type LinkMemory,
} from '#link';
import type { Page } from '#stats';
import { acceptedSocketOf } from '../raw-handle.ts';
import { EpollLoop } from '../epoll/epoll-loop.ts';
import { EpollTransport } from '../epoll/epoll-transport.ts';
import type { ThreadLoop } from '../epoll/thread-loop.ts';
import { SocketTransport, type ReadBuffer } from '../socket-transport.ts';
import type { TlsOptions } from '../tls/tls-options.ts';
import { TlsServer, type TlsFailure, type TlsInfo } from '../tls/tls-server.ts';
import { TlsTransport } from '../tls/tls-transport.ts';
import type { Transport } from '../transport.ts';
import { FrontConnection, type FrontResources } from './front-connection.ts';

const READ_BYTES = 64 * 1024;
/** Rounds of taking what main sends in one turn; then the sockets are served before the next. */
const ROUNDS_MAX = 8;
/** Text behind a `refused` frame. */
export interface RefusedText {
  readonly failure: TlsFailure;
  readonly error: string;
}

interface FrontOptions {
  readonly memory: LinkMemory;
  readonly places: FrontPlaces;
  readonly page: Page;
  /** Loop of the thread, the bell by which main wakes it, and main's own. */
  readonly loop: ThreadLoop;
  readonly bell: Doorbell;
  readonly mainBell: Doorbell;
}

export class FrontThread {
  readonly #memory: LinkMemory;
  readonly #reader: FrontReader;
  readonly #writer: FrontWriter;
  readonly #slots: FrontSlots;
  /** The bell by which main wakes this thread, and main's own. */
  readonly #bell: Doorbell;
  readonly #mainBell: Doorbell;
  readonly #loop: ThreadLoop;
  readonly #newTransport: (descriptor: number) => Transport;
  readonly #shared: FrontResources;
  readonly #page: Page;
  readonly #connections = new Map<number, FrontConnection>();
  /** Slots of the sockets whose handshake is under way. */
  readonly #handshakes = new Map<Socket, number>();
  #tls: TlsServer | undefined;
  #isActive = false;
  /** True if the start of the wait was sent to main. */
  #isTimed = false;

  constructor({ memory, places, page, loop, bell, mainBell }: FrontOptions) {
    this.#memory = memory;
    this.#reader = new FrontReader(this.#memory, places.toFront, {
      take: (kind, slot, value, at) => {
        this.#take(kind, slot, value, at);
      },
      madeRoom: () => {
        this.#mainBell.ring();
      },
    });
    this.#writer = new FrontWriter(this.#memory, places.toMain);
    this.#slots = new FrontSlots(this.#memory, places.slots);
    this.#loop = loop;
    this.#bell = bell;
    this.#mainBell = mainBell;
    const bytes = Buffer.allocUnsafeSlow(READ_BYTES);
    this.#newTransport = transportsOf(loop, { memory: { bytes }, bytes, at: 0 }, this.#memory);
    this.#page = page;
    this.#shared = {
      writer: this.#writer,
      slots: this.#slots,
      begin: () => {
        this.#begin();
        this.#sendTime();
      },
      read: (byteCount) => {
        page.add('frontBytesIn', byteCount);
      },
      wrote: (byteCount) => {
        page.add('frontBytesOut', byteCount);
      },
      closed: (connection) => {
        this.#forget(connection);
      },
    };
  }

  /** Begins to serve. */
  run(): void {
    this.#loop.start({
      rang: () => {
        this.#isActive = true;
        this.#finish();
      },
      endTurn: () => {
        this.#finish();
      },
    });
    this.#bell.setAsleep();
    this.#begin();
  }

  /** Secures new connections with that. */
  secure(options: TlsOptions): void {
    if (this.#tls !== undefined) {
      this.#tls.update(options);
      return;
    }
    this.#tls = new TlsServer(options, {
      secured: (socket, info) => {
        this.#secured(socket, info);
      },
      failed: (failure, socket, error) => {
        this.#refused(socket, { failure, error });
      },
    });
  }

  #begin(): void {
    if (this.#isActive) return;
    this.#isActive = true;
    this.#bell.setAwake();
    this.#loop.schedule();
  }

  /** Sends the time to main, once for all frames that are sent together. */
  #sendTime(): void {
    if (this.#isTimed) return;
    this.#isTimed = true;
    this.#writer.send(FrontKind.since, 0, systemClock.nowUs() >>> 0);
  }

  #finish(): void {
    this.#page.add('turns', 1);
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      if (this.#writer.isFull) this.#flushWaiting();
      this.#reader.drain();
      if (this.#writer.publish()) {
        this.#isTimed = false;
        this.#mainBell.ring();
      }
      this.#bell.setAsleep();
      if (!this.#reader.hasFrames && !this.#writer.hasRoom) {
        this.#isActive = false;
        return;
      }
      this.#bell.setAwake();
    }
    this.#loop.schedule();
  }

  /** Sends frames that found no room, and resumes reading of connections that were paused for that. */
  #flushWaiting(): void {
    this.#writer.flush();
    if (this.#writer.isFull) return;
    for (const connection of this.#connections.values()) connection.readOn();
  }

  #take(kind: number, slot: number, value: number, at: number): void {
    const connection = this.#connections.get(slot);
    switch (kind) {
      case FrontKind.write:
        connection?.write(this.#memory.bytes, at, value);
        break;
      case FrontKind.plain:
        this.#open(slot, value, false);
        break;
      case FrontKind.secured:
        this.#open(slot, value, true);
        break;
      case FrontKind.readOn:
        connection?.readOn();
        break;
      case FrontKind.keepAlive:
        connection?.setKeepAlive(value);
        break;
      case FrontKind.finish:
        connection?.finish(value);
        break;
      default:
        connection?.destroy();
    }
  }

  #open(slot: number, fd: number, isSecured: boolean): void {
    if (!isSecured) {
      this.#add(new FrontConnection(slot, this.#newTransport(fd), this.#shared));
      return;
    }
    const socket = new Socket({ fd });
    this.#handshakes.set(socket, slot);
    if (this.#tls !== undefined) {
      this.#tls.take(socket);
      return;
    }
    this.#refused(socket, { failure: 'other', error: 'there is no certificate' });
    socket.destroy();
  }

  #add(connection: FrontConnection): void {
    this.#connections.set(connection.slot, connection);
    this.#page.set('frontConnections', this.#connections.size);
  }

  #secured(socket: TLSSocket, info: TlsInfo): void {
    const slot = this.#endHandshake(socket);
    if (slot === undefined) {
      socket.destroy();
      return;
    }
    this.#page.add('frontHandshakes', 1);
    this.#sendText(FrontKind.handshake, slot, info);
    this.#add(new FrontConnection(slot, new TlsTransport(socket), this.#shared));
  }

  #refused(socket: Socket, text: RefusedText): void {
    const slot = this.#endHandshake(socket);
    if (slot !== undefined) this.#sendText(FrontKind.refused, slot, text);
  }

  /** Ends a handshake; returns the slot of its socket. */
  #endHandshake(socket: Socket): number | undefined {
    const accepted = acceptedSocketOf(socket);
    const slot = this.#handshakes.get(accepted);
    this.#handshakes.delete(accepted);
    return slot;
  }

  #sendText(kind: number, slot: number, value: TlsInfo | RefusedText): void {
    this.#begin();
    const text = Buffer.from(JSON.stringify(value));
    this.#writer.sendBytes(kind, slot, text, 0, text.length);
  }

  #forget(connection: FrontConnection): void {
    if (this.#connections.get(connection.slot) !== connection) return;
    this.#connections.delete(connection.slot);
    this.#page.set('frontConnections', this.#connections.size);
  }
}

/** Returns what makes a transport of a descriptor, by the loop that the thread has. */
function transportsOf(
  loop: ThreadLoop,
  read: ReadBuffer,
  memory: LinkMemory,
): (descriptor: number) => Transport {
  if (!(loop instanceof EpollLoop)) return (fd) => new SocketTransport({ fd }, read);
  const shared = loop.share(read, memory.bytes);
  return (descriptor) => new EpollTransport(descriptor, shared);
}
