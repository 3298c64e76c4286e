/**
 * Link of a replica to its primary, in Redis' own protocol (replication.c of Redis 7.4): a handshake, the primary's data
 * or what was missed of its stream, then the stream for as long as the connection lasts. A link that breaks is made
 * again every second.
 */

import { latin1, type Bytes, type Logger } from '#base';
import {
  commandBytes,
  LineReader,
  MalformedReply,
  ReplyError,
  ReplyParser,
  ReplyValues,
  type Reply,
} from '#resp';
import { handshake, pastQuestion, type Announced, type Question } from './handshake.ts';
import { PayloadReader, payloadOf } from './payload-reader.ts';
import { readPast, type PrimaryPast, type StreamPosition } from './primary-past.ts';

/** States of a link, named as in ROLE. */
export type LinkState = 'connect' | 'connecting' | 'handshake' | 'sync' | 'connected';

/** Taker of what a primary sends. */
export interface Follower {
  /** Place up to which everything is applied; undefined where nothing is known of the primary. */
  readonly position: StreamPosition | undefined;
  /** Offset up to which the stream is on disk here; undefined where nothing is kept. */
  readonly diskOffset: number | undefined;
  /** True where it has to be known which part of its data the primary has; absent where that is of no meaning. */
  readonly mayRequestPast?: boolean;
  /** Receives the history of the primary's stream; undefined if it does not report it. */
  takePast?(past: PrimaryPast | undefined): void;
  /** Settles when all that was taken of the stream before is applied. */
  settled(): Promise<void>;
  /** A full sync of the primary follows, `bytes` long if known; its stream continues from `position`. */
  beginSync(position: StreamPosition, bytes: number | undefined): void;
  /** Bytes of the data, an RDB; false when no more are to come before `resume` of the link. */
  takeData(piece: Bytes): boolean;
  /** The data are complete; settles when they are in the place of those before, or rejects with the reason why not. */
  endSync(): Promise<void>;
  /** The stream continues at the last offset, with another id if the primary has one. */
  goOn(id: string | undefined): void;
  /** The stream follows. */
  beginStream(): void;
  /** Bytes of the stream. */
  takeStream(piece: Bytes): void;
  /** Called when the link has broken: no more data or stream follows. */
  broken(reason: string): void;
}

/** Connection to a primary; a socket is one. */
export interface LinkSocket {
  write(bytes: string | Bytes): unknown;
  pause(): unknown;
  resume(): unknown;
  destroy(): unknown;
  on(event: 'connect' | 'close', listener: () => void): unknown;
  on(event: 'data', listener: (piece: Buffer) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

interface PrimaryLinkOptions {
  readonly host: string;
  readonly port: number;
  connect(host: string, port: number): LinkSocket;
  readonly follower: Follower;
  /** True while the server at the other end is asked to become the primary. */
  isHandingOver(): boolean;
  /** The primary has accepted or refused the connection. */
  answered(isAccepted: boolean): void;
  /** Returns the properties that the replica announces, and its login. */
  announced(): Announced;
  /** Milliseconds without a byte after which the link is broken. */
  timeoutMs(): number;
  nowMs(): number;
  /** The link has another state, and why. */
  changed(state: LinkState, reason: string): void;
  /** Called when bytes were received. */
  received(byteCount: number): void;
  readonly log: Pick<Logger, 'info' | 'warn' | 'debug'>;
}

/** The longest line before the data. */
const LINE_BYTES_MAX = 8 * 1024;
/** Limits of the answers to a replica's questions; the longest is a section of INFO. An empty line is a sign of life. */
const ANSWERS = {
  lineBytes: LINE_BYTES_MAX,
  bulkBytes: 10_000_000,
  elements: 1_024,
  depth: 8,
  skipsEmptyLines: true,
};
/** Error of PSYNC where the primary cannot serve replicas now. */
const NOT_NOW = /^(NOMASTERLINK|LOADING)\b/;

export class PrimaryLink {
  readonly host: string;
  readonly port: number;
  readonly #options: PrimaryLinkOptions;
  #state: LinkState = 'connect';
  #socket: LinkSocket | undefined;
  /** Consumer of input, which returns the number of processed bytes; undefined while input must wait. */
  #take: ((piece: Bytes) => number) | undefined;
  /** Bytes that cannot be processed yet. */
  #kept: Bytes[] = [];
  #questions: Question[] = [];
  #lastInputMs = 0;
  /** Nothing is read for now, so nothing is missed. */
  #isPaused = false;
  #isStopped = false;
  /** Unix milliseconds since which the link has its state. */
  stateSinceMs: number;
  /** Reason for the state that it has. */
  stateReason = 'the server starts to follow it';
  /** Reason for which the link was broken last; empty when it never was. */
  lastFailure = '';
  /** Number of bytes received over all connections of this link. */
  bytesReceived = 0;

  constructor(options: PrimaryLinkOptions) {
    this.#options = options;
    this.host = options.host;
    this.port = options.port;
    this.stateSinceMs = options.nowMs();
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Milliseconds since the primary was heard of last. */
  get silentMs(): number {
    return Math.max(0, this.#options.nowMs() - this.#lastInputMs);
  }

  /** Connects; from then on `tick` is to be called once a second. */
  start(): void {
    this.#connect();
  }

  /** Ends the link for good, without notifying the follower. */
  stop(): void {
    this.#isStopped = true;
    this.#socket?.destroy();
    this.#socket = undefined;
    this.#take = undefined;
  }

  pause(): void {
    this.#isPaused = true;
    this.#socket?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#lastInputMs = this.#options.nowMs();
    this.#socket?.resume();
  }

  /** Acknowledges to the primary the offset up to which the stream is applied. */
  acknowledge(): void {
    const { position } = this.#options.follower;
    if (this.#state !== 'connected' || position === undefined) return;
    const { diskOffset } = this.#options.follower;
    const onDisk = diskOffset === undefined ? [] : ['FACK', String(diskOffset)];
    this.#send(['REPLCONF', 'ACK', String(position.offset), ...onDisk]);
  }

  /** Breaks the link, because of unusable input. */
  fail(reason: string): void {
    if (this.#isStopped || this.#socket === undefined) return;
    this.#socket.destroy();
    this.#broken(reason);
  }

  #set(state: LinkState, reason: string): void {
    if (state === this.#state) return;
    this.#state = state;
    this.stateSinceMs = this.#options.nowMs();
    this.stateReason = reason;
    this.#options.changed(state, reason);
    const { host, port } = this;
    const fields = { state, host, port };
    this.#options.log.debug('replica-link', `Link to the primary is in state ${state}`, fields);
  }

  #connect(): void {
    const { host, port } = this;
    this.#set('connecting', 'connecting');
    this.#lastInputMs = this.#options.nowMs();
    this.#isPaused = false;
    const socket = this.#options.connect(host, port);
    this.#socket = socket;
    const isOurs = (): boolean => socket === this.#socket;
    socket.on('connect', () => {
      if (isOurs()) this.#beginHandshake();
    });
    socket.on('data', (piece) => {
      if (isOurs()) this.#received(piece);
    });
    socket.on('error', (error) => {
      if (isOurs()) this.#broken(error.message);
    });
    socket.on('close', () => {
      if (isOurs()) this.#broken('the primary has closed the connection');
    });
  }

  /** Checks the link, acknowledges, and keeps the connection alive: called once a second. */
  tick(): void {
    if (this.#isStopped) return;
    if (this.#state === 'connect') {
      this.#connect();
      return;
    }
    const timeoutMs = this.#options.timeoutMs();
    if (!this.#isPaused && this.#socket !== undefined && this.silentMs > timeoutMs) {
      this.fail(`nothing received from the primary for ${timeoutMs} ms`);
      return;
    }
    if (this.#state === 'connected') this.acknowledge();
    // The primary would take a replica that is busy with its data for dead.
    else if (this.#state === 'sync') this.#socket?.write('\n');
  }

  #broken(reason: string): void {
    const wasFollowing = this.#state === 'sync' || this.#state === 'connected';
    const isNew = wasFollowing || reason !== this.lastFailure;
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.destroy();
    this.#take = undefined;
    this.#kept = [];
    this.#questions = [];
    this.lastFailure = reason;
    const { host, port } = this;
    const message = `Link to the primary broken: ${reason}`;
    this.#options.log[isNew ? 'warn' : 'debug']('replica-link-broken', message, { host, port });
    this.#options.follower.broken(reason);
    // Until received data is applied, the offset to resume from is unknown.
    this.#set('connecting', `the link is broken: ${reason}`);
    void this.#options.follower.settled().then(() => {
      if (!this.#isStopped && this.#socket === undefined)
        this.#set('connect', `the link was broken: ${reason}`);
    });
  }

  #send(words: readonly string[]): void {
    this.#socket?.write(commandBytes(words));
  }

  #received(piece: Bytes): void {
    this.#lastInputMs = this.#options.nowMs();
    this.bytesReceived += piece.length;
    this.#options.received(piece.length);
    this.#hand(piece);
  }

  /** Gives bytes to who takes them, as long as somebody does. */
  #hand(piece: Bytes): void {
    let rest = piece;
    while (rest.length > 0) {
      const take = this.#take;
      if (take === undefined) {
        if (this.#socket !== undefined) this.#kept.push(rest);
        return;
      }
      rest = rest.subarray(take(rest));
    }
  }

  /** Processes data that was received while the link was blocked. */
  #goOn(take: (piece: Bytes) => number): void {
    this.#take = take;
    const kept = this.#kept;
    this.#kept = [];
    for (const piece of kept) this.#hand(piece);
  }

  // Handshake.

  #beginHandshake(): void {
    this.#set('handshake', 'the primary accepted the connection');
    this.#questions = handshake(this.#options.announced());
    const { follower } = this.#options;
    if (follower.mayRequestPast === true) {
      const question = pastQuestion((answer) => {
        follower.takePast?.(answer === undefined ? undefined : readPast(answer));
      });
      this.#questions.push(question);
    }
    const answers = new ReplyParser(
      new ReplyValues((answer) => {
        this.#answered(answer);
      }),
      ANSWERS,
    );
    this.#take = (piece) => this.#takeAnswer(answers, piece);
    this.#ask();
  }

  /** Sends the next question; the last is the one for data. */
  #ask(): void {
    const [question] = this.#questions;
    if (question !== undefined) {
      this.#send(question.words);
      return;
    }
    const { position } = this.#options.follower;
    const [id, offset] =
      position === undefined ? ['?', '-1'] : [position.id, String(position.offset + 1)];
    this.#send(['PSYNC', id, offset, ...(this.#options.isHandingOver() ? ['FAILOVER'] : [])]);
  }

  #takeAnswer(answers: ReplyParser, piece: Bytes): number {
    try {
      return answers.take(piece);
    } catch (error) {
      if (!(error instanceof MalformedReply)) throw error;
      this.fail(`the primary sent an invalid reply: ${error.message}`);
      return piece.length;
    }
  }

  #answered(answer: Reply | ReplyError): void {
    const question = this.#questions.shift();
    if (question === undefined) {
      this.#takePosition(answer);
      return;
    }
    const { takes } = question;
    takes?.(typeof answer === 'string' ? answer : undefined);
    if (answer instanceof ReplyError) {
      const what = question.words[0] === 'AUTH' ? 'AUTH' : question.words.slice(0, 2).join(' ');
      if (question.isNeeded(answer.message)) {
        this.fail(`the primary replied to ${what} with: ${answer.message}`);
        return;
      }
      this.#options.log.debug('replica-handshake', `The primary does not support ${what}`);
    }
    this.#ask();
  }

  #takePosition(answer: Reply | ReplyError): void {
    const text = typeof answer === 'string' ? answer : '';
    const full = /^FULLRESYNC ([0-9a-f]{40}) (\d{1,15})$/i.exec(text);
    if (full !== null) {
      this.#options.answered(true);
      this.#awaitData({ id: full[1]!, offset: Number(full[2]) });
      return;
    }
    const partial = /^CONTINUE(?: ([0-9a-f]{40}))?\s*$/i.exec(text);
    if (partial !== null) {
      this.#options.answered(true);
      this.#options.follower.goOn(partial[1]);
      this.#beginStream('the stream continues at the last offset');
      return;
    }
    this.#options.answered(false);
    this.fail(
      answer instanceof ReplyError && NOT_NOW.test(answer.message)
        ? `the primary cannot serve replicas now: ${answer.message}`
        : `the primary replied to PSYNC with: ${shownAnswer(answer)}`,
    );
  }

  // Data.

  #awaitData(position: StreamPosition): void {
    this.#set('sync', 'the primary sends a full sync');
    const lines = new LineReader(LINE_BYTES_MAX);
    this.#take = (piece) => {
      const taken = lines.take(piece);
      const { line } = lines;
      if (lines.isTooLong) return this.#notData(piece);
      // A line without anything keeps the connection alive.
      if (line === undefined || line === '') return taken;
      const payload = payloadOf(line);
      if (payload === undefined) return this.#notData(latin1Bytes(line));
      this.#options.follower.beginSync(position, payload.bytes);
      this.#takePayload(new PayloadReader(payload));
      return taken;
    };
  }

  #notData(piece: Bytes): number {
    const shown = JSON.stringify(latin1(piece, 0, Math.min(piece.length, 64)));
    this.fail(`the primary sent ${shown} instead of its data`);
    return piece.length;
  }

  #takePayload(reader: PayloadReader): void {
    const { follower } = this.#options;
    this.#take = (piece) => {
      const taken = reader.take(piece, (data) => {
        if (!follower.takeData(data)) this.pause();
      });
      if (reader.isComplete) this.#endData();
      return taken;
    };
  }

  #endData(): void {
    this.#take = undefined;
    // More of the stream than the kernel keeps is not wanted before the data are in place.
    this.pause();
    const socket = this.#socket;
    this.#options.follower.endSync().then(
      () => {
        if (socket === this.#socket && !this.#isStopped)
          this.#beginStream('the full sync is loaded');
      },
      (error: unknown) => {
        if (socket === this.#socket) this.fail((error as Error).message);
      },
    );
  }

  // Stream.

  #beginStream(reason: string): void {
    this.#set('connected', reason);
    this.lastFailure = '';
    const { follower } = this.#options;
    follower.beginStream();
    this.resume();
    // Only now does the primary count the replica as online, and send it the buffered stream.
    this.acknowledge();
    this.#goOn((piece) => {
      follower.takeStream(piece);
      return piece.length;
    });
  }
}

/** An answer as it came, as far as one line has it. */
function shownAnswer(answer: Reply | ReplyError): string {
  if (answer instanceof ReplyError) return `-${answer.message}`;
  return typeof answer === 'string' ? `+${answer}` : JSON.stringify(answer);
}

function latin1Bytes(text: string): Bytes {
  return Buffer.from(text, 'latin1');
}
