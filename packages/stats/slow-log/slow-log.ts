/**
 * The slow commands of one thread, the newest of them.
 *
 * Ids come from one counter of the process, and each belongs to one entry. So the merged log is what has an
 * id within the last `lengthMax`: no thread need know of another's entries. A batch of entries takes its ids together:
 * threads that log everything would else contend for the counter with every command.
 */

import { unreachable, type Bytes } from '#base';
import { KeptArguments, type ArgumentBytes } from './kept-arguments.ts';
import { shardCall } from '../shard-calls.ts';

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
  /** Until it was on disk. */
  readonly durableUs: number;
  readonly database: number;
  readonly client: SlowClient;
}

/** An entry as reports show it. */
export interface SlowEntry extends SlowCommand {
  readonly id: number;
  /** -1 for main. */
  readonly shard: number;
  /** The command's name first; long ones shortened, secrets left out. */
  readonly args: readonly Bytes[];
}

/** An entry as it is kept: one object for each place, filled anew, so that a log of everything makes no garbage. */
export class KeptCommand {
  /** Slot for its raw arguments; -1 without one. */
  readonly slot: number;
  isRaw = false;
  /** As the setting was when raw arguments were kept: they are shortened when they are shown. */
  argumentBytesMax = 0;
  id = 0;
  unixMs = 0.5;
  executeUs = 0.5;
  queueUs = 0.5;
  durableUs = 0;
  database = 0;
  client: SlowClient | undefined;
  args = new KeptArguments();

  constructor(slot: number) {
    this.slot = slot;
  }
}

/** Memory for the arguments of commands as they came. */
export interface RawArguments<Args extends ArgumentBytes = ArgumentBytes> {
  readonly slots: number;
  /** False when they have no room in a slot, or cannot be taken as they are. */
  keep(slot: number, args: Args): boolean;
  read(slot: number): ArgumentBytes;
}

const NO_SECRETS: readonly number[] = [];

interface SlowLogSettings {
  /** -1 logs nothing. */
  readonly slowerThanUs: number;
  readonly lengthMax: number;
  readonly argumentBytesMax: number;
}

/** The newest `count` entries with an id of at least `fromId`. */
export const slowEntriesCall = shardCall<
  { readonly fromId: number; readonly count: number },
  readonly SlowEntry[]
>('slow-entries');

/** Forgets the entries with a lower id. */
export const slowResetCall = shardCall<{ readonly beforeId: number }, null>('slow-reset');

export class SlowLog<Args extends ArgumentBytes = ArgumentBytes> {
  /** Commands that took at least so long are logged; infinite when none is. */
  slowerThanUs = Infinity;
  argumentBytesMax = 0;
  readonly #shard: number;
  readonly #takeIds: (count: number) => number;
  readonly #raw: RawArguments<Args> | undefined;
  /** Places for raw arguments that no entry has. */
  #freeSlots: number[] = [];
  #lengthMax = 0;
  /** A ring once it is full; `#oldest` is then where the next entry goes. */
  #entries: KeptCommand[] = [];
  #oldest = 0;
  /** Entries since ids were taken, those among them that had to make room again. */
  #unnumbered = 0;

  /** `takeIds` answers the first of so many ids in a row. */
  constructor(shard: number, takeIds: (count: number) => number, raw?: RawArguments<Args>) {
    this.#shard = shard;
    this.#takeIds = takeIds;
    this.#raw = raw;
    this.#keep([]);
  }

  configure({ slowerThanUs, lengthMax, argumentBytesMax }: SlowLogSettings): void {
    // As in Redis, a log without room is off.
    this.slowerThanUs = slowerThanUs < 0 || lengthMax === 0 ? Infinity : slowerThanUs;
    this.argumentBytesMax = argumentBytesMax;
    if (lengthMax === this.#lengthMax) return;
    this.number();
    this.#lengthMax = lengthMax;
    this.#keep(lengthMax === 0 ? [] : this.#inOrder().slice(-lengthMax));
  }

  get isOn(): boolean {
    return this.slowerThanUs < Infinity;
  }

  add(command: SlowCommand, args: KeptArguments): void {
    // It may have been switched off while the command was under way.
    if (!this.isOn) return;
    const entry = this.next();
    entry.unixMs = command.unixMs;
    entry.executeUs = command.executeUs;
    entry.queueUs = command.queueUs;
    entry.durableUs = command.durableUs;
    entry.database = command.database;
    entry.client = command.client;
    entry.args = args;
    entry.isRaw = false;
    this.number();
  }

  /** Keeps the arguments of an entry: as they are where that can be, else one by one. */
  keepArguments(entry: KeptCommand, args: Args, secrets: readonly number[]): void {
    entry.argumentBytesMax = this.argumentBytesMax;
    entry.isRaw =
      secrets.length === 0 && entry.slot >= 0 && this.#raw?.keep(entry.slot, args) === true;
    if (!entry.isRaw) entry.args.keep(args, secrets, this.argumentBytesMax);
  }

  /**
   * The next entry, which the caller must fill: the oldest one's, or a new one while there is room. It has its id
   * from the next call of `number`. Only while the log is on.
   */
  next(): KeptCommand {
    this.#unnumbered += 1;
    if (!this.#isFull) {
      const entry = new KeptCommand(this.#freeSlots.pop() ?? -1);
      this.#entries.push(entry);
      return entry;
    }
    const entry = this.#entries[this.#oldest]!;
    this.#oldest += 1;
    if (this.#oldest === this.#entries.length) this.#oldest = 0;
    return entry;
  }

  /** Gives the entries since the last call their ids. */
  number(): void {
    const count = this.#unnumbered;
    if (count === 0) return;
    this.#unnumbered = 0;
    const end = this.#takeIds(count) + count;
    const entries = this.#entries;
    const kept = Math.min(count, entries.length);
    let place = this.#oldest;
    for (let back = 1; back <= kept; back += 1) {
      place = place === 0 ? entries.length - 1 : place - 1;
      entries[place]!.id = end - back;
    }
  }

  /** The newest `count` entries with an id of at least `fromId`, newest first. */
  newest(fromId: number, count: number): readonly SlowEntry[] {
    this.number();
    const entries = this.#inOrder().filter(({ id }) => id >= fromId);
    return entries
      .slice(Math.max(0, entries.length - count))
      .reverse()
      .map((entry) => this.#shown(entry));
  }

  /** Forgets the entries with a lower id. */
  reset(beforeId: number): void {
    this.number();
    this.#keep(this.#inOrder().filter(({ id }) => id >= beforeId));
  }

  get #isFull(): boolean {
    return this.#entries.length >= this.#lengthMax;
  }

  #inOrder(): readonly KeptCommand[] {
    return [...this.#entries.slice(this.#oldest), ...this.#entries.slice(0, this.#oldest)];
  }

  #keep(entries: readonly KeptCommand[]): void {
    this.#entries = [...entries];
    this.#oldest = 0;
    const taken = new Set(entries.map(({ slot }) => slot));
    const slots = Array.from({ length: this.#raw?.slots ?? 0 }, (_, slot) => slot);
    this.#freeSlots = slots.filter((slot) => !taken.has(slot));
  }

  #shown(entry: KeptCommand): SlowEntry {
    const { id, unixMs, executeUs, queueUs, durableUs, database, client } = entry;
    return {
      id,
      shard: this.#shard,
      unixMs,
      executeUs,
      queueUs,
      durableUs,
      database,
      client: client ?? unreachable('an entry is of a client'),
      args: this.#argumentsOf(entry).shown,
    };
  }

  #argumentsOf({ isRaw, slot, argumentBytesMax, args }: KeptCommand): KeptArguments {
    if (!isRaw || this.#raw === undefined) return args;
    return new KeptArguments().keep(this.#raw.read(slot), NO_SECRETS, argumentBytesMax);
  }
}
