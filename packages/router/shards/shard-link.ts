/** Main's end of one shard: the two rings, and the port for what does not fit them. */

import { type Bytes, copyToShared } from '#base';
import {
  DATABASE_SHIFT,
  frameBytes,
  FrameKind,
  HOST_WORDS,
  HostWord,
  kindName,
  type LinkMemory,
  Request,
  REQUEST_HEADER_BYTES,
  type RingReader,
  type RingWriter,
  TRANSFERRED,
} from '#link';
import { messageSent } from '#usdt';
import type { CommandBytes } from '#resp';

/** Stands for main where probes name a shard. */
const MAIN = -1;

/** The part of a MessagePort that main needs. */
export interface BodyPort {
  send(body: ArrayBuffer): void;
  /** The next body that came; it is there when the frame that announces it is. */
  receive(): ArrayBuffer;
}

/** Fields of every request frame. */
export interface RequestHead {
  kind: number;
  flags: number;
  database: number;
  command: number;
  connection: number;
  sequence: number;
  enqueuedUs: number;
}

/** Arguments picked from a command, and what goes with them. */
interface Choice {
  /** Their indexes. */
  picked: readonly number[];
  /** Their bytes together, prefixes included. */
  bodyBytes: number;
  /** A word before each key, with its database and flags for the lender. */
  prefixes?: readonly number[];
}

export class ShardLink {
  readonly index: number;
  readonly requests: RingWriter;
  readonly replies: RingReader;
  readonly port: BodyPort;
  readonly #memory: LinkMemory;
  readonly #frameBytesMax: number;
  /** A client waits for the ring to have room. */
  #wantsRoom = false;
  /** Messages that found the ring full; they are sent before anything else. */
  readonly #backlog: { head: RequestHead; body: Bytes }[] = [];

  constructor(
    index: number,
    memory: LinkMemory,
    requests: RingWriter,
    replies: RingReader,
    port: BodyPort,
  ) {
    this.index = index;
    this.#memory = memory;
    this.requests = requests;
    this.replies = replies;
    this.port = port;
    this.#frameBytesMax = requests.capacity >> 2;
  }

  /** Ring bytes of a frame with a number of arguments and body bytes; larger ones travel by message. */
  frameSize(argumentCount: number, bodyBytes: number, extraWords = 0): number {
    const size = frameBytes(REQUEST_HEADER_BYTES + 4 * extraWords + 8 * argumentCount + bodyBytes);
    return size > this.#frameBytesMax ? REQUEST_HEADER_BYTES : size;
  }

  /** True when the shard has made room since it was asked to; answers so once. */
  get hasNewRoom(): boolean {
    if (!this.#wantsRoom || this.requests.isWaitingForRoom) return false;
    this.#wantsRoom = false;
    return true;
  }

  /** Returns where a frame of that size can go; -1 when the ring is full, and then it will say when it is not. */
  reserve(size: number): number {
    if (this.#backlog.length > 0 && !this.#sendBacklog()) return -1;
    const at = this.requests.reserve(size);
    if (at >= 0) return at;
    this.requests.requestRoom();
    this.#wantsRoom = true;
    return this.requests.reserve(size);
  }

  /** True when frames of `byteCount` bytes together can be sent now, none of them by message. */
  hasRoom(byteCount: number): boolean {
    return byteCount <= this.#frameBytesMax && this.reserve(byteCount) >= 0;
  }

  /**
   * Writes a client's complete command at a place of `frameSize` bytes. With `isLast` it is not read afterwards, and
   * its memory may be handed over.
   */
  writeCommand(
    at: number,
    size: number,
    head: RequestHead,
    command: CommandBytes,
    isLast = false,
  ): void {
    const { count, length, source } = command;
    if (size === REQUEST_HEADER_BYTES) {
      this.#writeTransferred(at, head, command, isLast);
      return;
    }
    const words = this.#writeHead(at, size, head, count, length);
    let word = (at >> 2) + Request.spans;
    const { spans } = command;
    for (let index = 0; index < 2 * count; index += 1) {
      words[word] = spans[index]!;
      word += 1;
    }
    this.#copy(source, command.at, word << 2, length);
    this.requests.commit(size);
  }

  /** Writes a command as the frame of a transaction's host. */
  writeHost(
    at: number,
    size: number,
    head: RequestHead,
    command: CommandBytes,
    transaction: number,
    lenders: number,
  ): void {
    const { count, length, source } = command;
    const spansAt = REQUEST_HEADER_BYTES + 4 * HOST_WORDS;
    if (size === REQUEST_HEADER_BYTES) {
      const body = new Uint8Array(4 * HOST_WORDS + 8 * count + length);
      new Int32Array(body.buffer, 0, HOST_WORDS).set([transaction, lenders]);
      new Int32Array(body.buffer, 4 * HOST_WORDS, 2 * count).set(
        command.spans.subarray(0, 2 * count),
      );
      body.set(source.subarray(command.at, command.at + length), 4 * HOST_WORDS + 8 * count);
      this.#announce(at, head, count, length, body.buffer);
      return;
    }
    const words = this.#writeHead(at, size, head, count, length);
    const word = at >> 2;
    words[word + HostWord.transaction] = transaction;
    words[word + HostWord.lenders] = lenders;
    words.set(command.spans.subarray(0, 2 * count), (at + spansAt) >> 2);
    this.#copy(source, command.at, at + spansAt + 8 * count, length);
    this.requests.commit(size);
  }

  /** Writes a frame of arguments picked from a command, each with `prefix` bytes of room before it. */
  writePicked(
    at: number,
    size: number,
    head: RequestHead,
    command: CommandBytes,
    choice: Choice,
  ): void {
    const { bodyBytes } = choice;
    const count = choice.picked.length;
    if (size === REQUEST_HEADER_BYTES) {
      const body = new Uint8Array(8 * count + bodyBytes);
      const words = new Int32Array(body.buffer, 0, 2 * count);
      fillPicked(words, 0, { bytes: body, at: 8 * count }, command, choice);
      this.#announce(at, head, count, bodyBytes, body.buffer);
      return;
    }
    const words = this.#writeHead(at, size, head, count, bodyBytes);
    const bodyAt = at + REQUEST_HEADER_BYTES + 8 * count;
    const spansWord = (at >> 2) + Request.spans;
    const { bytes } = this.#memory;
    fillPicked(words, spansWord, { bytes, shared: this.#memory, at: bodyAt }, command, choice);
    this.requests.commit(size);
  }

  /** Ring bytes that a frame with this payload behind its header needs. */
  payloadSize(payload: Bytes): number {
    return this.frameSize(0, payload.length);
  }

  /** Writes a frame with prepared spans and body, or with a reference to them. */
  writePayload(
    at: number,
    size: number,
    head: RequestHead,
    argumentCount: number,
    payload: Bytes,
  ): void {
    if (size === REQUEST_HEADER_BYTES && payload.length > 0) {
      this.#announce(at, head, argumentCount, payload.length, Uint8Array.from(payload).buffer);
      return;
    }
    this.#writeHead(at, size, head, argumentCount, payload.length);
    this.#memory.bytes.set(payload, at + REQUEST_HEADER_BYTES);
    this.requests.commit(size);
  }

  /** Sends a message without arguments as soon as the ring has room, before all that is sent later. */
  sendMessage(head: RequestHead, body: Bytes): void {
    this.#backlog.push({ head, body });
    this.#sendBacklog();
  }

  /** Tries again what found the ring full. */
  #sendBacklog(): boolean {
    for (;;) {
      const [message] = this.#backlog;
      if (message === undefined) return true;
      if (!this.#trySend(message.head, message.body)) return false;
      this.#backlog.shift();
    }
  }

  retryBacklog(): void {
    if (this.#backlog.length > 0) this.#sendBacklog();
  }

  #trySend(head: RequestHead, body: Bytes): boolean {
    const size = this.frameSize(0, body.length);
    let at = this.requests.reserve(size);
    if (at < 0) {
      this.requests.requestRoom();
      at = this.requests.reserve(size);
      if (at < 0) return false;
    }
    if (size === REQUEST_HEADER_BYTES && body.length > 0) {
      this.#announce(at, head, 0, body.length, bufferOf(body));
      return true;
    }
    this.#writeHead(at, size, head, 0, body.length);
    this.#memory.bytes.set(body, at + REQUEST_HEADER_BYTES);
    this.requests.commit(size);
    return true;
  }

  #writeTransferred(at: number, head: RequestHead, command: CommandBytes, isLast: boolean): void {
    const { count, length, source, spans } = command;
    // With room for the header, so that the shard need not copy it to have a whole frame.
    const spansAt = REQUEST_HEADER_BYTES;
    if (isLast && command.isGivable === true && command.at >= spansAt + 8 * count) {
      this.#giveAway(at, head, command);
      return;
    }
    const body = new Uint8Array(spansAt + 8 * count + length);
    new Int32Array(body.buffer, spansAt, 2 * count).set(spans.subarray(0, 2 * count));
    body.set(source.subarray(command.at, command.at + length), spansAt + 8 * count);
    this.#announce(at, head, count, length, body.buffer);
  }

  /** Gives away the memory of a command, which becomes the frame: before the first argument is room for the spans. */
  #giveAway(at: number, head: RequestHead, { count, source, spans, at: from }: CommandBytes): void {
    const body = source.buffer as ArrayBuffer;
    const words = new Int32Array(body, REQUEST_HEADER_BYTES, 2 * count);
    const bodyAt = REQUEST_HEADER_BYTES + 8 * count;
    for (let nth = 0; nth < count; nth += 1) {
      words[2 * nth] = from - bodyAt + spans[2 * nth]!;
      words[2 * nth + 1] = spans[2 * nth + 1]!;
    }
    this.#announce(at, head, count, body.byteLength - bodyAt, body);
  }

  /** Sends a body by message, and a frame that refers to it. */
  #announce(
    at: number,
    head: RequestHead,
    argumentCount: number,
    bodyBytes: number,
    body: ArrayBuffer,
  ): void {
    this.port.send(body);
    const words = this.#writeHead(at, REQUEST_HEADER_BYTES, head, argumentCount, bodyBytes);
    words[(at >> 2) + Request.kind]! |= TRANSFERRED;
    this.requests.commit(REQUEST_HEADER_BYTES);
  }

  #writeHead(
    at: number,
    size: number,
    head: RequestHead,
    argumentCount: number,
    bodyBytes: number,
  ): Int32Array {
    if (messageSent.isWatched) messageSent.fire(MAIN, this.index, kindName(head.kind));
    const { words } = this.#memory;
    const word = at >> 2;
    words[word + Request.bytes] = size;
    words[word + Request.kind] = head.kind | head.flags | (head.database << DATABASE_SHIFT);
    words[word + Request.command] = head.command;
    words[word + Request.connection] = head.connection;
    words[word + Request.sequence] = head.sequence;
    words[word + Request.enqueuedUs] = head.enqueuedUs;
    words[word + Request.argumentCount] = argumentCount;
    words[word + Request.bodyBytes] = bodyBytes;
    return words;
  }

  #copy(source: Bytes, from: number, to: number, length: number): void {
    const { bytes, copy } = this.#memory;
    if (source === bytes) copy(to, from, length);
    else bytes.set(source.subarray(from, from + length), to);
  }
}

/** Bytes that a prefix takes: a database in three bytes, and whether the key may be written. */
export const PREFIX_BYTES = 4;

/** Target of picked arguments. */
interface PickedTarget {
  readonly bytes: Bytes;
  /** The memory that `bytes` is all of, where threads share it. */
  readonly shared?: LinkMemory;
  readonly at: number;
}

/** Writes spans and bytes of the arguments picked. */
function fillPicked(
  words: Int32Array,
  spansWord: number,
  { bytes: target, shared, at: bodyAt }: PickedTarget,
  command: CommandBytes,
  { picked, prefixes }: Choice,
): void {
  const { source, spans } = command;
  let offset = 0;
  let word = spansWord;
  for (let nth = 0; nth < picked.length; nth += 1) {
    const index = picked[nth]!;
    if (prefixes !== undefined) {
      const prefix = prefixes[nth]!;
      for (let byte = 0; byte < PREFIX_BYTES; byte += 1) {
        target[bodyAt + offset + byte] = prefix >>> (8 * byte);
      }
      offset += PREFIX_BYTES;
    }
    const from = command.at + spans[2 * index]!;
    const length = spans[2 * index + 1]!;
    words[word] = offset;
    words[word + 1] = length;
    word += 2;
    if (shared === undefined) target.set(source.subarray(from, from + length), bodyAt + offset);
    else copyToShared(shared, bodyAt + offset, source, from, length);
    offset += length;
  }
}

export function emptyHead(): RequestHead {
  return {
    kind: FrameKind.command,
    flags: 0,
    database: 0,
    command: 0,
    connection: 0,
    sequence: 0,
    enqueuedUs: 0,
  };
}

/** Returns the bytes in memory that can be transferred: without a copy if they are a complete buffer. */
function bufferOf(body: Bytes): ArrayBuffer {
  const { buffer } = body;
  return body.length === buffer.byteLength ? (buffer as ArrayBuffer) : new Uint8Array(body).buffer;
}
