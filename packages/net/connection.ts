/** One client's socket: bytes in to commands, replies out to bytes. Knows nothing of what commands mean. */

import { Socket } from 'node:net';
import { isResourceError, type Bytes } from '#base';
import { CommandParser, ParseStatus, type ParsedCommand, type ParserLimits } from '#resp';
import type { BlockPool } from './blocks.ts';
import { Output } from './output.ts';
import { rawHandleOf } from './raw-handle.ts';

/**
 * What became of a command: `full` = there is no room for it, so nothing more is read; `held` = it must
 * wait, but the socket is read on, so that a client that hangs up is noticed.
 */
export type Taking = 'taken' | 'full' | 'held';

/** What a connection tells its owner. */
export interface ConnectionOwner {
  /** One command; what is not taken is offered again after `resume`. */
  command(command: ParsedCommand): Taking;
  /** The client broke the protocol; nothing more will be read. */
  protocolError(text: string): void;
  /** Whether replies to commands taken will come without the client's doing. */
  readonly isOwedReplies: boolean;
  /** The client will send no more, but may still read. */
  ended(): void;
  /** The socket is gone. */
  closed(): void;
  /** After a flush that left this many bytes unwritten. */
  backlogged(pendingBytes: number): void;
}

/** What all connections of a server share. */
export interface ConnectionSupplies {
  pool: BlockPool;
  /** The one read buffer, a part of the pool's memory. */
  read: Bytes;
  readAt: number;
  command: ParsedCommand;
  limits: ParserLimits & { queryBytesMax: number };
  /** Called before bytes are looked at: a turn of work has begun. */
  begin(connection: Connection): void;
  /** Called for a connection with something to flush at the turn's end. */
  dirty(connection: Connection): void;
  counters: NetCounters;
}

export interface NetCounters {
  read(bytes: number): void;
  wrote(bytes: number): void;
  queryLimitExceeded(): void;
}

/** With so much to write, a write is worth its cost. */
const WORTHY_BYTES = 4 * 1024;
/** How long a connection that the server has closed is still read from. */
const LINGER_MS = 500;
/** The two ends of a connection, as CLIENT LIST shows them. */
export interface Ends {
  remote: string;
  local: string;
  isUnix: boolean;
}

/** Private memory for incomplete commands begins with this and doubles. */
const PENDING_BYTES_MIN = 4 * 1024;

export class Connection {
  readonly output: Output;
  readonly remoteAddress: string;
  readonly localAddress: string;
  readonly isUnix: boolean;
  bytesRead = 0;
  isDirty = false;
  /** A number of its owner's, to tell it by. */
  label = 0;
  /** Its flush was left for the next turn. */
  isPutOff = false;
  readonly #socket: Socket;
  readonly #supplies: ConnectionSupplies;
  readonly #parser: CommandParser;
  #owner: ConnectionOwner | undefined;
  /** Bytes of an incomplete command, or of commands that could not be taken yet. */
  #pending: Buffer = Buffer.alloc(0);
  #pendingBytes = 0;
  /** Of the bytes being looked at: those not taken yet, the command at hand included. */
  #inHandBytes = 0;
  /** Commands are not taken for now. */
  #stalled = false;
  #isReadingStopped = false;
  /** The client will send no more. */
  #hasEnded = false;
  /** Input is no longer looked at. */
  #deaf = false;
  /** Input was read that nobody looked at. */
  #hasDropped = false;
  #closed = false;
  #closeWhenWritten = false;

  constructor(handle: object, ends: Ends, supplies: ConnectionSupplies) {
    this.remoteAddress = ends.remote;
    this.localAddress = ends.local;
    this.isUnix = ends.isUnix;
    this.#supplies = supplies;
    this.#parser = new CommandParser(supplies.command, supplies.limits);
    const options = {
      handle,
      allowHalfOpen: true,
      onread: {
        buffer: supplies.read,
        callback: (bytes: number): boolean => {
          this.#receive(bytes);
          return !this.#isReadingStopped;
        },
      },
    };
    // `handle` and `onread` together are Node's own way, but in no type.
    this.#socket = new Socket(options);
    this.#socket.on('end', () => {
      this.#ended();
    });
    this.#socket.on('error', () => {
      this.destroy();
    });
    this.#socket.on('close', () => {
      this.#gone();
    });
    this.output = new Output(this.#socket, supplies.pool, {
      failed: () => {
        this.destroy();
      },
      drained: () => {
        this.#drained();
      },
      wrote: (bytes) => {
        supplies.counters.wrote(bytes);
      },
    });
  }

  set owner(owner: ConnectionOwner) {
    this.#owner = owner;
  }

  set unauthenticated(value: boolean) {
    this.#parser.unauthenticated = value;
  }

  /** The socket's file descriptor; -1 when it is not to be had. */
  get descriptor(): number {
    return rawHandleOf(this.#socket)?.fd ?? -1;
  }

  get isStalled(): boolean {
    return this.#stalled;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Bytes received that are not yet a command taken. */
  get queryBytes(): number {
    return Math.max(this.#pendingBytes, this.#inHandBytes);
  }

  /** Private memory kept for them. */
  get queryMemoryBytes(): number {
    return this.#pending.length;
  }

  setKeepAlive(seconds: number): void {
    this.#socket.setKeepAlive(seconds > 0, seconds * 1_000);
  }

  /** Marks the connection to be flushed at the end of the turn. */
  touch(): void {
    if (this.isDirty) return;
    this.isDirty = true;
    this.#supplies.dirty(this);
  }

  /** Whether what is to be written is little, and more will follow by itself. */
  get isOwedReplies(): boolean {
    if (this.#closeWhenWritten || this.output.unsentBytes >= WORTHY_BYTES) return false;
    return this.#owner?.isOwedReplies === true;
  }

  flush(): void {
    this.isDirty = false;
    if (this.#closed) return;
    this.output.closesHandle = this.#closesAtOnce;
    this.output.flush();
    const { pendingBytes } = this.output;
    if (pendingBytes > 0) this.#owner?.backlogged(pendingBytes);
    else if (this.#closeWhenWritten) this.#finish();
  }

  /** Offers again what could not be taken, and goes on reading. */
  resume(): void {
    if (!this.#stalled || this.#closed) return;
    this.#stalled = false;
    const wasStopped = this.#isReadingStopped;
    this.#isReadingStopped = false;
    this.#supplies.begin(this);
    this.#processPending();
    if (this.isStalled || this.isClosed) return;
    if (this.#hasEnded) this.#owner?.ended();
    else if (wasStopped) rawHandleOf(this.#socket)?.readStart();
  }

  /** Looks at no more input, writes what there is, and closes. */
  closeAfterReplies(): void {
    this.#deaf = true;
    this.#closeWhenWritten = true;
    this.touch();
  }

  /** Closes at once; what is not written is lost. */
  destroy(): void {
    if (this.#closed) return;
    this.#socket.destroy();
    this.#gone();
  }

  /** Looks at what came; a client whose input there is no memory for is let go. */
  #receive(byteCount: number): void {
    try {
      this.#received(byteCount);
    } catch (error) {
      if (!isResourceError(error)) throw error;
      this.destroy();
    }
  }

  #received(byteCount: number): void {
    const supplies = this.#supplies;
    this.bytesRead += byteCount;
    supplies.counters.read(byteCount);
    if (this.#deaf) {
      this.#leave(byteCount);
      return;
    }
    supplies.begin(this);
    const { readAt } = supplies;
    const shared = supplies.pool.memory.bytes;
    if (this.#pendingBytes === 0 && !this.#stalled) {
      this.#process(shared, readAt, readAt + byteCount);
      return;
    }
    this.#save(shared, readAt, byteCount);
    const mayBeWhole = this.#pendingBytes >= this.#parser.bytesNeeded;
    if (mayBeWhole && !this.#stalled) this.#processPending();
    else this.#checkQueryLimit();
  }

  /** Takes commands from the range; what is left over is saved. */
  #process(bytes: Bytes, from: number, end: number): void {
    const at = this.#takeCommands(bytes, from, end);
    if (at < end && !this.#deaf) this.#save(bytes, at, end - at);
    this.#checkQueryLimit();
  }

  #processPending(): void {
    const pending = this.#pending;
    const end = this.#pendingBytes;
    const at = this.#takeCommands(pending, 0, end);
    const left = this.#deaf ? 0 : end - at;
    this.#pendingBytes = left;
    if (left === 0) this.#pending = Buffer.alloc(0);
    else if (at > 0) pending.copyWithin(0, at, end);
    this.#checkQueryLimit();
  }

  /** Answers where the first byte lies that was not taken. */
  #takeCommands(bytes: Bytes, from: number, end: number): number {
    const parser = this.#parser;
    const { command } = this.#supplies;
    let at = from;
    while (at < end && !this.#stalled && !this.#deaf) {
      const status = parser.next(bytes, at, end);
      if (status === ParseStatus.incomplete) break;
      if (status === ParseStatus.error) {
        this.#deaf = true;
        this.#owner?.protocolError(parser.error);
        break;
      }
      this.#inHandBytes = end - at;
      const taking = command.count > 0 ? this.#owner?.command(command) : 'taken';
      if (taking === 'full' || taking === 'held') {
        this.#stall(taking);
        break;
      }
      at += parser.consumed;
    }
    this.#inHandBytes = 0;
    this.#leave(end - at);
    return at;
  }

  /** So many bytes are looked at later, or by nobody. */
  #leave(byteCount: number): void {
    if (this.#deaf && byteCount > 0) this.#hasDropped = true;
  }

  #stall(reason: 'full' | 'held'): void {
    this.#stalled = true;
    if (reason === 'held') return;
    this.#isReadingStopped = true;
    rawHandleOf(this.#socket)?.readStop();
  }

  #save(bytes: Bytes, at: number, length: number): void {
    const needed = this.#pendingBytes + length;
    if (needed > this.#pending.length) {
      const expected = Math.min(this.#parser.bytesNeeded, 2 * needed);
      const larger = Buffer.allocUnsafeSlow(
        Math.max(PENDING_BYTES_MIN, 2 * this.#pendingBytes, needed, expected),
      );
      larger.set(this.#pending.subarray(0, this.#pendingBytes));
      this.#pending = larger;
    }
    this.#pending.set(bytes.subarray(at, at + length), this.#pendingBytes);
    this.#pendingBytes = needed;
  }

  #checkQueryLimit(): void {
    if (this.#pendingBytes <= this.#supplies.limits.queryBytesMax) return;
    this.#supplies.counters.queryLimitExceeded();
    this.destroy();
  }

  #ended(): void {
    if (this.#closed) {
      this.#socket.destroy();
      return;
    }
    this.#hasEnded = true;
    this.#supplies.begin(this);
    this.#owner?.ended();
  }

  #drained(): void {
    this.#owner?.backlogged(0);
    if (this.#closeWhenWritten) this.#finish();
  }

  /**
   * Whether the end is to follow the last reply without a gap, before its reader can send more: a pool of
   * connections would use this one again. Not where input was left unread: closing over it would reset
   * the connection, and take the last reply with it.
   */
  get #closesAtOnce(): boolean {
    return this.#closeWhenWritten && this.bytesRead > 0 && !this.#hasDropped;
  }

  /** All is written: say so to the client. What it still sends is read and dropped for a moment. */
  #finish(): void {
    if (this.#closesAtOnce) {
      this.destroy();
      return;
    }
    const socket = this.#socket;
    if (this.#isReadingStopped) rawHandleOf(socket)?.readStart();
    socket.end();
    socket.unref();
    this.#gone();
    const timer = setTimeout(() => {
      socket.destroy();
    }, LINGER_MS);
    socket.once('close', () => {
      clearTimeout(timer);
    });
  }

  #gone(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#deaf = true;
    this.#pending = Buffer.alloc(0);
    this.#pendingBytes = 0;
    this.output.close();
    this.#owner?.closed();
  }
}

/** The address of a peer as CLIENT LIST shows it. */
export function addressText(host: string | undefined, port: number | undefined): string {
  const name = host ?? '?';
  return `${name.includes(':') ? `[${name}]` : name}:${String(port ?? 0)}`;
}
