/**
 * Area of the link memory by which a script that runs alone runs commands on other shards, without main in between. One
 * serves all shards, since one such script runs at a time. Its shard is the host; a target is a shard that has stopped for it.
 *
 *   word      written by        read by   meaning
 *   TURN      host and target   both      shard that is to act, counted from 1; 0 once it has
 *   HOST      host              target    shard that runs the script
 *   RUN       host              target    number of the run, by which a target knows that it has stopped for it
 *   WANTED    host              target    0 for a command, whose frame is there; else the offset of the reply's next piece
 *   TIME_RUN  host              targets   number of the run for which time is frozen
 *   SECONDS   host              targets   the frozen time in whole Unix seconds
 *   MILLIS    host              targets   and its milliseconds
 *   TOTAL     target            host      bytes of the whole reply; -1 when the command has to go by way of main
 *
 * Behind the words is the frame of the command, and later a piece of its reply.
 */

import { type Bytes, copyBytes } from '#base';
import type { LinkMemory } from './memory.ts';

const TURN = 0;
const HOST = 1;
const RUN = 2;
const WANTED = 3;
const TIME_RUN = 4;
const SECONDS = 5;
const MILLIS = 6;
const TOTAL = 16;
const HEADER_BYTES = 128;
const DATA_BYTES = 16 * 1024;

/** Bytes that the exchange takes in the link memory. */
export const SCRIPT_EXCHANGE_BYTES = HEADER_BYTES + DATA_BYTES;

/** Total of a reply that is not there: the command was not run. */
const REFUSED = -1;

/** Request of a host. */
interface ExchangeRequest {
  readonly host: number;
  readonly target: number;
  readonly run: number;
  /** Frame of a command, or the offset at which a piece of its reply begins. */
  readonly what: Bytes | number;
}

export class ScriptExchange {
  readonly #memory: LinkMemory;
  readonly #word: number;
  readonly #data: number;

  constructor(memory: LinkMemory, at: number) {
    this.#memory = memory;
    this.#word = at >> 2;
    this.#data = at + HEADER_BYTES;
  }

  // For the host.

  /** True for a frame that there is room for. */
  fits(frame: Bytes): boolean {
    return frame.length <= DATA_BYTES;
  }

  /** Has a shard run the command of a frame, or give a piece of its reply; to be looked for by `isAnswered`. */
  request(request: ExchangeRequest): void {
    const { host, target, run, what } = request;
    const { words, bytes } = this.#memory;
    if (typeof what !== 'number') copyBytes(what, 0, bytes, this.#data, what.length);
    words[this.#word + HOST] = host;
    words[this.#word + RUN] = run;
    words[this.#word + WANTED] = typeof what === 'number' ? what : 0;
    Atomics.store(words, this.#word + TURN, target + 1);
  }

  /** Freezes time for a run on all shards; called before the first request to another shard. */
  holdTime(run: number, nowMs: number): void {
    const { words } = this.#memory;
    words[this.#word + SECONDS] = Math.floor(nowMs / 1_000);
    words[this.#word + MILLIS] = nowMs % 1_000;
    words[this.#word + TIME_RUN] = run;
  }

  get isAnswered(): boolean {
    return Atomics.load(this.#memory.words, this.#word + TURN) === 0;
  }

  /** Bytes of the whole reply; -1 when the command was not run, since it has to go by way of main. */
  get total(): number {
    return this.#memory.words[this.#word + TOTAL]!;
  }

  /** Copies the piece that is there to its offset in the reply; returns where the next begins. */
  takePiece(reply: Bytes, offset: number): number {
    const length = Math.min(reply.length - offset, DATA_BYTES);
    copyBytes(this.#memory.bytes, this.#data, reply, offset, length);
    return offset + length;
  }

  // For a target.

  /** True when a shard is to act for a run. */
  isFor(shard: number, run: number): boolean {
    const { words } = this.#memory;
    return Atomics.load(words, this.#word + TURN) === shard + 1 && words[this.#word + RUN] === run;
  }

  /** Frozen time of a run in Unix milliseconds; undefined before the first request of its script. */
  heldTime(run: number): number | undefined {
    const { words } = this.#memory;
    if (words[this.#word + TIME_RUN] !== run) return undefined;
    return words[this.#word + SECONDS]! * 1_000 + words[this.#word + MILLIS]!;
  }

  /** Shard that runs the script. */
  get host(): number {
    return this.#memory.words[this.#word + HOST]!;
  }

  /** Offset of the piece that is asked for; 0 when a command is to be run. */
  get wanted(): number {
    return this.#memory.words[this.#word + WANTED]!;
  }

  /** Frame of the command, in its own memory. */
  takeFrame(): Uint8Array<ArrayBuffer> {
    const { bytes, words } = this.#memory;
    return Uint8Array.from(bytes.subarray(this.#data, this.#data + words[this.#data >> 2]!));
  }

  /** Writes the piece of a reply that begins at an offset; the host sees it after `end`. */
  write(reply: Bytes, offset: number): void {
    const length = Math.min(reply.length - offset, DATA_BYTES);
    copyBytes(reply, offset, this.#memory.bytes, this.#data, length);
    this.#memory.words[this.#word + TOTAL] = reply.length;
  }

  /** True for a reply that is one piece. */
  isWhole(reply: Bytes): boolean {
    return reply.length <= DATA_BYTES;
  }

  /** Says that the command has to go by way of main; the host sees it after `end`. */
  refuse(): void {
    this.#memory.words[this.#word + TOTAL] = REFUSED;
  }

  end(): void {
    Atomics.store(this.#memory.words, this.#word + TURN, 0);
  }
}
