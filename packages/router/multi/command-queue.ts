/**
 * Commands that a client has queued since MULTI, as the frames in which EXEC sends them: a PING takes 48 bytes.
 * Their memory comes in pieces, so that a queue that grows copies nothing and leaves nothing behind.
 *
 *   exec payload   HOST_WORDS words, filled in by EXEC, then the commands
 *   command        a `command` frame: header, spans, arguments; flags, database and connection are EXEC's
 */

import type { Bytes } from '#base';
import { type Arguments, type CommandEntry, commandTable } from '#commands';
import {
  DATABASE_SHIFT,
  frameBytes,
  FrameKind,
  HOST_WORDS,
  Request,
  REQUEST_HEADER_BYTES,
} from '#link';
import type { CommandBytes } from '#resp';

/** The first piece of a queue's memory has this size, each following one twice the size of the last, up to the largest. */
const PIECE_BYTES_MIN = 512;
const PIECE_BYTES_MAX = 128 * 1024;
/** Arguments of commands up to this length are copied one by one, without what RESP puts between them. */
const SHORT_BYTES = 128;
/** Longest queue: sizes in frames are 31 bits. */
export const QUEUE_BYTES_MAX = 2 ** 31 - 1024;

const PAYLOAD_START = 4 * HOST_WORDS;

/** A command in its own memory, or in that of its queue. */
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
  /** True when a command writes directly, not only through a script or a message. */
  writes = false;
  deniesOom = false;
  /** True when a command may not be answered from data that may be old. */
  deniesStale = false;
  /** True when a command is run by shards. */
  needsShards = false;
  /** True when a command runs a script. */
  hasScripts = false;
  /** True when every command can run on one shard with copies of its keys; otherwise shards must stop. */
  isForOneShard = true;
  /** True when every command reads from shards, names all its keys, and waits for nothing. */
  onlyReads = true;
  readonly #pieces: Piece[] = [];
  #memoryBytes = 0;
  #payloadBytes = PAYLOAD_START;

  /** Memory that the queue takes. */
  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  /** Length of the exec frame's payload. */
  get payloadBytes(): number {
    return this.#payloadBytes;
  }

  add(entry: CommandEntry, command: CommandBytes): void {
    const { count } = command;
    const isShort = command.length <= SHORT_BYTES;
    const length = isShort ? argumentBytes(command) : command.length;
    const size = innerBytes(count, length);
    let piece = this.#pieces.at(-1);
    if (piece === undefined || piece.end + size > piece.bytes.length) piece = this.#addPiece(size);
    const { words } = piece;
    const word = piece.end >> 2;
    words.fill(0, word, word + Request.spans);
    words[word + Request.bytes] = size;
    words[word + Request.command] = entry.id;
    words[word + Request.argumentCount] = count;
    words[word + Request.bodyBytes] = length;
    if (isShort) copyArguments(piece, word + Request.spans, command);
    else copyWhole(piece, word + Request.spans, command);
    piece.end += size;
    this.#payloadBytes += size;
    this.count += 1;
    this.#note(entry);
  }

  #addPiece(size: number): Piece {
    const before = this.#pieces.at(-1);
    const start = before === undefined ? PAYLOAD_START : 0;
    const twice = 2 * (before?.bytes.length ?? 0);
    const byteCount = Math.max(
      start + size,
      Math.min(PIECE_BYTES_MAX, Math.max(PIECE_BYTES_MIN, twice)),
    );
    const bytes = Buffer.allocUnsafeSlow(frameBytes(byteCount));
    const piece = { bytes, words: new Int32Array(bytes.buffer), start, end: start };
    this.#pieces.push(piece);
    this.#memoryBytes += bytes.length;
    return piece;
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
    for (const { bytes, words, start, end } of this.#pieces) {
      for (let at = start; at < end; at += words[at >> 2]!) {
        const word = at >> 2;
        const count = words[word + Request.argumentCount]!;
        const entry = commandTable.entries[words[word + Request.command]!]!;
        const spansAt = word + Request.spans;
        const first = entry.container === undefined ? 1 : 2;
        args.point(bytes, (spansAt + 2 * count) << 2, words, spansAt, count, first);
        yield entry;
      }
    }
  }

  /** Commands one after the other. */
  *commands(): Generator<QueuedCommand, undefined> {
    for (const { bytes, words, start, end } of this.#pieces) {
      for (let at = start; at < end; at += words[at >> 2]!) {
        const word = at >> 2;
        const count = words[word + Request.argumentCount]!;
        const spansAt = word + Request.spans;
        const command = {
          source: bytes,
          at: (spansAt + 2 * count) << 2,
          length: words[word + Request.bodyBytes]!,
          spans: words.subarray(spansAt, spansAt + 2 * count),
          count,
        };
        yield { entry: commandTable.entries[words[word + Request.command]!]!, command };
      }
    }
    return undefined;
  }

  /** Completes the payload of an exec frame, valid as long as the queue. */
  payload({ flags, database, connection, transaction, lenders }: ExecHead): Bytes {
    const [first = this.#addPiece(0)] = this.#pieces;
    first.words[0] = transaction;
    first.words[1] = lenders;
    const kind = FrameKind.command | flags | (database << DATABASE_SHIFT);
    for (const { words, start, end } of this.#pieces) {
      for (let at = start; at < end; at += words[at >> 2]!) {
        words[(at >> 2) + Request.kind] = kind;
        words[(at >> 2) + Request.connection] = connection;
      }
    }
    const used = this.#pieces.map(({ bytes, end }) => bytes.subarray(0, end));
    return used.length === 1 ? used[0]! : Buffer.concat(used, this.#payloadBytes);
  }
}

/** Memory of some commands, each of them whole. */
interface Piece {
  readonly bytes: Bytes;
  readonly words: Int32Array;
  /** Range of `bytes` that holds commands. */
  readonly start: number;
  end: number;
}

/** Copies the arguments of a command, and their places, behind the head of its frame. */
function copyArguments({ bytes, words }: Piece, spansAt: number, command: CommandBytes): void {
  const { source, at, spans, count } = command;
  const bodyAt = (spansAt + 2 * count) << 2;
  let length = 0;
  for (let index = 0; index < 2 * count; index += 2) {
    const from = at + spans[index]!;
    const argumentLength = spans[index + 1]!;
    words[spansAt + index] = length;
    words[spansAt + index + 1] = argumentLength;
    const to = bodyAt + length;
    for (let nth = 0; nth < argumentLength; nth += 1) bytes[to + nth] = source[from + nth]!;
    length += argumentLength;
  }
}

/** Copies a long command including the bytes between its arguments. */
function copyWhole({ bytes, words }: Piece, spansAt: number, command: CommandBytes): void {
  const { source, at, length, spans, count } = command;
  for (let index = 0; index < 2 * count; index += 1) words[spansAt + index] = spans[index]!;
  bytes.set(source.subarray(at, at + length), (spansAt + 2 * count) << 2);
}

function argumentBytes({ spans, count }: CommandBytes): number {
  let bytes = 0;
  for (let nth = 0; nth < count; nth += 1) bytes += spans[2 * nth + 1]!;
  return bytes;
}

/** Points `args` at a queued command, after the name of its subcommand, if any. */
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
