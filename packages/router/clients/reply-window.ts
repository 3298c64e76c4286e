/**
 * Sequence window of a client: the numbers of its commands that are under way, and their replies in that order.
 *
 * It is read and written for each command, so its numbers are fields of one object.
 */

import type { Bytes } from '#base';
import { ReorderBuffer, type ParkingBlocks } from '../order/reorder-buffer.ts';
import type { ClientSocket, ReplyOutput } from './client-socket.ts';

/** Maximum number of commands in flight of a client before the size of its replies is known. */
const LIMIT_FIRST = 32;
/** Maximum number of commands in flight while replies are long, since unread replies take memory. */
const LIMIT_LEAST = 4;
/**
 * Most commands of one client that are on their way: a command of another client that comes after them in a ring waits for
 * no more than these, however long the pipeline is.
 */
const LIMIT_MOST = 1_024;
const LONG_REPLY_BYTES = 64 * 1024;

/** The client whose replies these are. */
interface ReplyOwner {
  /** Replies were written in their turn. */
  delivered(): void;
}

export class ReplyWindow {
  /** Sequence of the next command to be sent on; wraps at 2^32. */
  nextSequence = 0;
  /** Sequence of the next reply to be written. */
  dueSequence = 0;
  /** Number of commands that may be in flight before the next one waits: few at first, and after long replies. */
  limit = LIMIT_FIRST;
  /** Number of the command of a transaction that was sent on last; the commands share a sequence. */
  step = 0;
  readonly #owner: ReplyOwner;
  readonly #socket: Pick<ClientSocket, 'output' | 'touch'>;
  readonly #blocks: ParkingBlocks;
  #output: ReplyOutput;
  /** Made for the first reply that comes before its turn. */
  #reorderBuffer: ReorderBuffer | undefined;

  constructor(
    owner: ReplyOwner,
    socket: Pick<ClientSocket, 'output' | 'touch'>,
    blocks: ParkingBlocks,
  ) {
    this.#owner = owner;
    this.#socket = socket;
    this.#blocks = blocks;
    this.#output = socket.output;
  }

  /** Commands sent on and not yet answered. */
  get outstanding(): number {
    return (this.nextSequence - this.dueSequence) >>> 0;
  }

  /** True when the next command must wait for replies. */
  get isFull(): boolean {
    return this.outstanding >= this.limit;
  }

  /** Allows more commands in flight. */
  widen(): void {
    this.limit = Math.min(2 * this.limit, LIMIT_MOST);
  }

  /** Takes the sequence number of a command. */
  takeSequence(): number {
    const sequence = this.nextSequence;
    this.nextSequence = (sequence + 1) >>> 0;
    return sequence;
  }

  /** True when the reply with that sequence has been written. */
  hasHad(sequence: number): boolean {
    return (this.dueSequence - 1 - sequence) >>> 0 < 2 ** 31;
  }

  /** Sends replies to `output` until they go to the socket again. */
  redirect(output: ReplyOutput = this.#socket.output): void {
    this.#output = output;
  }

  /** Writes a reply whose turn it is, from the shared memory. */
  deliverShared(count: number, at: number, length: number): void {
    this.#output.append(at, length);
    this.#delivered(count);
  }

  /** Writes a reply, or keeps it (the bytes are then copied) until it is due. */
  deliver(sequence: number, count: number, bytes: Bytes, at: number, length: number): void {
    if (sequence !== this.dueSequence) {
      const ahead = (sequence - this.dueSequence) >>> 0;
      this.#reorderBuffer ??= new ReorderBuffer(this.#blocks);
      this.#reorderBuffer.park(sequence, ahead, count, bytes, at, length);
      return;
    }
    this.#output.appendBytes(bytes, at, length);
    this.#delivered(count);
  }

  /** Writes or keeps a reply of bytes that are given away; a piece that is not its last has the count 0. */
  give(sequence: number, count: number, bytes: Bytes): void {
    if (bytes.length >= LONG_REPLY_BYTES) this.limit = LIMIT_LEAST;
    if (sequence !== this.dueSequence) {
      this.#reorderBuffer ??= new ReorderBuffer(this.#blocks);
      this.#reorderBuffer.give(sequence, count, bytes);
      return;
    }
    this.#output.give(bytes);
    if (count > 0) this.#delivered(count);
    else this.#socket.touch();
  }

  /** Bytes that wait for the replies before them. */
  get parkedBytes(): number {
    return this.#reorderBuffer?.bytes ?? 0;
  }

  /** Bytes that were not yet handed to the kernel. */
  get unsentBytes(): number {
    return this.#socket.output.unsentBytes + this.parkedBytes;
  }

  /** Drops the replies that wait for others, of a client that has disconnected. */
  discard(): void {
    this.#reorderBuffer?.clear();
  }

  #delivered(count: number): void {
    this.dueSequence = (this.dueSequence + count) >>> 0;
    if (this.#reorderBuffer?.isEmpty === false) this.#deliverParked(this.#reorderBuffer);
    this.#owner.delivered();
  }

  #deliverParked(reorderBuffer: ReorderBuffer): void {
    const output = this.#output;
    for (;;) {
      const count = reorderBuffer.release(this.dueSequence, output);
      if (count === 0) return;
      this.dueSequence = (this.dueSequence + count) >>> 0;
    }
  }
}
