/** Frame of a command that a script calls, in memory that is reused for the next one. */

import { type Bytes, copyBytes } from '#base';
import { DATABASE_SHIFT, frameBytes, FrameKind, Request, REQUEST_HEADER_BYTES } from '#link';
import { Frame } from '../frames/frame.ts';

const BYTES_MIN = 4_096;
/** Maximum size of memory that is kept for the next long command. */
const BYTES_KEPT = 1024 * 1024;

/** Fields of the head that are not about the arguments. */
interface CalledHead {
  readonly command: number;
  /** Bits of RequestFlag. */
  readonly flags: number;
  readonly database: number;
  readonly connection: number;
  readonly sequence: number;
}

export class CalledFrame {
  #bytes = new Uint8Array(BYTES_MIN);
  #words = new Int32Array(this.#bytes.buffer);
  #frame = new Frame(this.#bytes, this.#words, 0);
  #count = 0;
  #nth = 0;
  #bodyAt = 0;
  #at = 0;

  /** Starts a command of `count` arguments with `bodyBytes` bytes together. */
  begin(count: number, bodyBytes: number): void {
    const size = frameBytes(REQUEST_HEADER_BYTES + 8 * count + bodyBytes);
    if (size > this.#bytes.length || this.#bytes.length > BYTES_KEPT) this.#renew(size);
    this.#count = count;
    this.#nth = 0;
    this.#bodyAt = REQUEST_HEADER_BYTES + 8 * count;
    this.#at = this.#bodyAt;
    this.#words[Request.bytes] = size;
    this.#words[Request.argumentCount] = count;
    this.#words[Request.bodyBytes] = bodyBytes;
  }

  /** Adds the next argument. */
  add(source: Bytes, at: number, length: number): void {
    const word = Request.spans + 2 * this.#nth;
    this.#words[word] = this.#at - this.#bodyAt;
    this.#words[word + 1] = length;
    copyBytes(source, at, this.#bytes, this.#at, length);
    this.#at += length;
    this.#nth += 1;
  }

  /** Adds the next argument, of which each character is one byte. */
  addText(text: string): void {
    const word = Request.spans + 2 * this.#nth;
    this.#words[word] = this.#at - this.#bodyAt;
    this.#words[word + 1] = text.length;
    for (let nth = 0; nth < text.length; nth += 1) {
      this.#bytes[this.#at + nth] = text.charCodeAt(nth);
    }
    this.#at += text.length;
    this.#nth += 1;
  }

  /** The last completed frame. */
  get frame(): Frame {
    return this.#frame;
  }

  get bytes(): Bytes {
    return this.#bytes;
  }

  get words(): Int32Array {
    return this.#words;
  }

  get count(): number {
    return this.#count;
  }

  /** Offset of the arguments' bytes. */
  get bodyAt(): number {
    return this.#bodyAt;
  }

  /** Completes the head; the frame is good until the next `begin`. */
  end({ command, flags, database, connection, sequence }: CalledHead): Frame {
    const words = this.#words;
    words[Request.kind] = FrameKind.command | flags | (database << DATABASE_SHIFT);
    words[Request.command] = command;
    words[Request.connection] = connection;
    words[Request.sequence] = sequence;
    words[Request.enqueuedUs] = 0;
    return this.#frame;
  }

  /** Gives long memory back. */
  letGo(): void {
    if (this.#bytes.length > BYTES_KEPT) this.#renew(BYTES_MIN);
  }

  #renew(size: number): void {
    this.#bytes = new Uint8Array(frameBytes(Math.max(size, BYTES_MIN)));
    this.#words = new Int32Array(this.#bytes.buffer);
    this.#frame = new Frame(this.#bytes, this.#words, 0);
  }
}
