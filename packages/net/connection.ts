/**
 * One client's connection: bytes in to commands, replies out to bytes. Knows nothing of what commands mean.
 *
 * Large because its state is read and written for each command and each read: its flags are fields of one object.
 */

import type { Bytes } from '#base';
import { CommandParser, type ParsedCommand, ParseStatus } from '#resp';
import type { Ends } from './ends.ts';
import { Output } from './output.ts';
import type { ConnectionOwner, ConnectionConfig } from './ports.ts';
import { QueryBuffer } from './query-buffer.ts';
import type { TlsInfo } from './tls/tls-server.ts';
import type { Transport } from './transport.ts';

/**
 * Arguments of one connection's commands in a turn, from which on other connections are read before more are taken.
 * Redis reads 16 KiB of a client at a time, which is some 1,000 short arguments.
 */
const ARGUMENTS_PER_TURN = 4_000;
/** Number of unsent bytes from which output is written at once, although more replies are pending. */
const WORTHY_BYTES = 4 * 1024;
/** Maximum query buffer regardless of the setting: positions in a command have 31 bits. */
const QUERY_BYTES_MAX = 2 ** 31 - 64 * 1024;
/** Bytes of the line end after an argument. */
const LINE_END_BYTES = 2;
/** Number of unsent bytes from which the owner is asked before they are written. */
const LONG_REPLY_BYTES = 64 * 1024;
/** Milliseconds for which input of a connection is still read after the server has closed it. */
const LINGER_MS = 500;

export class Connection {
  readonly output: Output;
  readonly remoteAddress: string;
  readonly localAddress: string;
  readonly isUnix: boolean;
  /** Version and cipher of TLS; undefined without it. */
  readonly tls: TlsInfo | undefined;
  bytesRead = 0;
  /** Bytes of the commands that were taken. */
  bytesTaken = 0;
  isDirty = false;
  /** Number set by the owner to identify the connection. */
  label = 0;
  /** Its flush was left for the next turn. */
  isPutOff = false;
  readonly #transport: Transport;
  readonly #config: ConnectionConfig;
  readonly #parser: CommandParser;
  #owner: ConnectionOwner | undefined;
  readonly #pending = new QueryBuffer();
  /** Memory that was last reported to the owner, in bytes. */
  #reportedBytes = 0;
  /** Bytes being looked at that are not taken yet, the current command included. */
  #inHandBytes = 0;
  /** Commands are not taken for now. */
  #stalled = false;
  /** Commands that had to wait are being taken. */
  #isResuming = false;
  #isReadingStopped = false;
  /** The client will send no more. */
  #hasEnded = false;
  /** Input is no longer looked at. */
  #deaf = false;
  /** True if input was read and discarded. */
  #hasDropped = false;
  #closed = false;
  #closeWhenWritten = false;
  /** Arguments taken in the turn with that number. */
  #taken = 0;
  #turnNumber = -1;

  constructor(transport: Transport, ends: Ends, config: ConnectionConfig) {
    this.remoteAddress = ends.remote;
    this.localAddress = ends.local;
    this.isUnix = ends.isUnix;
    this.tls = ends.tls;
    this.#config = config;
    this.#parser = new CommandParser(config.command, config.limits);
    this.#transport = transport;
    this.output = new Output(transport.sink, config.pool, {
      mayWrite: config.mayWrite,
      failed: () => {
        this.destroy();
      },
      drained: () => {
        this.#drained();
      },
      wrote: (bytes) => {
        config.counters.wrote(bytes);
        this.#owner?.wrote();
      },
    });
    transport.begin({
      received: (source, at, byteCount) => {
        this.#received(source, at, byteCount);
      },
      ended: () => {
        this.#ended();
      },
      closed: () => {
        this.#gone();
      },
      slow: () => {
        if (!this.#closed) this.#owner?.backlogged(this.output.pendingBytes);
      },
      caughtUp: () => {
        if (!this.#closed && !this.output.isHolding) this.#owner?.backlogged(0);
      },
    });
  }

  set owner(owner: ConnectionOwner) {
    this.#owner = owner;
  }

  set unauthenticated(value: boolean) {
    this.#parser.unauthenticated = value;
  }

  /** File descriptor of the socket; -1 if unknown. */
  get descriptor(): number {
    return this.#transport.descriptor;
  }

  /** True while commands were received that are not taken yet, since one had to wait. */
  get isStalled(): boolean {
    return this.#stalled || this.#isResuming;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Received bytes of unprocessed commands, without the part that is already parsed. */
  get queryBytes(): number {
    return Math.max(this.#pending.length - this.parsedBytes, this.#inHandBytes);
  }

  /** Parsed bytes of an incomplete command. */
  get parsedBytes(): number {
    return this.#pending.length > 0 ? this.#parser.parsedBytes : 0;
  }

  /** Memory of the query buffer in bytes. */
  get queryMemoryBytes(): number {
    return this.#pending.bytes.length;
  }

  setKeepAlive(seconds: number): void {
    this.#transport.setKeepAlive(seconds);
  }

  /** Marks the connection to be flushed at the end of the turn. */
  touch(): void {
    if (this.isDirty) return;
    this.isDirty = true;
    this.#config.turn.dirty(this);
  }

  /** True while more replies are pending and there is too little output for a write of its own. */
  get isOwedReplies(): boolean {
    if (this.#closeWhenWritten || this.output.unsentBytes >= WORTHY_BYTES) return false;
    return this.#owner?.isOwedReplies === true;
  }

  flush(): void {
    this.isDirty = false;
    if (this.#closed) return;
    // As in Redis, a reply is judged by its length, not by what the kernel would take of it.
    if (this.output.unsentBytes >= LONG_REPLY_BYTES)
      this.#owner?.backlogged(this.output.unsentBytes);
    this.output.isLast = this.#closesAtOnce;
    this.output.flush();
    if (this.output.isHolding) this.#owner?.backlogged(this.output.pendingBytes);
    else if (this.#closeWhenWritten) this.#finish();
  }

  /** Offers input again that could not be processed, and resumes reading. */
  resume(): void {
    if (!this.#stalled || this.#closed) return;
    this.#stalled = false;
    const wasStopped = this.#isReadingStopped;
    this.#isReadingStopped = false;
    this.#config.turn.begin(this);
    this.#isResuming = true;
    this.#processPending();
    this.#isResuming = false;
    this.#goOn(wasStopped);
  }

  #goOn(wasStopped: boolean): void {
    if (this.#closed) return;
    // A client that is held now, and was stopped before, is read on as well.
    if (wasStopped && !this.#isReadingStopped && !this.#hasEnded) {
      this.#transport.resume();
    }
    if (this.#hasEnded) this.#owner?.ended();
    else if (!this.#stalled) this.#owner?.caughtUp?.();
  }

  /** Looks at no more input, writes what there is, and closes. */
  closeAfterReplies(): void {
    this.#deaf = true;
    this.#closeWhenWritten = true;
    this.touch();
  }

  /** Closes at once, after writing what the socket takes. */
  hangUp(): void {
    this.flush();
    this.destroy();
  }

  /** Closes immediately; unwritten output is lost. */
  destroy(): void {
    if (this.#closed) return;
    this.#transport.destroy();
    this.#gone();
  }

  #received(source: Bytes, at: number, byteCount: number): void {
    const config = this.#config;
    this.bytesRead += byteCount;
    config.counters.read(byteCount);
    if (this.#deaf) {
      this.#leave(byteCount);
      return;
    }
    config.turn.begin(this);
    if (this.#pending.length === 0 && !this.#stalled) {
      this.#process(source, at, at + byteCount);
      return;
    }
    this.#save(source, at, byteCount);
    const mayBeWhole = this.#pending.length >= this.#parser.bytesNeeded;
    if (mayBeWhole && !this.#stalled) this.#processPending();
    else this.#checkQueryLimit();
  }

  /** Processes commands in the range; the remaining bytes are saved. */
  #process(bytes: Bytes, from: number, end: number): void {
    const at = this.#takeCommands(bytes, from, end);
    if (at < end && !this.#deaf) this.#save(bytes, at, end - at);
    this.#checkQueryLimit();
  }

  #processPending(): void {
    const pending = this.#pending;
    pending.start = this.#takeCommands(pending.bytes, pending.start, pending.end);
    if (this.#deaf || pending.length === 0) pending.clear();
    this.#checkQueryLimit();
  }

  /** Processes commands; returns the position of the first unprocessed byte. */
  #takeCommands(bytes: Bytes, from: number, end: number): number {
    const parser = this.#parser;
    const { command } = this.#config;
    let at = from;
    this.#countTurn();
    while (at < end && !this.#stalled && !this.#deaf) {
      if (this.#taken >= ARGUMENTS_PER_TURN) {
        this.#stall('full');
        this.#config.turn.later(this);
        break;
      }
      const status = parser.next(bytes, at, end);
      if (status === ParseStatus.incomplete) break;
      if (status === ParseStatus.error) {
        if (this.#owner?.protocolError(parser.error) === 'held') this.#stall('held');
        else this.#deaf = true;
        break;
      }
      this.#inHandBytes = end - at;
      command.isGivable = this.#isGivable(bytes, at + parser.consumed);
      if (command.count > 0 && !this.#offer(command)) break;
      at += parser.consumed;
      this.bytesTaken += parser.consumed;
    }
    this.#inHandBytes = 0;
    this.#leave(end - at);
    return at;
  }

  /** True when the command that ends there is alone in memory that can be given away with it. */
  #isGivable(bytes: Bytes, end: number): boolean {
    const pending = this.#pending;
    if (bytes !== pending.bytes || !pending.isGivable || end !== pending.end) return false;
    const { source, at } = this.#config.command;
    return source === bytes && at === pending.start;
  }

  /** Offers a command to the owner; whether it was taken. */
  #offer(command: ParsedCommand): boolean {
    if (this.#wasTooLong(command)) {
      this.#deaf = true;
      this.#exceedLimit();
      return false;
    }
    const taking = this.#owner?.command(command);
    if (taking === 'full' || taking === 'held') {
      this.#stall(taking);
      return false;
    }
    this.#taken += taking === 'long' ? ARGUMENTS_PER_TURN : command.count;
    return true;
  }

  #countTurn(): void {
    const { number } = this.#config.turn;
    if (number === this.#turnNumber) return;
    this.#turnNumber = number;
    this.#taken = 0;
  }

  /** Keeps or discards `byteCount` bytes of input. */
  #leave(byteCount: number): void {
    if (this.#deaf && byteCount > 0) this.#hasDropped = true;
  }

  #stall(reason: 'full' | 'held'): void {
    this.#stalled = true;
    if (reason === 'held') return;
    this.#isReadingStopped = true;
    this.#transport.pause();
  }

  #save(bytes: Bytes, at: number, length: number): void {
    this.#pending.append(bytes, at, length, this.#parser.bytesNeeded);
  }

  #report(): void {
    this.#reportedBytes = this.#pending.bytes.length;
    this.#owner?.queryMemoryChanged();
  }

  #checkQueryLimit(): void {
    if (this.#pending.bytes.length !== this.#reportedBytes) this.#report();
    const isLong = this.queryBytes > this.#config.limits.queryBytesMax;
    if (isLong || this.#pending.length > QUERY_BYTES_MAX) this.#exceedLimit();
  }

  #exceedLimit(): void {
    this.#config.counters.queryLimitExceeded();
    this.destroy();
  }

  /** True when an argument took more of the query buffer than it may; of a command as short as most, none did. */
  #wasTooLong({ length, count, spans }: ParsedCommand): boolean {
    const { queryBytesMax } = this.#config.limits;
    if (length <= queryBytesMax) return false;
    for (let nth = 0; nth < count; nth += 1) {
      if (spans[2 * nth + 1]! + LINE_END_BYTES > queryBytesMax) return true;
    }
    return false;
  }

  #ended(): void {
    if (this.#closed) {
      this.#transport.destroy();
      return;
    }
    this.#hasEnded = true;
    this.#config.turn.begin(this);
    this.#owner?.ended();
  }

  #drained(): void {
    this.#owner?.backlogged(0);
    if (this.#closeWhenWritten) this.#finish();
  }

  /**
   * True when the connection is closed immediately after the last reply, before its reader can send more: otherwise a
   * connection pool would reuse it. False if input was left unread: closing would then reset the connection and lose
   * the last reply.
   */
  get #closesAtOnce(): boolean {
    return this.#closeWhenWritten && this.bytesRead > 0 && !this.#hasDropped;
  }

  /** All is written: say so to the client. What it still sends is read and dropped for a moment. */
  #finish(): void {
    this.#transport.finish(this.#closesAtOnce ? 0 : LINGER_MS);
    this.#gone();
  }

  #gone(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#deaf = true;
    this.#pending.clear();
    this.output.close();
    this.#owner?.closed();
  }
}
