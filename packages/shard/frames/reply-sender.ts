/**
 * Lends the shard's reply writer memory of the reply ring, and turns what it wrote into frames.
 *
 * Replies to commands that follow each other on one connection share a frame. A reply that outgrows
 * the ring's free stretch moves to private memory, and from there into the ring when there is room, or
 * to main by message when it is larger than a frame may be. A long one is several pieces of memory, which
 * are sent together once it is finished.
 */

import { copyLong } from '#base';
import {
  CONTINUED,
  frameBytes,
  FrameKind,
  KIND_MASK,
  type LinkMemory,
  Reply,
  REPLY_HEADER_BYTES,
  ReplyFlag,
  type RingWriter,
  settleTimes,
  TRANSFERRED,
  UNSAFE_KIND,
} from '#link';
import { growMemory, ReplyWriter } from '#resp';
import { EntryReplies } from './entry-replies.ts';
import { NO_TIMES, writeHead, type ReplyHead } from './reply-head.ts';

/** Contiguous room that is required to start a frame. */
const FRAME_START_BYTES = 1024;
/** Most bytes of one frame, so that main gets replies while others are made. */
const FRAME_BYTES_MAX = 64 * 1024;
/** Room for the heads of what is sent by message, beside a frame of the feed. */
const FEED_HEADS_BYTES = 2 * 1024;
/** Maximum size of private memory that is kept for the next large reply. */
const SPILL_BYTES_KEPT = 1024 * 1024;
/** Longest wait for room before the shard looks again, in milliseconds; main always wakes it earlier. */
const ROOM_WAIT_MS = 1_000;

/** A reply that was put aside before it was ended. */
interface SuspendedReply {
  readonly connection: number;
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly limit: number;
  readonly chunks: Uint8Array[];
  readonly mark: number;
  readonly markedPieces: number;
  readonly protocol: ReplyWriter['protocol'];
  readonly errorText: string | null;
}

/** Ways of a shard to reach main beside the ring. */
export interface Outlet {
  /** Wakes main. */
  ring(): void;
  /** Sends a buffer by message; it arrives before the frame that announces it. */
  transfer(body: ArrayBuffer): void;
}

/** Bytes that have to go with replies that are published. */
interface SentAlong {
  readonly hasPending: boolean;
  flush(): void;
}

const NOTHING_ALONG: SentAlong = { hasPending: false, flush: () => undefined };

export class ReplySender {
  readonly writer: ReplyWriter;
  readonly #ring: RingWriter;
  readonly #memory: LinkMemory;
  readonly #doubles: Float64Array;
  readonly #outlet: Outlet;
  readonly #frameBytesMax: number;
  /** The frame being filled, as an offset into the link memory; -1 when there is none. */
  #frame = -1;
  #connection = -1;
  /** The sequence that may follow in the frame. */
  #nextSequence = 0;
  #count = 0;
  /** Offset of the current reply in `writer.bytes`, and then that to which `rewind` returns. */
  #replyAt = 0;
  #mark = 0;
  /** Pieces of a long reply before the mark. */
  #markedPieces = 0;
  readonly #partHead: ReplyHead = { kind: FrameKind.part, sequence: 0, doneUs: 0, ...NO_TIMES };
  #spilled = false;
  #spill: Uint8Array = new Uint8Array(0);
  /** Called before main may see replies; returns false if the changes that they confirm could not be written to disk. */
  readonly #settle: () => boolean;
  /** Until when `settle` has waited for the disk, in monotonic microseconds; 0 when it has not. */
  settledUs = 0;
  /** Feed that is sent to main before replies are published; room for it is reserved. */
  #along = NOTHING_ALONG;
  #keptRoom = 0;
  /** Number of times that the shard had to wait for main to read, since this was last set to 0. */
  waits = 0;

  constructor(
    memory: LinkMemory,
    ring: RingWriter,
    outlet: Outlet,
    workspaceAt: number,
    settle: () => boolean,
  ) {
    this.#settle = settle;
    this.#memory = memory;
    this.#doubles = new Float64Array(memory.memory.buffer);
    this.#ring = ring;
    this.#outlet = outlet;
    this.#frameBytesMax = Math.min(FRAME_BYTES_MAX, ring.capacity >> 2);
    this.writer = new ReplyWriter(memory.bytes, 0, 0, (_writer, bytesNeeded) => {
      this.#moveToSpill(bytesNeeded);
    });
    this.writer.entries = new EntryReplies(memory, workspaceAt, this.writer);
  }

  /** Sets or removes data that is sent along with published replies. */
  sendAlong(along: SentAlong | undefined): void {
    this.#closeFrame();
    this.#along = along ?? NOTHING_ALONG;
    const room = Math.min(this.#frameBytesMax + FEED_HEADS_BYTES, this.#ring.capacity >> 2);
    this.#keptRoom = along === undefined ? 0 : room;
  }

  /** Sends bytes of the feed, for which there is room; those given go by message. */
  sendFeed(body: Uint8Array, isGiven: boolean): void {
    this.#closeFrame();
    const { size, byMessage } = this.#frameOf(body.length, isGiven);
    let at = this.#ring.reserve(size);
    // Without replies that could be published too early.
    while (at < 0) {
      this.#ring.publish();
      this.#ring.requestRoom();
      this.#outlet.ring();
      this.#ring.waitForRoom(ROOM_WAIT_MS);
      at = this.#ring.reserve(size);
    }
    const own = isGiven || !byMessage ? body : Uint8Array.from(body);
    const head = { kind: FrameKind.feed, sequence: 0, doneUs: 0, ...NO_TIMES };
    this.#putBody(head, -1, at, { body: own, bodyBytes: body.length, byMessage });
  }

  /** Makes the writer ready for the reply to one command. */
  begin(connection: number, sequence: number): void {
    const { writer } = this;
    if (
      this.#frame < 0 ||
      connection !== this.#connection ||
      sequence !== this.#nextSequence ||
      writer.at + FRAME_START_BYTES > writer.limit
    ) {
      this.#openFrame(connection, sequence);
    }
    this.#replyAt = writer.at;
    this.#mark = 0;
    this.#markedPieces = 0;
  }

  /** Makes the writer ready for a part, which shares its frame with nothing. */
  beginPart(connection: number, sequence: number): void {
    this.#openFrame(connection, sequence);
    this.#replyAt = this.writer.at;
    this.#mark = 0;
    this.#markedPieces = 0;
  }

  /** Marks the position to which `rewind` returns. */
  mark(): void {
    this.#mark = this.writer.at - this.#replyAt;
    this.#markedPieces = this.writer.chunks.length;
  }

  /** Discards the current reply after its last mark. */
  rewind(): void {
    this.writer.goBackTo(this.#markedPieces, this.#replyAt + this.#mark);
  }

  /** Bytes of the current reply, after the last mark in it. */
  get written(): number {
    const { at, chunks } = this.writer;
    let total = at - this.#replyAt - this.#mark;
    for (let nth = this.#markedPieces; nth < chunks.length; nth += 1) total += chunks[nth]!.length;
    return total;
  }

  /** Discards the current reply. */
  discard(): void {
    this.writer.goBackTo(0, this.#replyAt);
  }

  /** Discards the current reply without replacement: the command has no reply now. */
  abandon(): void {
    this.discard();
    if (!this.#spilled) return;
    // Replies in private memory have no frame any more; the next reply opens one.
    this.#spilled = false;
    if (this.writer.bytes.length <= SPILL_BYTES_KEPT) this.#spill = this.writer.bytes;
  }

  /** Reply behind the mark, as one piece of memory that is good until the next write. */
  replyBehindMark(): { bytes: Uint8Array; at: number; length: number } {
    const { writer } = this;
    if (writer.chunks.length === this.#markedPieces) {
      const at = this.#replyAt + this.#mark;
      return { bytes: writer.bytes, at, length: writer.at - at };
    }
    const [first, ...rest] = writer.chunks.slice(this.#markedPieces);
    const pieces = [
      first!.subarray(this.#replyAt + this.#mark),
      ...rest,
      writer.bytes.subarray(0, writer.at),
    ];
    const bytes = Buffer.concat(pieces);
    return { bytes, at: 0, length: bytes.length };
  }

  /** Puts the current reply aside, so that others can be sent before it; `goOn` continues it. */
  suspend(): SuspendedReply {
    if (!this.#spilled) this.#moveToSpill(0);
    const { writer } = this;
    const suspended: SuspendedReply = {
      connection: this.#connection,
      bytes: writer.bytes,
      at: writer.at,
      limit: writer.limit,
      chunks: writer.chunks.splice(0),
      mark: this.#mark,
      markedPieces: this.#markedPieces,
      protocol: writer.protocol,
      errorText: writer.errorText,
    };
    this.#spilled = false;
    this.#spill = new Uint8Array(0);
    return suspended;
  }

  /** Continues a reply that was put aside. */
  goOn(suspended: SuspendedReply): void {
    this.#closeFrame();
    const { writer } = this;
    this.#connection = suspended.connection;
    writer.bytes = suspended.bytes;
    writer.at = suspended.at;
    writer.limit = suspended.limit;
    writer.chunks.push(...suspended.chunks);
    writer.protocol = suspended.protocol;
    writer.errorText = suspended.errorText;
    this.#replyAt = 0;
    this.#mark = suspended.mark;
    this.#markedPieces = suspended.markedPieces;
    this.#spilled = true;
  }

  /** Ends the current reply. */
  end(sequence: number, doneUs: number): void {
    if (this.#spilled) {
      this.#endSpilled({ kind: FrameKind.command, sequence, doneUs, ...NO_TIMES });
      return;
    }
    this.#count += 1;
    this.#nextSequence = (sequence + 1) >>> 0;
    this.#memory.words[(this.#frame >> 2) + Reply.doneUs] = doneUs;
  }

  /** Ends the current reply as a part of a gathered one, in a separate frame. */
  endPart(part: Omit<ReplyHead, 'kind'>): void {
    const head = this.#partHead;
    head.sequence = part.sequence;
    head.doneUs = part.doneUs;
    head.queueUs = part.queueUs;
    head.executeTicks = part.executeTicks;
    head.flags = part.flags;
    if (this.#spilled) {
      this.#endSpilled(head);
      return;
    }
    this.#writeHead(this.#frame, head, this.#connection);
    this.#count = 1;
    this.#closeFrame();
  }

  /** Sends a body that is no reply to a client, and is all of its memory, which is given away with it. */
  give(kind: number, connection: number, sequence: number, body: Uint8Array): void {
    this.#closeFrame();
    this.#sendBody({ kind, sequence, doneUs: 0, ...NO_TIMES }, connection, body, body.length);
  }

  /** Sends a body that is no reply to a client. */
  send(kind: number, connection: number, sequence: number, body: Uint8Array, flags = 0): void {
    this.begin(connection, sequence);
    this.#moveToSpill(body.length);
    this.writer.raw(body);
    this.#endSpilled({ kind, sequence, doneUs: 0, ...NO_TIMES, flags });
  }

  /** Sends a frame without a body. */
  sendSignal(kind: number, connection: number, sequence = 0, flags = 0): void {
    this.#closeFrame();
    const at = this.#reserve(REPLY_HEADER_BYTES);
    this.#writeHead(at, { kind, sequence, doneUs: 0, ...NO_TIMES, flags }, connection);
    this.#commit(at, at + REPLY_HEADER_BYTES, 1);
  }

  /** Sends a body that main must see before the current reply. */
  sendAhead(kind: number, body: Uint8Array): void {
    if (!this.#spilled) this.#moveToSpill(0);
    const head = { kind, sequence: 0, doneUs: 0, ...NO_TIMES };
    this.#sendBody(head, -1, this.isTransferred(body) ? Uint8Array.from(body) : body, body.length);
  }

  /** True when a body is sent by message, which gives it away. */
  isTransferred(body: Uint8Array): boolean {
    return frameBytes(REPLY_HEADER_BYTES + body.length) > this.#frameBytesMax;
  }

  /** Lets main see everything, and wakes it. */
  flush(): void {
    this.#closeFrame();
    if (!this.#ring.hasUnpublished && !this.#along.hasPending) return;
    this.#publish();
    this.#outlet.ring();
  }

  #publish(): void {
    const isSafe = this.#settle();
    if (this.#along.hasPending) this.#along.flush();
    if (!isSafe || this.settledUs > 0) {
      for (const at of this.#ring.unpublished()) {
        if (this.settledUs > 0) this.#reportWait(at >> 2);
        if (!isSafe) this.#markUnsafe(at >> 2);
      }
      this.settledUs = 0;
    }
    this.#ring.publish();
  }

  #markUnsafe(word: number): void {
    const { words } = this.#memory;
    words[word + Reply.flags]! |= ReplyFlag.unsafe;
    words[word + Reply.kind]! |= UNSAFE_KIND;
  }

  /** Writes the wait for the disk into the reported times. */
  #reportWait(word: number): void {
    const { words } = this.#memory;
    const kindWord = words[word + Reply.kind]!;
    const kind = kindWord & KIND_MASK;
    if (kind === FrameKind.part) {
      words[word + Reply.doneUs] = Math.max(0, (this.settledUs - words[word + Reply.doneUs]!) | 0);
      words[word + Reply.flags]! |= ReplyFlag.settled;
    } else if (kind === FrameKind.times && (kindWord & TRANSFERRED) === 0) {
      const length = words[word + Reply.bodyBytes]! >> 3;
      settleTimes(this.#doubles, (word + Reply.body) >> 1, length, this.settledUs);
    }
  }

  #openFrame(connection: number, sequence: number): void {
    this.#closeFrame();
    const at = this.#reserve(REPLY_HEADER_BYTES + FRAME_START_BYTES);
    const { words } = this.#memory;
    const word = at >> 2;
    words[word + Reply.kind] = FrameKind.command;
    words[word + Reply.connection] = connection;
    words[word + Reply.sequence] = sequence;
    words[word + Reply.flags] = 0;
    const { writer } = this;
    writer.bytes = this.#memory.bytes;
    writer.at = at + REPLY_HEADER_BYTES;
    // Seven bytes are left for rounding the frame up.
    writer.limit = at + Math.min(this.#ring.room() - this.#keptRoom, this.#frameBytesMax) - 7;
    this.#frame = at;
    this.#connection = connection;
    this.#nextSequence = sequence;
    this.#count = 0;
  }

  #closeFrame(): void {
    if (this.#frame < 0) return;
    if (this.#count > 0) this.#commit(this.#frame, this.writer.at, this.#count);
    this.#frame = -1;
  }

  #commit(frame: number, end: number, count: number): void {
    const { words } = this.#memory;
    const word = frame >> 2;
    const total = frameBytes(end - frame);
    words[word + Reply.bytes] = total;
    words[word + Reply.count] = count;
    words[word + Reply.bodyBytes] = end - frame - REPLY_HEADER_BYTES;
    this.#ring.commit(total);
  }

  /** Ring space for a frame, waiting for main as long as it takes: main never waits for a shard. */
  #reserve(byteCount: number): number {
    const room = byteCount + this.#keptRoom;
    let at = this.#ring.reserve(room);
    while (at < 0) {
      this.waits += 1;
      this.#publish();
      this.#ring.requestRoom();
      this.#outlet.ring();
      this.#ring.waitForRoom(ROOM_WAIT_MS);
      at = this.#ring.reserve(room);
    }
    return at;
  }

  /** Continues the current reply in private memory; the part in the frame is committed. */
  #moveToSpill(bytesNeeded: number): void {
    const { writer } = this;
    if (this.#spilled) {
      growMemory(writer, bytesNeeded);
      return;
    }
    const written = writer.at - this.#replyAt;
    const size = 2 * written + bytesNeeded + FRAME_BYTES_MAX;
    if (this.#spill.length < size) this.#spill = Buffer.allocUnsafeSlow(size);
    copyLong(this.#spill, 0, writer.bytes, this.#replyAt, written);
    writer.at = this.#replyAt;
    this.#closeFrame();
    writer.bytes = this.#spill;
    writer.at = written;
    writer.limit = this.#spill.length;
    this.#replyAt = 0;
    this.#spilled = true;
  }

  #endSpilled(head: ReplyHead): void {
    const { writer } = this;
    const isInPieces = writer.chunks.length > 0;
    for (const piece of writer.chunks) this.#sendPiece(head, piece);
    writer.chunks.length = 0;
    const body = writer.bytes;
    const bodyBytes = writer.at;
    this.#spilled = false;
    // A body that belongs to pieces is sent after them.
    if (this.#sendBody(head, this.#connection, body, bodyBytes, isInPieces))
      this.#spill = new Uint8Array(0);
    else this.#spill = body.length <= SPILL_BYTES_KEPT ? body : new Uint8Array(0);
  }

  /** Sends a piece of an incomplete reply; its memory is transferred. */
  #sendPiece(head: ReplyHead, piece: Uint8Array): void {
    const at = this.#reserve(REPLY_HEADER_BYTES);
    this.#writeHead(at, head, this.#connection);
    const { words } = this.#memory;
    words[(at >> 2) + Reply.kind] = head.kind | TRANSFERRED | CONTINUED;
    this.#commit(at, at + REPLY_HEADER_BYTES, 0);
    words[(at >> 2) + Reply.bodyBytes] = piece.length;
    this.#outlet.transfer(piece.buffer as ArrayBuffer);
  }

  /** Sends a separate frame; returns true if the body's memory was transferred. */
  #sendBody(
    head: ReplyHead,
    connection: number,
    body: Uint8Array,
    bodyBytes: number,
    mustTransfer = false,
  ): boolean {
    const { size, byMessage } = this.#frameOf(bodyBytes, mustTransfer);
    const at = this.#reserve(size);
    this.#putBody(head, connection, at, { body, bodyBytes, byMessage });
    return byMessage;
  }

  /** Ring bytes of a frame of its own with such a body, and whether that goes by message. */
  #frameOf(bodyBytes: number, mustTransfer: boolean): { size: number; byMessage: boolean } {
    const size = frameBytes(REPLY_HEADER_BYTES + bodyBytes);
    if (!mustTransfer && size <= this.#frameBytesMax) return { size, byMessage: false };
    return { size: REPLY_HEADER_BYTES, byMessage: true };
  }

  #putBody(
    head: ReplyHead,
    connection: number,
    at: number,
    { body, bodyBytes, byMessage }: { body: Uint8Array; bodyBytes: number; byMessage: boolean },
  ): void {
    this.#writeHead(at, head, connection);
    const { words, bytes } = this.#memory;
    if (byMessage) {
      words[(at >> 2) + Reply.kind] = head.kind | TRANSFERRED;
      this.#outlet.transfer(body.buffer as ArrayBuffer);
      this.#commit(at, at + REPLY_HEADER_BYTES, 1);
      words[(at >> 2) + Reply.bodyBytes] = bodyBytes;
      return;
    }
    bytes.set(body.subarray(0, bodyBytes), at + REPLY_HEADER_BYTES);
    this.#commit(at, at + REPLY_HEADER_BYTES + bodyBytes, 1);
  }

  #writeHead(frame: number, head: ReplyHead, connection: number): void {
    writeHead(this.#memory.words, frame >> 2, head, connection);
  }
}
