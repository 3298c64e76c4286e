/**
 * A front thread: moves the bytes of connections between their sockets and main, and does TLS. It knows nothing of what
 * the bytes mean.
 *
 * One turn reads what the sockets have, writes what main has sent, and wakes main once.
 */

import { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { assert } from '#base';
import {
  Doorbell,
  FRONT_HEADER_BYTES,
  FrontFrame,
  FrontKind,
  FrontSlots,
  FrontWriter,
  layoutOf,
  LinkMemory,
  RingReader,
  type FrontPlaces,
  type LinkShape,
} from '#link';
import type { Page } from '#stats';
import { acceptedSocketOf } from '../raw-handle.ts';
import { SocketTransport, type ReadBuffer } from '../socket-transport.ts';
import type { TlsOptions } from '../tls/tls-options.ts';
import { TlsServer, type TlsFailure, type TlsInfo } from '../tls/tls-server.ts';
import { TlsTransport } from '../tls/tls-transport.ts';
import { FrontConnection, type FrontResources } from './front-connection.ts';

const READ_BYTES = 64 * 1024;
/** Rounds of taking what main sends in one turn; then the sockets are served before the next. */
const ROUNDS_MAX = 8;
/** Bytes of frames taken from which on main is given their room back. */
const RELEASE_BYTES = 128 * 1024;

/** Text behind a `handshake` frame. */
export type HandshakeText = TlsInfo;

/** Text behind a `refused` frame. */
export interface RefusedText {
  readonly failure: TlsFailure;
  readonly error: string;
}

interface FrontOptions {
  readonly index: number;
  readonly link: LinkShape;
  readonly memory: WebAssembly.Memory;
  readonly page: Page;
}

export class FrontThread {
  readonly #memory: LinkMemory;
  readonly #reader: RingReader;
  readonly #writer: FrontWriter;
  readonly #slots: FrontSlots;
  /** The bell by which main wakes this thread, and main's own. */
  readonly #bell: Doorbell;
  readonly #mainBell: Doorbell;
  readonly #read: ReadBuffer;
  readonly #shared: FrontResources;
  readonly #page: Page;
  readonly #connections = new Map<number, FrontConnection>();
  /** Sockets whose handshake is under way, with their slots; and slots that main wants no more before it is done. */
  readonly #handshakes = new Map<Socket, number>();
  readonly #sockets = new Map<number, Socket>();
  #tls: TlsServer | undefined;
  #isActive = false;
  readonly #end = (): void => {
    this.#finish();
  };

  constructor({ index, link, memory, page }: FrontOptions) {
    this.#memory = new LinkMemory(memory);
    const layout = layoutOf(link);
    const places: FrontPlaces | undefined = layout.fronts[index];
    assert(places !== undefined, 'a front thread has its places');
    this.#reader = new RingReader(this.#memory, places.toFront);
    this.#writer = new FrontWriter(this.#memory, places.toMain);
    this.#slots = new FrontSlots(this.#memory, places.slots);
    this.#bell = new Doorbell(this.#memory, places.bell);
    this.#mainBell = new Doorbell(this.#memory, layout.doorbell);
    const bytes = Buffer.allocUnsafeSlow(READ_BYTES);
    this.#read = { memory: { bytes }, bytes, at: 0 };
    this.#page = page;
    this.#shared = {
      writer: this.#writer,
      slots: this.#slots,
      begin: () => {
        this.#begin();
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
    this.#bell.listen(() => {
      this.#isActive = true;
      this.#finish();
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
    setImmediate(this.#end);
  }

  #finish(): void {
    this.#page.add('turns', 1);
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      this.#drain();
      if (this.#writer.publish()) this.#mainBell.ring();
      this.#bell.setAsleep();
      if (this.#reader.backlog === 0 && !this.#writer.hasRoom) {
        this.#isActive = false;
        return;
      }
      this.#bell.setAwake();
    }
    setImmediate(this.#end);
  }

  #drain(): void {
    const { words } = this.#memory;
    if (this.#writer.isFull) this.#flushWaiting();
    for (;;) {
      const at = this.#reader.next();
      if (at < 0) break;
      this.#take(at);
      this.#reader.advance(words[at >> 2]!);
      if (this.#reader.unreleased >= RELEASE_BYTES) this.#release();
    }
    this.#release();
  }

  #release(): void {
    if (this.#reader.release()) this.#mainBell.ring();
  }

  /** Sends on what found no room, and reads on what was not read for that. */
  #flushWaiting(): void {
    this.#writer.flush();
    if (this.#writer.isFull) return;
    for (const connection of this.#connections.values()) connection.readOn();
  }

  /** Takes the frame that lies there. */
  #take(at: number): void {
    const { words, bytes } = this.#memory;
    const word = at >> 2;
    const slot = words[word + FrontFrame.slot]!;
    const value = words[word + FrontFrame.value]!;
    const connection = this.#connections.get(slot);
    switch (words[word + FrontFrame.kind]) {
      case FrontKind.write:
        connection?.write(bytes, at + FRONT_HEADER_BYTES, value);
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
        if (connection === undefined) this.#drop(slot);
        else connection.finish(value);
        break;
      default:
        if (connection === undefined) this.#drop(slot);
        else connection.destroy();
    }
  }

  #open(slot: number, fd: number, isSecured: boolean): void {
    if (!isSecured) {
      const transport = new SocketTransport({ fd }, this.#read);
      this.#add(new FrontConnection(slot, transport, this.#shared));
      return;
    }
    const socket = new Socket({ fd });
    this.#handshakes.set(socket, slot);
    this.#sockets.set(slot, socket);
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
    const raw = acceptedSocketOf(socket);
    const slot = this.#handshakes.get(raw);
    this.#handshakes.delete(raw);
    if (slot === undefined) {
      socket.destroy();
      return;
    }
    this.#sockets.delete(slot);
    this.#begin();
    this.#sendText(FrontKind.handshake, slot, info);
    this.#add(new FrontConnection(slot, new TlsTransport(socket), this.#shared));
  }

  #refused(socket: Socket, text: RefusedText): void {
    const raw = acceptedSocketOf(socket);
    const slot = this.#handshakes.get(raw);
    this.#handshakes.delete(raw);
    if (slot === undefined) return;
    this.#sockets.delete(slot);
    this.#begin();
    this.#sendText(FrontKind.refused, slot, text);
  }

  #sendText(kind: number, slot: number, value: HandshakeText | RefusedText): void {
    const text = Buffer.from(JSON.stringify(value));
    this.#writer.sendBytes(kind, slot, text, 0, text.length);
  }

  /** Main wants no more of a connection whose handshake is under way. */
  #drop(slot: number): void {
    const socket = this.#sockets.get(slot);
    if (socket === undefined) return;
    this.#sockets.delete(slot);
    socket.destroy();
  }

  #forget(connection: FrontConnection): void {
    if (this.#connections.get(connection.slot) !== connection) return;
    this.#connections.delete(connection.slot);
    this.#page.set('frontConnections', this.#connections.size);
  }
}
