/**
 * One client as the router sees it, put together of its parts: connection, session, sequence window, account, waits, and
 * what only some have (roles, a transaction, watched keys, traces), which is made when it is needed.
 *
 * What is read for each command is in parts that every client has from the start.
 */

import type { User } from '#acl';
import type { Bytes } from '#base';
import type { ClientPort, ClientTraffic } from '#commands';
import type { Transaction } from '../multi/transaction.ts';
import { NO_WATCHES, type Watches } from '../multi/watches.ts';
import type { ParkingBlocks } from '../order/reorder-buffer.ts';
import { NO_TRACES, type OpenTraces } from '../traces/trace.ts';
import { ClientAccount } from './client-account.ts';
import { memoryOf } from './client-memory.ts';
import { ClientRoles, NO_ROLES } from './client-roles.ts';
import { ClientSession } from './client-session.ts';
import type { ClientSocket } from './client-socket.ts';
import { CommandWait } from './command-wait.ts';
import { ReplyWindow } from './reply-window.ts';

export class Client implements ClientPort {
  readonly id: number;
  /**
   * Index in the router's list; reused for another client when this one has disconnected and all its commands are
   * answered.
   */
  readonly slot: number;
  readonly socket: ClientSocket;
  readonly session: ClientSession;
  readonly replies: ReplyWindow;
  readonly account: ClientAccount;
  readonly wait = new CommandWait();
  /** Roles of the client, to be read; those to be changed are `ownRoles`. */
  roles: Readonly<ClientRoles> = NO_ROLES;
  /** Transaction with what the client has queued since MULTI. */
  transaction: Transaction | undefined;
  /** Keys that the client watches. */
  watches: Watches = NO_WATCHES;
  /** Traces of its commands that are not yet answered. */
  traces: OpenTraces = NO_TRACES;
  /** Called when pending writes are answered; undefined if there are none. */
  wrote: ((client: Client) => void) | undefined;
  /** True when the connection closes as soon as all replies are written. */
  isEnding = false;
  /** True when what the client still sends is ignored (after QUIT). */
  isDeaf = false;
  #hasHungUp = false;
  #heldPushes: Bytes[] = [];

  constructor(
    id: number,
    slot: number,
    socket: ClientSocket,
    nowMs: number,
    blocks: ParkingBlocks,
    identity: User,
  ) {
    this.id = id;
    this.slot = slot;
    this.socket = socket;
    this.session = new ClientSession(socket, identity);
    this.replies = new ReplyWindow(this, socket, blocks);
    this.account = new ClientAccount(nowMs);
  }

  /** Roles of this client alone, to be changed. */
  get ownRoles(): ClientRoles {
    if (this.roles === NO_ROLES) this.roles = new ClientRoles();
    return this.roles;
  }

  get traffic(): ClientTraffic {
    const { bytesRead, queryBytes, parsedBytes, queryMemoryBytes, output } = this.socket;
    return {
      parsedBytes,
      bytesRead,
      bytesWritten: output.bytesWritten,
      queryBytes,
      queryMemoryBytes,
      outputBytes: output.pendingBytes + this.roles.heldBytes,
      unsentBytes: this.replies.unsentBytes,
    };
  }

  get memoryBytes(): number {
    return memoryOf(this);
  }

  /** Closes the connection once all accepted commands have their replies. */
  end(): void {
    this.isEnding = true;
    this.endIfAnswered();
  }

  /** Stops accepting commands, and closes the connection once the accepted ones have their replies. */
  quit(): void {
    this.isDeaf = true;
    this.isEnding = true;
  }

  /** Handles the end of the client's input: pending replies are sent, but blocked commands are ended. */
  hungUp(): void {
    this.#hasHungUp = true;
    this.end();
  }

  /** Closes an ending connection if nothing is pending; called after each event that may complete pending work. */
  endIfAnswered(): void {
    const { wait, replies } = this;
    if (!this.isEnding || wait.isAtBarrier) return;
    if (this.#hasHungUp && (wait.isBlocked || wait.isPostponed)) {
      if (replies.outstanding <= Number(wait.isBlocked)) this.socket.hangUp();
      return;
    }
    if (replies.outstanding > 0 || (this.socket.isStalled && !this.isDeaf)) return;
    this.socket.closeAfterReplies();
  }

  /**
   * Sends a message that is not a reply, such as a published one, after the replies to all accepted commands. To a blocked
   * client it is sent immediately, since its reply may never come.
   */
  push(bytes: Bytes, at: number, length: number): void {
    const { wait, replies } = this;
    const { output, isClosed } = this.socket;
    // A replica would take a pushed message for a part of the stream.
    if (isClosed || this.isEnding || this.roles.isReplica) return;
    if (wait.isAtBarrier || (wait.awaitsReply && (!wait.isBlocked || wait.isServed))) {
      // A transaction's reply is one, and a command that may wait has a reply or will be known to wait.
      this.#heldPushes.push(new Uint8Array(bytes.subarray(at, at + length)));
      return;
    }
    if (replies.outstanding > 0 && !wait.isBlocked) {
      replies.deliver(replies.takeSequence(), 1, bytes, at, length);
      return;
    }
    output.appendBytes(bytes, at, length);
    this.socket.touch();
  }

  /** Sends messages that were deferred while it was unknown whether a reply comes first. */
  releasePushes(): void {
    const held = this.#heldPushes;
    this.#heldPushes = [];
    for (const bytes of held) this.push(bytes, 0, bytes.length);
  }

  /** Called when replies were written: continues the work that waited for them. */
  delivered(): void {
    const { wait, replies, traces } = this;
    // The reply to a transaction at a barrier is combined from many.
    if (traces !== NO_TRACES && !wait.isAtBarrier) traces.answered(replies.dueSequence);
    this.socket.touch();
    if (this.wrote !== undefined && replies.outstanding === 0) this.noteWrites();
    if (wait.answered !== undefined && replies.outstanding === 0) wait.answered();
    if (this.isEnding) this.endIfAnswered();
  }

  /** Reports that all it has written is answered; of a transaction that is conducted, at the end of that. */
  noteWrites(): void {
    const { wrote } = this;
    if (wrote === undefined || this.replies.outstanding > 0 || this.wait.isAtBarrier) return;
    this.wrote = undefined;
    this.account.hasWritten = true;
    wrote(this);
  }
}
