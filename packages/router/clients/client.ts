/** One client as the router sees it: what it may do, and which of its replies are due. */

import type { User } from '#acl';
import type { Bytes, CommandError } from '#base';
import {
  type ClientPort,
  type ClientTraffic,
  type CommandEntry,
  commandTable,
  type ReplyMode,
  type Subscriptions,
  type TraceParent,
  type TrackingState,
} from '#commands';
import { ReorderBuffer, type ParkingBlocks } from '../order/reorder-buffer.ts';
import { memoryOf, WATCHED_KEY_BYTES } from './client-memory.ts';
import type { WatchedKeys } from '../multi/exec-plan.ts';
import type { OpenTraces, Trace } from '../traces/trace.ts';
import type { Transaction } from '../multi/transaction.ts';

/** The connection under a client; `net`'s Connection is one. */
export interface ClientSocket {
  readonly remoteAddress: string;
  readonly localAddress: string;
  readonly bytesRead: number;
  readonly queryBytes: number;
  readonly parsedBytes: number;
  readonly queryMemoryBytes: number;
  readonly isClosed: boolean;
  readonly isUnix: boolean;
  /** Version and cipher of TLS; undefined without it. */
  readonly tls: { readonly version: string; readonly cipher: string } | undefined;
  /** File descriptor, or -1. */
  readonly descriptor: number;
  /** Holds commands that were not taken yet. */
  readonly isStalled: boolean;
  readonly output: {
    readonly pendingBytes: number;
    readonly unsentBytes: number;
    readonly bytesWritten: number;
    append(at: number, length: number): void;
    appendBytes(source: Bytes, at: number, length: number): void;
    give(bytes: Bytes): void;
  };
  unauthenticated: boolean;
  touch(): void;
  resume(): void;
  closeAfterReplies(): void;
  hangUp(): void;
  destroy(): void;
}

/** Bytes that are kept for a replica, beside those that its connection has been given. */
interface ReplicaConnection {
  readonly heldBytes: number;
  /** The kernel has taken what was written. */
  drained(): void;
  /** This side closes it, for a reason. */
  closing(reason: string): void;
}

/** Destination of a client's replies: its socket, or a place where they are put together. */
export type ReplyOutput = Pick<ClientSocket['output'], 'append' | 'appendBytes' | 'give'>;

/** Commands that a client may have on their way before it is known how long their replies are. */
const WINDOW_FIRST = 32;
/** The same while replies are long: what is not read is memory that nobody could judge before. */
const WINDOW_LEAST = 4;
const LONG_REPLY_BYTES = 64 * 1024;

const NOTHING_WATCHED: WatchedKeys = new Map();

export class Client implements ClientPort {
  readonly id: number;
  /** Index in the router's list; used again for another client when this one is gone and all answered. */
  readonly slot: number;
  readonly socket: ClientSocket;
  readonly createdMs: number;
  database = 0;
  protocol: 2 | 3 = 2;
  /** Shards that know who the client is, by index. */
  readonly knownTo: boolean[] = [];
  libraryName = '';
  libraryVersion = '';
  replyMode: ReplyMode = 'on';
  noEvict = false;
  noTouch = false;
  readsFromReplica = false;
  peerNode: string | undefined;
  /** Sequences of the commands that ASKING is for: the one behind it, or those of a transaction; -1 for none. */
  askingFrom = -1;
  askingTo = -1;
  isMonitor = false;
  /** Its commands are the stream of this server's primary: they are obeyed, whatever stands in the way of others. */
  isPrimary = false;
  /** True once a command of it that may write has been answered. */
  hasWritten = false;
  /** Offset of the stream for replicas behind its last write; -1 while the stream does not have all of that, or has it no more. */
  writeOffset = 0;
  /** Is told when writes under way are answered; undefined while none are. */
  wrote: ((client: Client) => void) | undefined;
  /** Its link as a replica of this server; undefined for others. */
  replica: ReplicaConnection | undefined;
  /** A pause holds its next command back. */
  isPostponed = false;
  subscriptions: Subscriptions | undefined;
  tracking: TrackingState | undefined;
  lastCommandMs: number;
  lastCommandId = -1;
  commandsTotal = 0;
  /** The command it waits for is counted when it is done. */
  isCountedLater = false;
  /** Commands that may be on their way before the next one waits: few at first, and behind long replies. */
  window = WINDOW_FIRST;
  /** Sequence of the next command to be sent on; wraps at 2^32. */
  nextSequence = 0;
  /** Sequence of the next reply to be written. */
  dueSequence = 0;
  /** Waits for a reply that was left for later: its following commands wait too. */
  isBlocked = false;
  /**
   * Ends the wait as its time-out would, or with an error; where the command waited for allows it. `ended` is told when
   * the wait is over, and whether this is what has ended it.
   */
  unblock:
    ((error: CommandError | undefined, ended: (isDone: boolean) => void) => void) | undefined;
  /** Since when it waits; for reports. */
  blockedSinceMs = 0;
  /** Transaction with what the client has queued since MULTI. */
  transaction: Transaction | undefined;
  /** Its transaction is being run at a barrier: nothing else of it is taken meanwhile. */
  isAtBarrier = false;
  /** Its last command may wait: nothing else of it is taken until that is answered. */
  awaitsReply = false;
  /** Sequence of a command on main that has left its reply for later. */
  deferredSequence = 0;
  /** The command it waited for has been run: its reply is under way. */
  isServed = false;
  /** Number of the command of a transaction that was sent on last; the commands share a sequence. */
  step = 0;
  /** Trace that the client's commands belong to, as its application has given it. */
  traceParent: TraceParent | undefined;
  /** Trace of the command taken last, if that is traced; the command may yet have to be sent again. */
  trace: Trace | undefined;
  /** Traces of the traced commands that are not yet answered. */
  traces: OpenTraces | undefined;
  /** Called when a reply was delivered and nothing is outstanding. */
  answered: (() => void) | undefined;
  /** Closes when all replies are written. */
  isEnding = false;
  /** True when what the client still sends is not looked at (after QUIT). */
  isDeaf = false;
  /** Bytes that are counted for its user already. */
  countedBytesIn = 0;
  countedBytesOut = 0;
  /** Bytes of output that its users' rate limits have been charged with, or never will be. */
  chargedBytesOut = 0;
  /** Sequence of the command that its user's rate limit was charged with last; a command may be taken again. */
  chargedSequence = -1;
  /** Since when its output is over the soft limit; 0 = it is not. */
  softLimitSinceMs = 0;
  #hasHungUp = false;
  #authenticated = false;
  #name = '';
  #identity: User;
  readonly #blocks: ParkingBlocks;
  #output: ReplyOutput;
  #heldPushes: Bytes[] = [];
  /** Memory of the keys watched. */
  watchedBytes = 0;
  /** Made for the first key watched. */
  #watched: Map<string, number> | undefined;
  /** Made for the first reply that comes before its turn. */
  #reorderBuffer: ReorderBuffer | undefined;

  constructor(
    id: number,
    slot: number,
    socket: ClientSocket,
    nowMs: number,
    blocks: ParkingBlocks,
    identity: User,
  ) {
    this.#blocks = blocks;
    this.#identity = identity;
    this.id = id;
    this.slot = slot;
    this.socket = socket;
    this.#output = socket.output;
    this.createdMs = nowMs;
    this.lastCommandMs = nowMs;
  }

  get isReplica(): boolean {
    return this.replica !== undefined;
  }

  get authenticated(): boolean {
    return this.#authenticated;
  }

  /** Before it has authenticated, a client may send short commands only. */
  set authenticated(value: boolean) {
    this.#authenticated = value;
    this.socket.unauthenticated = !value;
  }

  get name(): string {
    return this.#name;
  }

  set name(value: string) {
    this.#name = value;
    this.knownTo.length = 0;
  }

  /** Name of its user. */
  get user(): string {
    return this.#identity.name;
  }

  /** The user that it has logged in as. */
  get identity(): User {
    return this.#identity;
  }

  set identity(value: User) {
    this.#identity = value;
    this.knownTo.length = 0;
  }

  get address(): string {
    return this.socket.remoteAddress;
  }

  get localAddress(): string {
    return this.socket.localAddress;
  }

  get isUnix(): boolean {
    return this.socket.isUnix;
  }

  get descriptor(): number {
    return this.socket.descriptor;
  }

  get tls(): ClientSocket['tls'] {
    return this.socket.tls;
  }

  get lastCommand(): string {
    return commandTable.entries[this.lastCommandId]?.knownName ?? '';
  }

  get queuedCount(): number {
    return this.transaction?.queue.count ?? -1;
  }

  get queuedBytes(): number {
    return this.transaction?.queue.memoryBytes ?? 0;
  }

  /** Memory that the client takes: what CLIENT LIST tells as tot-mem. */
  get memoryBytes(): number {
    return memoryOf(this);
  }

  get watched(): WatchedKeys {
    return this.#watched ?? NOTHING_WATCHED;
  }

  /** Adds a key, by its name in plans, and its shard. */
  watch(name: string, shard: number): void {
    this.#watched ??= new Map();
    if (!this.#watched.has(name)) this.watchedBytes += WATCHED_KEY_BYTES + name.length;
    this.#watched.set(name, shard);
  }

  unwatchAll(): void {
    this.#watched = undefined;
    this.watchedBytes = 0;
  }

  /** Sends what was pushed while it was not known whether a reply comes first. */
  releasePushes(): void {
    const held = this.#heldPushes;
    this.#heldPushes = [];
    for (const bytes of held) this.push(bytes, 0, bytes.length);
  }

  /** Lets replies go to `output` until they go to the socket again. */
  redirectReplies(output: ReplyOutput = this.socket.output): void {
    this.#output = output;
  }

  get traffic(): ClientTraffic {
    const { bytesRead, queryBytes, parsedBytes, queryMemoryBytes, output } = this.socket;
    return {
      parsedBytes,
      bytesRead,
      bytesWritten: output.bytesWritten,
      queryBytes,
      queryMemoryBytes,
      outputBytes: output.pendingBytes + (this.replica?.heldBytes ?? 0),
      unsentBytes: this.unsentBytes,
    };
  }

  /** Commands sent on and not yet answered. */
  get outstanding(): number {
    return (this.nextSequence - this.dueSequence) >>> 0;
  }

  /** True while it has commands on their way, and does not wait for an event. */
  get isInFlight(): boolean {
    return this.outstanding > 0 && !(this.isBlocked && this.canUnblock);
  }

  /** True when replies will come by themselves, since nothing that the client has sent may wait. */
  get isOwedReplies(): boolean {
    return this.outstanding > 0 && !this.isOccupied;
  }

  get canUnblock(): boolean {
    return this.unblock !== undefined;
  }

  /** True when the command, or one of the transaction that it runs, writes by itself, and not only where a script does. */
  writes(entry: CommandEntry): boolean {
    return entry.route === 'exec' ? this.transaction?.queue.writes === true : entry.isWrite;
  }

  /** True when the command, or the transaction that it runs, may write. */
  mayWrite(entry: CommandEntry): boolean {
    return entry.route === 'exec' ? this.transaction?.queue.hasWrites === true : entry.mayChange;
  }

  /** True when the client's next command must wait for the reply to its last. */
  get isOccupied(): boolean {
    return this.isBlocked || this.isAtBarrier || this.awaitsReply;
  }

  /** True when the reply of the next command is unwanted. */
  get isMuted(): boolean {
    return this.replyMode === 'off' || this.replyMode === 'skip';
  }

  /** A command was taken: a SKIP has had its effect. */
  endMuting(): void {
    if (this.replyMode === 'armed') this.replyMode = 'skip';
    else if (this.replyMode === 'skip') this.replyMode = 'on';
  }

  /** Closes the connection as soon as everything taken is answered. */
  end(): void {
    this.isEnding = true;
    this.endIfAnswered();
  }

  /** The same, and takes nothing more. */
  quit(): void {
    this.isDeaf = true;
    this.isEnding = true;
  }

  /** The client sends no more: it gets the replies to come, but waits for no event. */
  hungUp(): void {
    this.#hasHungUp = true;
    this.end();
  }

  /** Closes a connection that is to end, once nothing stands in the way: for whatever was in the way and has ended. */
  endIfAnswered(): void {
    if (!this.isEnding || this.isAtBarrier) return;
    if (this.#hasHungUp && (this.isBlocked || this.isPostponed)) {
      if (this.outstanding <= Number(this.isBlocked)) this.socket.hangUp();
      return;
    }
    if (this.outstanding > 0 || (this.socket.isStalled && !this.isDeaf)) return;
    this.socket.closeAfterReplies();
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

  /** The same with bytes that are given away; a piece of a reply that goes on counts for no command. */
  give(sequence: number, count: number, bytes: Bytes): void {
    if (bytes.length >= LONG_REPLY_BYTES) this.window = WINDOW_LEAST;
    if (sequence !== this.dueSequence) {
      this.#reorderBuffer ??= new ReorderBuffer(this.#blocks);
      this.#reorderBuffer.give(sequence, count, bytes);
      return;
    }
    this.#output.give(bytes);
    if (count > 0) this.#delivered(count);
    else this.socket.touch();
  }

  /**
   * Sends what answers no command, such as a published message: behind the replies to all that was
   * taken. While the client waits for an event, at once, since its reply may never come.
   */
  push(bytes: Bytes, at: number, length: number): void {
    const { output, isClosed } = this.socket;
    // What is pushed to a replica would be taken for a part of the stream.
    if (isClosed || this.isEnding || this.isReplica) return;
    if (this.isAtBarrier || (this.awaitsReply && (!this.isBlocked || this.isServed))) {
      // A transaction's reply is one, and a command that may wait has a reply or will be known to wait.
      this.#heldPushes.push(new Uint8Array(bytes.subarray(at, at + length)));
      return;
    }
    if (this.outstanding > 0 && !this.isBlocked) {
      this.deliver(this.takeSequence(), 1, bytes, at, length);
      return;
    }
    output.appendBytes(bytes, at, length);
    this.socket.touch();
  }

  /** Bytes that wait for the replies before them. */
  get parkedBytes(): number {
    return this.#reorderBuffer?.bytes ?? 0;
  }

  /** Bytes that were not yet handed to the kernel. */
  get unsentBytes(): number {
    return this.socket.output.unsentBytes + this.parkedBytes;
  }

  /** Forgets replies that nobody will read. */
  discardReplies(): void {
    this.#reorderBuffer?.clear();
  }

  #delivered(count: number): void {
    this.dueSequence = (this.dueSequence + count) >>> 0;
    if (this.#reorderBuffer?.isEmpty === false) this.#deliverParked(this.#reorderBuffer);
    // The reply to a transaction that is conducted is put together of many.
    if (this.traces !== undefined && !this.isAtBarrier) this.traces.answered(this.dueSequence);
    this.socket.touch();
    if (this.wrote !== undefined && this.outstanding === 0) this.noteWrites();
    if (this.answered !== undefined && this.outstanding === 0) this.answered();
    if (this.isEnding) this.endIfAnswered();
  }

  /** Reports that all it has written is answered; of a transaction that is conducted, at the end of that. */
  noteWrites(): void {
    const { wrote } = this;
    if (wrote === undefined || this.outstanding > 0 || this.isAtBarrier) return;
    this.wrote = undefined;
    this.hasWritten = true;
    wrote(this);
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
