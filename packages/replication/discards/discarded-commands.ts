/** Commands of a part of the stream of replication that is discarded: counted, listed, and put together to be run again. */

import { type Bytes, latin1 } from '#base';
import { Arguments, commandTable, findKeys } from '#commands';
import { commandBytes, CommandParser, ParsedCommand, ParseStatus } from '#resp';

/** Keys that are listed; more are counted. */
const KEYS_MAX = 1_000;
/** Longest part of a key that is listed. */
const KEY_CHARS_MAX = 256;
/** Places at which a command may begin that are tried, where the beginning of the part is within one. */
const BEGINNINGS_MAX = 10_000;
/** Bytes that are looked at before others of this thread have their turn. */
const SLICE_BYTES = 1024 * 1024;

/** Commands of the stream that change no data, and are not run again. */
const LEFT_OUT = new Set(['PING', 'REPLCONF', 'PUBLISH', 'SPUBLISH']);
/** Commands that are run again, and are no writes by themselves. */
const NO_WRITES = new Set(['SELECT', 'MULTI', 'EXEC']);

const STAR = 0x2a;

export interface DiscardedCommands {
  /** Writes, those within transactions one by one. */
  readonly writes: number;
  /** Writes by the names of their commands. */
  readonly byName: Readonly<Record<string, number>>;
  /** Keys that were written, the first of them; each once. */
  readonly keys: readonly string[];
  /** Keys that are not listed; one that is written twice counts twice. */
  readonly keysLeftOff: number;
  /** Bytes of commands that can be run again, as in the stream, after a SELECT if the database is known. */
  readonly replay: readonly Bytes[];
  /** Bytes at the beginning that are the rest of a command, and at the end that are no whole one. */
  readonly skippedBytes: number;
  readonly cutBytes: number;
}

/** Part of a stream that is looked at. */
interface Part {
  readonly bytes: Bytes;
  /** True when a command begins with the first byte. */
  readonly beginsWhole: boolean;
  /** Database that the part begins in, and the one that it ends in. */
  readonly database: number | undefined;
  readonly lastDatabase: number | undefined;
}

/** Reads the commands of a part of the stream, slice by slice. */
export async function readDiscarded({
  bytes,
  beginsWhole,
  database,
  lastDatabase,
}: Part): Promise<DiscardedCommands> {
  const beginning = beginsWhole ? 0 : firstCommand(bytes);
  const reader = new DiscardReader(bytes);
  const replay: Bytes[] = [];
  let at = beginning;
  let from = at;
  let sliceEnd = at + SLICE_BYTES;
  for (;;) {
    const next = reader.read(at);
    if (next === undefined) break;
    if (next.isLeftOut) {
      if (at > from) replay.push(bytes.subarray(from, at));
      from = next.end;
    }
    at = next.end;
    if (at < sliceEnd) continue;
    sliceEnd = at + SLICE_BYTES;
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (at > from) replay.push(bytes.subarray(from, at));
  const { writes, byName, keys, keysLeftOff } = reader;
  // One that is never changed is that of the end.
  const first = database ?? (reader.hasSelected ? undefined : lastDatabase);
  if (first !== undefined) replay.unshift(commandBytes(['SELECT', String(first)]));
  return {
    writes,
    byName: Object.fromEntries(byName),
    keys: [...keys],
    keysLeftOff,
    replay,
    skippedBytes: beginning,
    cutBytes: bytes.length - at,
  };
}

/** Reads one command after the other, and keeps count. */
class DiscardReader {
  writes = 0;
  readonly byName = new Map<string, number>();
  readonly keys = new Set<string>();
  keysLeftOff = 0;
  /** A SELECT was among the commands. */
  hasSelected = false;
  readonly #bytes: Bytes;
  readonly #command = new ParsedCommand();
  readonly #parser = new CommandParser(this.#command, { bulkBytesMax: 2 ** 31 - 1 });
  readonly #args = new Arguments();

  constructor(bytes: Bytes) {
    this.#bytes = bytes;
  }

  /** Reads the command that begins at an offset; undefined where no whole one does. */
  read(at: number): { readonly end: number; readonly isLeftOut: boolean } | undefined {
    const bytes = this.#bytes;
    if (at >= bytes.length || bytes[at] !== STAR) return undefined;
    if (this.#parser.next(bytes, at, bytes.length) !== ParseStatus.complete) return undefined;
    const end = at + this.#parser.consumed;
    const { spans, count } = this.#command;
    if (count === 0) return undefined;
    const args = this.#args;
    args.point(bytes, at, spans, 0, count);
    const name = args.latin1(0).toUpperCase();
    if (LEFT_OUT.has(name)) return { end, isLeftOut: true };
    if (name === 'SELECT') this.hasSelected = true;
    if (!NO_WRITES.has(name)) this.#count(name);
    return { end, isLeftOut: false };
  }

  #count(name: string): void {
    this.writes += 1;
    this.byName.set(name, (this.byName.get(name) ?? 0) + 1);
    const entry = commandTable.byName(name);
    if (entry === undefined) return;
    for (const { index } of findKeys(entry.command.keys, this.#args) ?? []) {
      const key = this.#args.latin1(index).slice(0, KEY_CHARS_MAX);
      if (this.keys.has(key)) continue;
      if (this.keys.size < KEYS_MAX) this.keys.add(key);
      else this.keysLeftOff += 1;
    }
  }
}

/**
 * Returns the offset of the first complete command in bytes that start anywhere: from it, complete commands follow up
 * to the end.
 */
function firstCommand(bytes: Bytes): number {
  const command = new ParsedCommand();
  let tries = 0;
  for (let at = bytes.indexOf(STAR); at >= 0; at = bytes.indexOf(STAR, at + 1)) {
    tries += 1;
    if (tries > BEGINNINGS_MAX) break;
    if (isCommandHead(bytes, at) && isWholeFrom(bytes, at, command)) return at;
  }
  return bytes.length;
}

function isCommandHead(bytes: Bytes, at: number): boolean {
  return /^\*\d{1,7}\r\n\$\d{1,10}\r\n/.test(latin1(bytes, at, Math.min(32, bytes.length - at)));
}

function isWholeFrom(bytes: Bytes, begin: number, command: ParsedCommand): boolean {
  const parser = new CommandParser(command, { bulkBytesMax: 2 ** 31 - 1 });
  let at = begin;
  while (at < bytes.length) {
    if (bytes[at] !== STAR || parser.next(bytes, at, bytes.length) !== ParseStatus.complete) {
      return false;
    }
    at += parser.consumed;
  }
  return true;
}
