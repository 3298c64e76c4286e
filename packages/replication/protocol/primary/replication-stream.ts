/** The stream of replication: commands in one order, with the database that they are in, and the ids that it goes by. */

import { randomBytes } from 'node:crypto';
import type { Bytes } from '#base';
import { commandBytes } from '#resp';
import type { FeedCommands } from './feed-merger.ts';
import { Stream } from './stream.ts';
import type { StreamPlace } from './primary-options.ts';

/** Changes of the database that are remembered. */
const SELECTED_MAX = 1_024;

/** Part of a stream that is still there. */
export interface KeptStream {
  /** Offset of its first byte. */
  readonly from: number;
  readonly bytes: Bytes;
  /** Database that the stream is in there; undefined where that is not known. */
  readonly database: number | undefined;
  /** Database selected at the end of the stream. */
  readonly lastDatabase: number | undefined;
}

/** The stream as others may see it. */
export type StreamView = Pick<
  ReplicationStream,
  'id' | 'offset' | 'secondId' | 'secondOffset' | 'isKnownAs' | 'kept'
>;

const EMPTY_ID = '0'.repeat(40);
const ID_BYTES = 20;

export class ReplicationStream {
  readonly bytes = new Stream();
  #id = newId();
  #secondId = EMPTY_ID;
  /** First offset that the second id does not have; -1 when there is no second id. */
  #secondOffset = -1;
  /** Database that the stream is in; -1 when that must be said again. */
  #database = -1;
  /** Offsets behind which the stream is in a database, in their order. */
  #selected: (readonly [offset: number, database: number])[] = [];

  get id(): string {
    return this.#id;
  }

  /** Id under which replicas may know the stream before `secondOffset`. */
  get secondId(): string {
    return this.#secondId;
  }

  get secondOffset(): number {
    return this.#secondOffset;
  }

  /** Bytes so far. */
  get offset(): number {
    return this.bytes.end;
  }

  /** Starts a new stream without a history. */
  restart(): void {
    this.#id = newId();
    this.#secondId = EMPTY_ID;
    this.#secondOffset = -1;
    this.#selected = [];
  }

  /** Continues another stream, which was followed up to now. */
  goOn(id: string, offset: number): void {
    this.#secondId = id;
    this.#secondOffset = offset + 1;
    this.#id = newId();
    this.#selected = [];
    if (this.bytes.end !== offset) this.bytes.reset(offset);
    this.#database = -1;
  }

  /** Switches to another stream at an offset, and drops the kept part of the old one. */
  become(id: string, offset: number): void {
    if (this.#id === id && this.bytes.end === offset) return;
    this.restart();
    this.#id = id;
    this.bytes.reset(offset);
  }

  /** Resumes at a saved position. */
  restore({ id, offset, database, secondId, secondOffset, tail }: StreamPlace): void {
    this.#id = id;
    this.#selected = [[offset, database]];
    this.#secondId = secondId;
    this.#secondOffset = secondOffset;
    this.bytes.reset(offset - tail.length);
    this.bytes.write(tail);
    // They were written before the restart.
    this.bytes.written -= tail.length;
  }

  /** Place at an offset, in a database, with what there is of the stream from another offset on. */
  placeAt(offset: number, database: number, from: number): StreamPlace {
    const { id, secondId, secondOffset } = this;
    const tail = this.bytes.between(from, offset);
    return { id, offset, database, secondId, secondOffset, tail };
  }

  /** Part of the stream of an id between two offsets, as far as it is kept; undefined where this is another stream. */
  kept(id: string, from: number, to: number): KeptStream | undefined {
    if (id !== this.#id || to > this.bytes.end) return undefined;
    const begin = Math.min(to, Math.max(from, this.bytes.begin));
    const database = this.#selected.findLast(([offset]) => offset <= begin)?.[1];
    const lastDatabase = this.#selected.findLast(([offset]) => offset <= to)?.[1];
    return { from: begin, bytes: this.bytes.between(begin, to), database, lastDatabase };
  }

  /** Database that the stream is in; 0 where that has to be said again. */
  get database(): number {
    return Math.max(0, this.#database);
  }

  /** Goes by another id from here on. */
  rename(id: string): void {
    this.#secondId = this.#id;
    this.#secondOffset = this.offset + 1;
    this.#id = id;
  }

  /** True when this is the stream of that id up to an offset. */
  isKnownAs(id: string, offset: number): boolean {
    const lower = id.toLowerCase();
    return lower === this.#id || (lower === this.#secondId && offset < this.#secondOffset);
  }

  /** Has the database said again: somebody begins to read here. */
  forgetDatabase(): void {
    this.#database = -1;
  }

  /** Commands of one unit, which are a transaction where they must be done as one. */
  write(commands: readonly FeedCommands[], isOne: boolean): void {
    const count = isOne ? commands.reduce((sum, each) => sum + each.count, 0) : 1;
    const first = commands.find((each) => each.count > 0);
    if (count === 0 || first === undefined) return;
    if (count > 1) {
      this.#select(first.database);
      this.bytes.write(MULTI);
    }
    for (const { database, pieces } of commands) {
      this.#select(database);
      for (const piece of pieces) this.bytes.write(piece);
    }
    if (count > 1) this.bytes.write(EXEC);
  }

  /** Appends a command that belongs to no database in particular. */
  append(words: readonly (string | Bytes)[]): void {
    // As Redis, which has a database selected before any command.
    if (this.#database < 0) this.#select(0);
    this.bytes.write(commandBytes(words));
  }

  #select(database: number): void {
    if (database === this.#database) return;
    this.#database = database;
    this.bytes.write(commandBytes(['SELECT', String(database)]));
    this.#selected.push([this.bytes.end, database]);
    if (this.#selected.length > 2 * SELECTED_MAX) {
      this.#selected = this.#selected.slice(-SELECTED_MAX);
    }
  }
}

function newId(): string {
  return randomBytes(ID_BYTES).toString('hex');
}

const MULTI = commandBytes(['MULTI']);
const EXEC = commandBytes(['EXEC']);
