/**
 * The stream of this server's primary, run as the commands of a client that is obeyed: through the same parser and the
 * same ways into shards as those of any client, in its order.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Bytes } from '#base';
import { Connection, type ConnectionConfig, type ConnectionOwner, type Taking } from '#net';
import type { ParsedCommand } from '#resp';
import type { Client, Router } from '#router';
import type { FollowedStream } from './protocol/primary/primary-options.ts';
import type { StreamPosition } from './protocol/replica/primary-past.ts';
import type { Clients } from '#clients';
import { ApplyLag } from './protocol/apply-lag.ts';
import { CommandPlaces } from './failed-command.ts';
import { PrimaryTransport } from './primary-transport.ts';
import { ReplyErrors } from './reply-errors.ts';

/** Longest command of a primary, in bytes: places in a command are 31 bits. */
const COMMAND_BYTES_MAX = 2 ** 31 - 64 * 1024;
/** Between two looks at whether everything is applied. */
const SETTLE_POLL_MS = 2;

const REPLCONF = /^replconf$/i;
const GETACK = /^getack$/i;

interface PrimaryStreamOptions {
  readonly router: Router;
  readonly clients: Clients;
  readonly config: ConnectionConfig;
  /** Address of the primary. */
  readonly address: string;
  /** Position from which the stream continues, with its selected database. */
  readonly position: StreamPosition;
  readonly database: number;
  /** Unix milliseconds. */
  nowMs(): number;
  /** Stops and resumes what comes. */
  pause(): void;
  resume(): void;
  /** The stream cannot be used any more, or was ended by a client. */
  fail(reason: string): void;
  /** The primary wants to know how far the stream is applied, now that it is applied so far. */
  acknowledge(): void;
  /** The stream has a timestamp at an offset, which is taken now. */
  stamped(offset: number): void;
  /** All before a timestamp of the primary's, in Unix milliseconds, is applied. */
  reached(stampMs: number): void;
  /** Called when a command of the stream has failed, with its offset; undefined if that is no longer known. */
  failed(error: string, offset: number | undefined): void;
  /** Called with the bytes of complete commands of the stream that were accepted. */
  relay(bytes: Bytes): void;
  /** Called after all such bytes were relayed. */
  relayed(): void;
  /** False for a command that is not to be run here; without it all are. */
  accepts?(command: ParsedCommand): boolean;
}

/** Position in the stream that is applied once the client has received the replies before a sequence. */
interface Mark {
  readonly sequence: number;
  readonly offset: number;
  /** True if the primary has requested an acknowledgement. */
  readonly isAsked: boolean;
  /** Timestamp of the primary at this position; NaN if there is none. */
  readonly stampMs: number;
}

export class PrimaryStream implements ConnectionOwner, FollowedStream {
  readonly client: Client;
  readonly #options: PrimaryStreamOptions;
  readonly #connection: Connection;
  readonly #transport: PrimaryTransport;
  /** Offset of the connection's first byte. */
  readonly #beganAt: number;
  readonly #id: string;
  /** Bytes that this server has inserted before the primary's stream. */
  #ownBytes = 0;
  /** Offset before the current transaction. */
  #beforeTransaction = 0;
  #applied: number;
  /** Offset after all received bytes. */
  #cameTo: number;
  readonly #lag = new ApplyLag();
  #marks: Mark[] = [];
  readonly #places = new CommandPlaces();
  /** Received pieces with commands that are not all processed. */
  readonly #came: Bytes[] = [];
  #handedOn = 0;
  #hasEnded = false;
  #ending: Promise<void> | undefined;

  constructor(options: PrimaryStreamOptions) {
    const { router, clients, config, address, position, database } = options;
    this.#options = options;
    this.#id = position.id;
    this.#beganAt = position.offset;
    this.#applied = position.offset;
    this.#cameTo = position.offset;
    const errors = new ReplyErrors((text, place) => {
      options.failed(text, this.#places.of(place));
    });
    this.#transport = new PrimaryTransport({
      pause: () => {
        options.pause();
      },
      resume: () => {
        options.resume();
      },
      replied: (chunk) => {
        this.#handOn();
        errors.take(chunk);
        this.#looked();
      },
      destroyed: () => {
        if (!this.#hasEnded) options.fail('closed by a client');
      },
    });
    const limits = { bulkBytesMax: COMMAND_BYTES_MAX, queryBytesMax: COMMAND_BYTES_MAX };
    const ends = { remote: address, local: '', isUnix: false };
    this.#connection = new Connection(this.#transport, ends, { ...config, limits });
    this.#connection.owner = this;
    router.readClock();
    this.client = clients.addPrimary(this.#connection);
    this.client.session.database = database;
  }

  /** Place up to which the stream is applied. */
  get position(): StreamPosition {
    this.#look();
    return { id: this.#id, offset: this.#applied };
  }

  /** Offset after all received bytes, applied or not. */
  get cameTo(): number {
    return this.#cameTo;
  }

  /** Milliseconds for which the oldest byte that is not applied has waited; 0 when none waits. */
  get waitedMs(): number {
    return this.#lag.waitedMs(this.position.offset, this.#options.nowMs());
  }

  /** Processes received bytes of the stream. */
  take(piece: Bytes): void {
    this.#cameTo += piece.length;
    this.#lag.came(this.#cameTo, this.#options.nowMs());
    this.#came.push(piece);
    this.#transport.received(piece);
    this.#handOn();
  }

  /** Executes commands of this server before any of the stream. */
  run(commands: Bytes): void {
    this.#ownBytes += commands.length;
    this.#transport.received(commands);
    this.#mark();
  }

  /** Position after all accepted commands, which are applied or will be. */
  get taken(): StreamPosition {
    this.#handOn();
    return { id: this.#id, offset: this.#settledAt };
  }

  /** True between two commands of which none is in a transaction. */
  get mayCut(): boolean {
    const { transaction, wait } = this.client;
    return transaction === undefined && !wait.isAtBarrier && this.#unrelayed === 0;
  }

  get database(): number {
    return this.client.session.database;
  }

  /** Relays the bytes accepted since the last call. */
  #handOn(): void {
    let left = this.#unrelayed;
    if (left <= 0) return;
    this.#handedOn += left;
    // What had to wait may have been taken since the piece came that it is of.
    this.#mark();
    while (left > 0) {
      const [piece] = this.#came;
      if (piece === undefined) break;
      const part = piece.subarray(0, left);
      this.#options.relay(part);
      left -= part.length;
      if (part.length === piece.length) this.#came.shift();
      else this.#came[0] = piece.subarray(part.length);
    }
    this.#options.relayed();
  }

  /** Number of bytes that were taken and not handed on yet. */
  get #unrelayed(): number {
    return this.#takenTo - this.#beganAt - this.#handedOn;
  }

  /** Offers again what could not be taken. */
  goOn(): void {
    if (!this.#hasEnded && this.#connection.isStalled) this.#options.router.retryAll();
  }

  /** Accepts no more commands; resolves when all accepted ones are applied. Can be called repeatedly. */
  end(): Promise<void> {
    this.#ending ??= this.#finish();
    return this.#ending;
  }

  async #finish(): Promise<void> {
    this.#hasEnded = true;
    const { client } = this;
    const reached = this.#settledAt;
    // A transaction of which the end has not come is not run, and comes again.
    if (!client.wait.isAtBarrier) this.#options.router.transactions.discard(client);
    this.#transport.isOver = true;
    while (client.replies.outstanding > 0 || client.wait.isOccupied) await sleep(SETTLE_POLL_MS);
    this.#marks = [];
    this.#applied = reached;
    this.#connection.destroy();
  }

  /** Offset after the accepted commands; before an incomplete transaction. */
  get #settledAt(): number {
    return this.client.transaction === undefined ? this.#takenTo : this.#beforeTransaction;
  }

  get #takenTo(): number {
    return this.#beganAt + this.#connection.bytesTaken - this.#ownBytes;
  }

  /** Marks the current position, to know later that it is applied. */
  #mark(): void {
    const { transaction, replies } = this.client;
    const { nextSequence: sequence } = replies;
    if (transaction !== undefined) return;
    this.#marks.push({ sequence, offset: this.#settledAt, isAsked: false, stampMs: NaN });
  }

  /** Marks the position of a request for an acknowledgement, which counts as applied itself. */
  #markAsked({ length }: ParsedCommand, stampMs: number): void {
    const { transaction, replies } = this.client;
    const { nextSequence: sequence } = replies;
    const offset = this.#settledAt + (transaction === undefined ? length : 0);
    this.#marks.push({ sequence, offset, isAsked: true, stampMs });
    if (!Number.isNaN(stampMs)) this.#options.stamped(this.#takenTo);
  }

  /** Called for new replies: more of the stream may be applied. */
  #looked(): void {
    if (this.#look()) this.#options.acknowledge();
  }

  /** Updates the applied offset; returns true if the primary has requested an acknowledgement. */
  #look(): boolean {
    const { dueSequence } = this.client.replies;
    let count = 0;
    let isAsked = false;
    for (const mark of this.#marks) {
      if ((dueSequence - mark.sequence) >>> 0 >= 2 ** 31) break;
      this.#applied = mark.offset;
      isAsked ||= mark.isAsked;
      if (!Number.isNaN(mark.stampMs)) this.#options.reached(mark.stampMs);
      count += 1;
    }
    if (count > 0) this.#marks.splice(0, count);
    return isAsked;
  }

  // As owner of the connection.

  command(command: ParsedCommand): Taking {
    const { client } = this;
    if (this.#hasEnded) return 'held';
    if (this.#isGetAck(command)) {
      this.#markAsked(command, stampOf(wordAt(command, 2)));
      if (client.replies.outstanding === 0) this.#looked();
      return 'taken';
    }
    if (this.#options.accepts?.(command) === false) return 'taken';
    const wasOpen = client.transaction !== undefined;
    const before = this.#takenTo;
    this.#places.note(before);
    const taking = this.#options.router.dispatch(client, command);
    if (taking === 'taken' || taking === 'long') this.#places.taken();
    if (!wasOpen && client.transaction !== undefined) this.#beforeTransaction = before;
    return taking;
  }

  #isGetAck(command: ParsedCommand): boolean {
    const { count, spans } = command;
    if (count !== 3 || spans[1] !== 8) return false;
    return REPLCONF.test(wordAt(command, 0)) && GETACK.test(wordAt(command, 1));
  }

  protocolError(text: string): 'taken' {
    this.#options.fail(`it sent something that is not a command: ${text}`);
    return 'taken';
  }

  get isOwedReplies(): boolean {
    return false;
  }

  queryMemoryChanged(): void {
    // Nothing that its primary sends is too much for a replica.
  }

  ended(): void {
    // The link reports the end.
  }

  closed(): void {
    this.#options.clients.removed(this.client);
    this.#options.router.removeClient(this.client);
  }

  wrote(): void {
    // Replies that are discarded are not counted for a client.
  }

  backlogged(): void {
    // Nothing waits for a reader.
  }
}

/** A word of a command as text. */
function wordAt({ source, at, spans }: ParsedCommand, index: number): string {
  const from = at + spans[2 * index]!;
  return Buffer.from(source.buffer, source.byteOffset + from, spans[2 * index + 1]).toString();
}

/** Timestamp that a GETACK carries; NaN where it carries none. */
function stampOf(word: string): number {
  return /^\d{12,15}$/.test(word) ? Number(word) : NaN;
}
