/** Main's end of a front thread: connections by slot, frames both ways. */

import { type Bytes, systemClock } from '#base';
import {
  type Doorbell,
  FRONT_SLOTS,
  FrontKind,
  type FrontPlaces,
  FrontReader,
  FrontSlots,
  FrontWriter,
  type LinkMemory,
} from '#link';
import type { TlsInfo } from '../tls/tls-server.ts';
import type { RefusedText } from './front-thread.ts';
import { FrontTransport } from './front-transport.ts';

/** Callbacks for the outcome of a handshake. */
export interface FrontHandshake {
  secured(transport: FrontTransport, info: TlsInfo): void;
  refused(text: RefusedText): void;
}

interface FrontLinkEvents {
  /** Called when something was sent: it is to be published soon. */
  readonly begin: () => void;
  /** Called with the microseconds for which the front thread has waited for main. */
  readonly waited: (us: number) => void;
}

export class FrontLink {
  readonly slots: FrontSlots;
  readonly #begin: () => void;
  readonly #waited: (us: number) => void;
  readonly #memory: LinkMemory;
  readonly #reader: FrontReader;
  readonly #writer: FrontWriter;
  readonly #bell: Doorbell;
  readonly #transports: (FrontTransport | undefined)[] = [];
  readonly #handshakes = new Map<number, FrontHandshake>();
  /** Slots that were used before and are free, the one freed last at the end. */
  readonly #free: number[] = [];
  #slotCount = 0;
  /** Transports whose bytes find no room. */
  #waiting: FrontTransport[] = [];

  /** With the bell that wakes the front thread. */
  constructor(
    memory: LinkMemory,
    places: FrontPlaces,
    bell: Doorbell,
    { begin, waited }: FrontLinkEvents,
  ) {
    this.#begin = begin;
    this.#waited = waited;
    this.#memory = memory;
    this.#reader = new FrontReader(memory, places.toMain, {
      take: (kind, slot, value, at) => {
        this.#take(kind, slot, value, at);
      },
      madeRoom: () => {
        this.#bell.ring();
      },
    });
    this.#writer = new FrontWriter(memory, places.toFront);
    this.slots = new FrontSlots(memory, places.slots);
    this.#bell = bell;
  }

  /** Number of its connections, including those that are closing. */
  get count(): number {
    return this.#slotCount - this.#free.length;
  }

  get hasWork(): boolean {
    return this.#reader.hasFrames || this.#writer.hasRoom;
  }

  /** Hands a connection to the front thread by its descriptor; undefined if there is no slot. */
  open(descriptor: number): FrontTransport | undefined {
    const slot = this.#takeSlot();
    if (slot < 0) return undefined;
    const transport = new FrontTransport(this, slot, descriptor);
    this.#transports[slot] = transport;
    this.send(FrontKind.plain, slot, descriptor);
    return transport;
  }

  /** Adds a socket that starts with a handshake; false if there is no slot for it. */
  secure(descriptor: number, handshake: FrontHandshake): boolean {
    const slot = this.#takeSlot();
    if (slot < 0) return false;
    this.#handshakes.set(slot, handshake);
    this.#transports[slot] = new FrontTransport(this, slot, descriptor);
    this.send(FrontKind.secured, slot, descriptor);
    return true;
  }

  send(kind: number, slot: number, value = 0): void {
    this.#writer.send(kind, slot, value);
    this.#begin();
  }

  /** Sends the last frame about a connection. */
  say(kind: number, slot: number, value: number): void {
    this.send(kind, slot, value);
    this.#transports[slot] = undefined;
  }

  /** Sends bytes if there is room; otherwise the transport continues once there is. */
  write(transport: FrontTransport, source: Bytes, at: number, length: number): boolean {
    const { slot } = transport;
    if (this.#writer.tryBytes(FrontKind.write, slot, source, at, length)) return true;
    this.#waiting.push(transport);
    return false;
  }

  /** Takes all that the front thread has sent. */
  drain(): void {
    if (this.#writer.isFull || this.#waiting.length > 0) this.#goOn();
    this.#reader.drain();
  }

  /** Publishes the sent frames to the front thread, and wakes it. */
  publish(): void {
    if (this.#writer.publish()) this.#bell.ring();
  }

  #goOn(): void {
    this.#writer.flush();
    if (this.#writer.isFull) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const transport of waiting) transport.goOn();
  }

  #take(kind: number, slot: number, value: number, at: number): void {
    const { bytes } = this.#memory;
    if (kind === FrontKind.since) {
      this.#waited(sinceUs(value));
      return;
    }
    if (kind === FrontKind.handshake || kind === FrontKind.refused) {
      const text = Buffer.from(bytes.subarray(at, at + value));
      this.#shaken(kind, slot, text.toString());
      return;
    }
    const transport = this.#transports[slot];
    transport?.reported(kind, bytes, at, value);
    if (kind === FrontKind.closed) this.#closed(slot, transport);
  }

  #shaken(kind: number, slot: number, text: string): void {
    const handshake = this.#handshakes.get(slot);
    const transport = this.#transports[slot];
    this.#handshakes.delete(slot);
    if (kind === FrontKind.refused) {
      this.#transports[slot] = undefined;
      this.#free.push(slot);
      handshake?.refused(JSON.parse(text) as RefusedText);
    } else if (transport !== undefined) {
      handshake?.secured(transport, JSON.parse(text) as TlsInfo);
    }
  }

  /** The socket is closed: main has its last word, unless it had it. */
  #closed(slot: number, transport: FrontTransport | undefined): void {
    if (this.#transports[slot] === transport) transport?.destroy();
    this.#free.push(slot);
  }

  #takeSlot(): number {
    const slot = this.#free.pop() ?? (this.#slotCount < FRONT_SLOTS ? this.#slotCount++ : -1);
    if (slot >= 0) this.slots.clear(slot);
    return slot;
  }
}

/** Microseconds since a time that is known modulo 2^32; 0 if clock differences between threads make it negative. */
function sinceUs(value: number): number {
  return Math.max(0, ((systemClock.nowUs() >>> 0) - value) | 0);
}
