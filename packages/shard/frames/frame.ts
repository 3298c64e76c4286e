/** A request frame, wherever it lies: in the ring, or in private memory when it was put aside. */

import type { Bytes, ByteSlab } from '#base';
import { FrameKind, KIND_MASK, Request, REQUEST_HEADER_BYTES } from '#link';

/** Frames that name a command. */
const COMMAND_KINDS: ReadonlySet<number> = new Set([
  ...[FrameKind.command, FrameKind.part, FrameKind.exec, FrameKind.host, FrameKind.offer],
]);

export class Frame {
  readonly bytes: Bytes;
  readonly words: Int32Array;
  /** Index of the frame's first word. */
  word: number;
  /** True if the memory belongs to this frame alone and is unused once its command is done. */
  isGiven = false;
  /** Word of the link memory at which others may read it, where it is a copy of what still lies there; else -1. */
  place = -1;
  /** The body, if it is not stored after the header. */
  readonly #message: Bytes | undefined;

  constructor(bytes: Bytes, words: Int32Array, word: number, message?: Bytes) {
    this.bytes = bytes;
    this.words = words;
    this.word = word;
    this.#message = message;
  }

  get kind(): number {
    return this.words[this.word + Request.kind]! & KIND_MASK;
  }

  /** The connection's count of commands. */
  get sequence(): number {
    return this.words[this.word + Request.sequence]! >>> 0;
  }

  get byteCount(): number {
    return this.words[this.word + Request.bytes]!;
  }

  /** Copy of the body of a message, which has no arguments. */
  get body(): Bytes {
    return this.#message ?? this.borrowedBody.slice();
  }

  /** Body in place, possibly in the ring: valid until the frame is done. */
  get borrowedBody(): Bytes {
    if (this.#message !== undefined) return this.#message;
    const at = (this.word + Request.spans) << 2;
    return this.bytes.subarray(at, at + this.words[this.word + Request.bodyBytes]!);
  }

  /** Returns a copy of the frame in its own memory, or in a slab for short-lived copies. */
  detached(slab?: ByteSlab): Frame {
    const from = this.word << 2;
    const length = this.byteCount;
    const at = slab?.place(this.bytes, from, length) ?? -1;
    if (slab !== undefined && at >= 0) {
      const { bytes, words } = slab.block;
      return new Frame(bytes, words, at >> 2, this.#message);
    }
    const copy = this.bytes.slice(from, from + length);
    const words = new Int32Array(copy.buffer, copy.byteOffset, copy.byteLength >>> 2);
    return new Frame(copy, words, 0, this.#message);
  }

  /** Index in `bytes` at which argument `index` of a plain command begins. */
  argumentAt(index: number): number {
    const { words } = this;
    const spans = this.word + Request.spans;
    const body = (spans + 2 * words[this.word + Request.argumentCount]!) << 2;
    return body + words[spans + 2 * index]!;
  }

  /** Bytes of argument `index` of a plain command. */
  argumentLength(index: number): number {
    return this.words[this.word + Request.spans + 2 * index + 1]!;
  }

  /** The frame with its body, spans and bytes, that came by message; what has no spans stays where it is. */
  withBody(body: ArrayBuffer): Frame {
    if (this.words[this.word + Request.argumentCount] === 0) {
      const head = this.bytes.slice(this.word << 2, (this.word << 2) + REQUEST_HEADER_BYTES);
      return new Frame(head, new Int32Array(head.buffer), 0, new Uint8Array(body));
    }
    const whole = this.#wholeOf(body);
    const at = this.word << 2;
    whole.set(this.bytes.subarray(at, at + REQUEST_HEADER_BYTES));
    const words = new Int32Array(whole.buffer, 0, Math.floor(whole.byteLength / 4));
    const frame = new Frame(whole, words, 0);
    frame.isGiven = true;
    return frame;
  }

  /** Memory of the whole frame: of a long command it has come with room for the header. */
  #wholeOf(body: ArrayBuffer): Uint8Array<ArrayBuffer> {
    const { words, word } = this;
    const bodyBytes = 8 * words[word + Request.argumentCount]! + words[word + Request.bodyBytes]!;
    if (body.byteLength === REQUEST_HEADER_BYTES + bodyBytes) return new Uint8Array(body);
    const whole = new Uint8Array(REQUEST_HEADER_BYTES + body.byteLength);
    whole.set(new Uint8Array(body), REQUEST_HEADER_BYTES);
    return whole;
  }

  /** The number of the command that it runs; -1 when it is no command. */
  get commandOrNone(): number {
    return COMMAND_KINDS.has(this.kind) ? this.words[this.word + Request.command]! : -1;
  }
}
