/**
 * Commands that a client has queued since MULTI, as the frames in which EXEC sends them: a PING takes 48 bytes.
 *
 *   exec payload   HOST_WORDS words, filled in by EXEC, then the commands
 *   command        a `command` frame: header, spans, arguments; flags, database and connection are EXEC's
 */

import type { Bytes } from '#base';
import { commandTable, type Arguments, type CommandEntry } from '#commands';
import {
  DATABASE_SHIFT,
  frameBytes,
  FrameKind,
  HOST_WORDS,
  Request,
  REQUEST_HEADER_BYTES,
} from '#link';
import type { CommandBytes } from '#resp';

/** Memory of a queue begins with this and doubles. */
const BYTES_MIN = 512;
/** Longest queue: sizes in frames are 31 bits. */
export const QUEUE_BYTES_MAX = 2 ** 31 - 1024;

const PAYLOAD_START = 4 * HOST_WORDS;

/** A command in memory of its own, or of its queue. */
export interface QueuedCommand {
  readonly entry: CommandEntry;
  readonly command: CommandBytes;
}

/** Values that EXEC adds to the commands. */
interface ExecHead {
  readonly flags: number;
  readonly database: number;
  readonly connection: number;
  readonly transaction: number;
  readonly lenders: number;
}

export class CommandQueue {
  count = 0;
  hasWrites = false;
  /** True when a command writes by itself, and not only where a script or a message does. */
  writes = false;
  deniesOom = false;
  /** True when a command may not be answered from data that may be old. */
  deniesStale = false;
  /** True when a command is run by shards. */
  needsShards = false;
  /** True when a command runs a script. */
  hasScripts = false;
  /** True when every command can run inside a shard with copies of its keys; else shards must stand still. */
  isForOneShard = true;
  /** True when every command reads from shards, names all its keys, and waits for nothing. */
  onlyReads = true;
  #bytes = new Uint8Array(0);
  #words = new Int32Array(0);
  #end = PAYLOAD_START;

  /** Memory that the queue takes. */
  get memoryBytes(): number {
    return this.#bytes.length;
  }

  /** Length of the exec frame's payload. */
  get payloadBytes(): number {
    return this.#end;
  }

  add(entry: CommandEntry, { source, at, length, spans, count }: CommandBytes): void {
    const size = innerBytes(count, length);
    if (this.#end + size > this.#bytes.length) this.#grow(this.#end + size);
    const words = this.#words;
    const word = this.#end >> 2;
    words[word + Request.bytes] = size;
    words[word + Request.command] = entry.id;
    words[word + Request.argumentCount] = count;
    words[word + Request.bodyBytes] = length;
    const spansAt = word + Request.spans;
    for (let index = 0; index < 2 * count; index += 1) words[spansAt + index] = spans[index]!;
    this.#bytes.set(source.subarray(at, at + length), (spansAt + 2 * count) << 2);
    this.#end += size;
    this.count += 1;
    this.#note(entry);
  }

  #note(entry: CommandEntry): void {
    const { route } = entry;
    this.writes ||= entry.isWrite;
    this.hasWrites ||= entry.isWrite || entry.has('may_replicate');
    this.deniesOom ||= entry.deniesOom;
    this.deniesStale ||= !entry.has('stale');
    this.needsShards ||= route !== 'onMain';
    this.hasScripts ||= entry.script !== undefined;
    this.isForOneShard &&=
      entry.hasKeys && entry.otherKeys === undefined && (route === 'byKey' || route === 'oneShard');
    this.onlyReads &&= isPlainRead(entry);
  }

  /** Points `args` at each command in turn. */
  *pointAtEach(args: Arguments): Iterable<CommandEntry> {
    for (let at = PAYLOAD_START; at < this.#end; at += this.#words[at >> 2]!) {
      const word = at >> 2;
      const count = this.#words[word + Request.argumentCount]!;
      const entry = commandTable.entries[this.#words[word + Request.command]!]!;
      const spansAt = word + Request.spans;
      const first = entry.container === undefined ? 1 : 2;
      args.point(this.#bytes, (spansAt + 2 * count) << 2, this.#words, spansAt, count, first);
      yield entry;
    }
  }

  /** Commands one after the other. */
  *commands(): Generator<QueuedCommand, undefined> {
    for (let at = PAYLOAD_START; at < this.#end; at += this.#words[at >> 2]!) {
      const word = at >> 2;
      const count = this.#words[word + Request.argumentCount]!;
      const spansAt = word + Request.spans;
      const command = {
        source: this.#bytes,
        at: (spansAt + 2 * count) << 2,
        length: this.#words[word + Request.bodyBytes]!,
        spans: this.#words.subarray(spansAt, spansAt + 2 * count),
        count,
      };
      yield { entry: commandTable.entries[this.#words[word + Request.command]!]!, command };
    }
    return undefined;
  }

  /** Completes the payload of an exec frame, valid as long as the queue. */
  payload({ flags, database, connection, transaction, lenders }: ExecHead): Bytes {
    if (this.count === 0) this.#grow(PAYLOAD_START);
    const words = this.#words;
    words[0] = transaction;
    words[1] = lenders;
    const kind = FrameKind.command | flags | (database << DATABASE_SHIFT);
    for (let at = PAYLOAD_START; at < this.#end; at += words[at >> 2]!) {
      words[(at >> 2) + Request.kind] = kind;
      words[(at >> 2) + Request.connection] = connection;
    }
    return this.#bytes.subarray(0, this.#end);
  }

  #grow(byteCount: number): void {
    const size = Math.max(BYTES_MIN, byteCount, Math.min(2 * this.#bytes.length, QUEUE_BYTES_MAX));
    const larger = new Uint8Array(frameBytes(size));
    larger.set(this.#bytes.subarray(0, this.#end));
    this.#bytes = larger;
    this.#words = new Int32Array(larger.buffer);
  }
}

/** Points `args` at a queued command: behind its subcommand's name, where it has one. */
export function pointAt(args: Arguments, entry: CommandEntry, command: CommandBytes): void {
  const first = entry.container === undefined ? 1 : 2;
  args.point(command.source, command.at, command.spans, 0, command.count, first);
}

function innerBytes(count: number, length: number): number {
  return frameBytes(REQUEST_HEADER_BYTES + 8 * count + length);
}

/** True for a command that reads from shards, names all its keys, and waits for nothing. */
function isPlainRead(entry: CommandEntry): boolean {
  const isPlain = entry.otherKeys === undefined && entry.script === undefined;
  return isPlain && entry.has('readonly') && !entry.mayWait && entry.route !== 'onMain';
}
