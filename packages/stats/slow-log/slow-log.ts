/**
 * The slow commands of one thread, the newest of them; or those with a large request, or a large reply.
 *
 * Ids come from one counter of the process, and each belongs to one entry. So the merged log is what has an
 * id within the last `lengthMax`: no thread need know of another's entries. A batch of entries takes its ids together:
 * threads that log everything would else contend for the counter with every command.
 */

import { type Bytes, unreachable } from '#base';
import { KeptArguments, type ArgumentBytes } from './kept-arguments.ts';

/** Client that sent a command, as it was then. */
export interface SlowClient {
  readonly id: number;
  readonly address: string;
  readonly name: string;
  readonly user: string;
}

/** Execution of a command, as the slow log reports it. */
export interface SlowCommand {
  /** End of the execution, in Unix milliseconds. */
  readonly unixMs: number;
  readonly executeUs: number;
  readonly queueUs: number;
  /** Microseconds for which its reply waited for the disk. */
  readonly durableUs: number;
  /** Microseconds for which it waited for values of the warm tier, which are in neither of the others. */
  readonly fetchUs?: number;
  /** Bytes of its request, or of its reply, in the log of large ones. */
  readonly bytes?: number;
  readonly database: number;
  readonly client: SlowClient;
}

/** An entry as reports show it. */
export interface SlowEntry extends SlowCommand {
  readonly fetchUs: number;
  /** Size in a log of large requests or replies; 0 in the slow log. */
  readonly bytes: number;
  readonly id: number;
  /** -1 for main. */
  readonly shard: number;
  /** The command's name and arguments; long ones are shortened, secrets are omitted. */
  readonly args: readonly Bytes[];
}

/** Place of a command that was copied. */
const COPIED = -1;

/** A command in the request ring. */
export interface RawCommand {
  place: number;
  /** Position in the stream of all bytes of the ring, wrapping at 2^32. */
  position: number;
  /** Number of its arguments, its name included. */
  count: number;
  database: number;
  client: SlowClient;
}

/** Memory in which commands lie as they came, for a while. */
export interface RawCommands {
  /** True when the command at a position must be copied now. */
  isGoing(position: number): boolean;
  argumentsAt(place: number, count: number): ArgumentBytes;
}

const NO_SECRETS: readonly number[] = [];

/** Numbers of an entry's row in `times`, in the order of its fields. */
const UNIX_MS = 0;
const EXECUTE_US = 1;
const QUEUE_US = 2;
const DURABLE_US = 3;
const ID = 4;
const FETCH_US = 5;
const BYTES = 6;
const TIMES = 7;

/** Numbers of an entry's row in `facts`. */
const DATABASE = 0;
const PLACE = 1;
const POSITION = 2;
const COUNT = 3;
const DETAIL_FIELDS = 4;

/** Entries that there is room for from the beginning. */
const ROOM_MIN = 64;

interface SlowLogSettings {
  /** Microseconds, or bytes, from which on commands are logged; -1 logs nothing. */
  readonly threshold: number;
  readonly lengthMax: number;
  readonly argumentBytesMax: number;
}

/**
 * Entries are numbered in the order in which they come, by int32s that wrap, and each lies at its number modulo the room:
 * the oldest is written over without being looked at. With a limit of 0 every command is slow: so an entry is numbers in
 * two rows, and its arguments stay where they came until they have to go.
 */
export class SlowLog {
  /** Duration from which on commands are logged, in microseconds, or size in bytes; infinite if none is. */
  threshold = Infinity;
  argumentBytesMax = 0;
  readonly #shard: number;
  readonly #takeIds: (count: number) => number;
  readonly #raw: RawCommands | undefined;
  /** Number of entries that are kept. */
  lengthMax = 0;
  /** Room for entries less one; the room is a power of two. */
  #mask = 0;
  #times = new Float64Array(0);
  #details = new Int32Array(0);
  #clients: (SlowClient | undefined)[] = [];
  #copies: (KeptArguments | undefined)[] = [];
  /** Number of the next entry. */
  #end = 0;
  /** Entries before it are forgotten. */
  #floor = 0;
  /** Entries from it on have no id yet. */
  #numbered = 0;
  /** Arguments of entries before it were copied. */
  #copied = 0;
  /** Number of the entry that there may be no room for. */
  #roomEnd = 0;

  /** `takeIds` returns the first of `count` consecutive ids. */
  constructor(shard: number, takeIds: (count: number) => number, raw?: RawCommands) {
    this.#shard = shard;
    this.#takeIds = takeIds;
    this.#raw = raw;
    this.#resize(ROOM_MIN);
  }

  configure({ threshold, lengthMax, argumentBytesMax }: SlowLogSettings): void {
    // As in Redis, a log without room is off.
    this.threshold = threshold < 0 || lengthMax === 0 ? Infinity : threshold;
    if (argumentBytesMax !== this.argumentBytesMax) {
      // Each is shortened as the setting was when it came.
      this.#skipForgotten();
      while (this.#copied !== this.#end) this.#copyNext();
      this.argumentBytesMax = argumentBytesMax;
    }
    if (lengthMax === this.lengthMax) return;
    this.number();
    this.lengthMax = lengthMax;
    this.#floor = this.#first;
    this.#resize(2 ** Math.ceil(Math.log2(Math.max(this.#kept, ROOM_MIN))));
  }

  get isOn(): boolean {
    return this.threshold < Infinity;
  }

  /** Logs a command whose arguments were kept before; they stay the caller's. */
  add(command: SlowCommand, args: KeptArguments): void {
    // It may have been switched off while the command was under way.
    if (!this.isOn) return;
    const nth = this.#addCopied(command);
    (this.#copies[nth & this.#mask] ??= new KeptArguments()).keepAll(args);
    this.number();
  }

  /** Logs a command, of whose arguments the secret ones are left out; answers the number of its entry. */
  log(command: SlowCommand, args: ArgumentBytes, secrets: readonly number[]): number {
    const nth = this.#addCopied(command);
    this.#copy(nth, args, secrets);
    return nth;
  }

  /** Logs a command that lies in raw memory and has no secrets; answers the number of its entry. */
  note(command: RawCommand, unixMs: number, executeUs: number, queueUs: number): number {
    const nth = this.#next();
    const [times, details] = [this.#times, this.#details];
    const at = (nth & this.#mask) * TIMES;
    times[at + UNIX_MS] = unixMs;
    times[at + EXECUTE_US] = executeUs;
    times[at + QUEUE_US] = queueUs;
    times[at + DURABLE_US] = 0;
    times[at + FETCH_US] = 0;
    times[at + BYTES] = 0;
    const detailsAt = (nth & this.#mask) * DETAIL_FIELDS;
    details[detailsAt + DATABASE] = command.database;
    details[detailsAt + PLACE] = command.place;
    details[detailsAt + POSITION] = command.position;
    details[detailsAt + COUNT] = command.count;
    this.#clients[nth & this.#mask] = command.client;
    return nth;
  }

  /** Skips `count` entries that would not be kept: as many as the log holds come after them. */
  pass(count: number): void {
    this.#end = (this.#end + count) | 0;
    this.#floor = this.#end;
    this.#resize(this.#mask + 1);
  }

  /** Sets for how long a command has waited for the disk, if its entry is still there. */
  setDurable(nth: number, us: number): void {
    if (distance(nth, this.#end) > this.#kept) return;
    this.#times[(nth & this.#mask) * TIMES + DURABLE_US] = us;
  }

  /** Copies the arguments of commands that do not stay where they are. */
  settle(): void {
    const raw = this.#raw;
    if (raw === undefined) return;
    this.#skipForgotten();
    while (this.#copied !== this.#end) {
      const at = (this.#copied & this.#mask) * DETAIL_FIELDS;
      if (this.#details[at + PLACE] !== COPIED && !raw.isGoing(this.#details[at + POSITION]!))
        return;
      this.#copyNext();
    }
  }

  /** Gives the entries since the last call their ids. */
  number(): void {
    const count = distance(this.#numbered, this.#end);
    if (count === 0) return;
    const endId = this.#takeIds(count) + count;
    this.#numbered = this.#end;
    this.#floor = this.#first;
    if (this.#raw === undefined) this.#copied = this.#end;
    const withId = Math.min(count, this.#kept);
    for (let back = 1; back <= withId; back += 1) {
      this.#times[((this.#end - back) & this.#mask) * TIMES + ID] = endId - back;
    }
  }

  /** The newest `count` entries with an id of at least `fromId`, newest first. */
  newest(fromId: number, count: number): readonly SlowEntry[] {
    this.number();
    const entries: SlowEntry[] = [];
    const most = Math.min(this.#kept, count);
    for (let back = 1; back <= most; back += 1) {
      const entry = this.#shown(this.#end - back);
      if (entry.id < fromId) break;
      entries.push(entry);
    }
    return entries;
  }

  /** Forgets the entries with a lower id. */
  reset(beforeId: number): void {
    this.number();
    this.#floor = this.#first;
    while (this.#floor !== this.#end && this.#idOf(this.#floor) < beforeId) {
      this.#floor = (this.#floor + 1) | 0;
    }
  }

  /** Number of entries that are shown. */
  get #kept(): number {
    return Math.min(distance(this.#floor, this.#end), this.lengthMax);
  }

  /** Number of the oldest entry that is shown. */
  get #first(): number {
    return (this.#end - this.#kept) | 0;
  }

  #idOf(nth: number): number {
    return this.#times[(nth & this.#mask) * TIMES + ID]!;
  }

  #next(): number {
    const nth = this.#end;
    if (nth === this.#roomEnd) this.#makeRoom();
    this.#end = (nth + 1) | 0;
    return nth;
  }

  #addCopied({ unixMs, executeUs, queueUs, durableUs, ...rest }: SlowCommand): number {
    const { fetchUs = 0, bytes = 0, database, client } = rest;
    const nth = this.#next();
    const place = nth & this.#mask;
    this.#times.set([unixMs, executeUs, queueUs, durableUs], place * TIMES);
    this.#times[place * TIMES + FETCH_US] = fetchUs;
    this.#times[place * TIMES + BYTES] = bytes;
    this.#details.set([database, COPIED], place * DETAIL_FIELDS);
    this.#clients[place] = client;
    return nth;
  }

  #makeRoom(): void {
    this.#floor = this.#first;
    const room = this.#mask + 1;
    this.#resize(this.#kept === room && room < this.lengthMax ? 2 * room : room);
  }

  /** Makes room for a number of entries, a power of two. */
  #resize(room: number): void {
    const [times, details, mask] = [this.#times, this.#details, this.#mask];
    const [clients, copies] = [this.#clients, this.#copies];
    this.#mask = room - 1;
    // With room for all that may be, the oldest is written over, and this is asked again after 2^32 entries.
    this.#roomEnd = (room < this.lengthMax ? this.#floor + room : this.#end - 1) | 0;
    if (room === clients.length) return;
    this.#times = new Float64Array(room * TIMES);
    this.#details = new Int32Array(room * DETAIL_FIELDS);
    this.#clients = new Array<SlowClient | undefined>(room).fill(undefined);
    this.#copies = new Array<KeptArguments | undefined>(room).fill(undefined);
    for (let nth = this.#first; nth !== this.#end; nth = (nth + 1) | 0) {
      const [from, to] = [nth & mask, nth & this.#mask];
      this.#times.set(times.subarray(from * TIMES, (from + 1) * TIMES), to * TIMES);
      this.#details.set(
        details.subarray(from * DETAIL_FIELDS, (from + 1) * DETAIL_FIELDS),
        to * DETAIL_FIELDS,
      );
      this.#clients[to] = clients[from];
      this.#copies[to] = copies[from];
    }
  }

  #skipForgotten(): void {
    if (distance(this.#copied, this.#end) > this.#kept) this.#copied = this.#first;
  }

  #copyNext(): void {
    const nth = this.#copied;
    this.#copied = (nth + 1) | 0;
    const at = (nth & this.#mask) * DETAIL_FIELDS;
    const place = this.#details[at + PLACE]!;
    if (place === COPIED) return;
    this.#copy(nth, this.#read(at), NO_SECRETS);
    this.#details[at + PLACE] = COPIED;
  }

  #copy(nth: number, args: ArgumentBytes, secrets: readonly number[]): void {
    const copy = (this.#copies[nth & this.#mask] ??= new KeptArguments());
    copy.keep(args, secrets, this.argumentBytesMax);
  }

  /** Arguments that lie as they came, of the entry with its facts there. */
  #read(at: number): ArgumentBytes {
    const raw = this.#raw ?? unreachable('what was not copied lies somewhere');
    return raw.argumentsAt(this.#details[at + PLACE]!, this.#details[at + COUNT]!);
  }

  #shown(nth: number): SlowEntry {
    const place = nth & this.#mask;
    const at = place * TIMES;
    const times = this.#times.subarray(at, at + TIMES);
    const [unixMs = 0, executeUs = 0, queueUs = 0, durableUs = 0, id = 0] = times;
    return {
      id,
      shard: this.#shard,
      unixMs,
      executeUs,
      queueUs,
      durableUs,
      fetchUs: times[FETCH_US]!,
      bytes: times[BYTES]!,
      database: this.#details[place * DETAIL_FIELDS + DATABASE]!,
      client: this.#clients[place] ?? unreachable('an entry is of a client'),
      args: this.#argumentsOf(place).shown,
    };
  }

  #argumentsOf(place: number): KeptArguments {
    const at = place * DETAIL_FIELDS;
    if (this.#details[at + PLACE] !== COPIED) {
      return new KeptArguments().keep(this.#read(at), NO_SECRETS, this.argumentBytesMax);
    }
    return this.#copies[place] ?? unreachable('what does not lie as it came was copied');
  }
}

/** Returns the number of entries from `from` up to `to`; both wrap. */
function distance(from: number, to: number): number {
  return (to - from) | 0;
}
