/**
 * Events on the time line: log records of the kinds that are kept. The latest are in memory, and in a file of the folder to which each
 * is appended at once. A line has a checksum and JSON; damaged lines are skipped.
 */

import {
  crc64,
  type EventKind,
  EVENT_KINDS,
  eventKind,
  LOG_LEVELS,
  type LogLevel,
  type LogRecord,
} from '#base';
import type { HistoryEvent } from '#api-types';
import type { HistoryFolder } from '../files/history-folder.ts';

const FILE = 'events.jsonl';
/** Events kept of one kind, so that a frequent kind does not displace the others. */
const EVENTS_OF_KIND_MAX = 1_000;
const MESSAGE_CHARS_MAX = 1_000;
const FIELDS_CHARS_MAX = 2_000;
/** The file is rewritten when it has this many times the bytes of the events that are kept, and some more. */
const GROWTH_MAX = 2;
const SPARE_BYTES = 65_536;
const CHECKSUM_CHARS = 8;

interface EventLogOptions {
  /** Folder that events are written to now; undefined where they stay in memory. */
  readonly folder: () => HistoryFolder | undefined;
  readonly bytesMax: () => number;
}

/** An event, and its line in the file. */
interface KeptEvent {
  readonly event: HistoryEvent;
  readonly line: string;
}

export interface EventQuery {
  readonly fromMs: number;
  readonly toMs: number;
  readonly kinds: ReadonlySet<EventKind>;
  /** Least level. */
  readonly level: LogLevel;
  readonly count: number;
}

export class EventLog {
  readonly #options: EventLogOptions;
  /** Oldest first. */
  #events: KeptEvent[] = [];
  readonly #counts = new Map<string, number>();
  #bytes = 0;
  #next = 1;
  /** Lines that are not in the file. */
  #waiting: string[] = [];
  #fileBytes = 0;
  /** The file differs from what is kept by more than the lines that wait. */
  #isStale = false;
  #work: Promise<void> = Promise.resolve();

  constructor(options: EventLogOptions) {
    this.#options = options;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Reads the events of earlier processes; returns whether the last one ended without a stop. */
  async load(folder: HistoryFolder): Promise<boolean> {
    let text: string;
    try {
      text = (await folder.read(FILE)).toString();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        folder.skip(FILE, (error as Error).message);
      }
      return false;
    }
    const lines = text.split('\n').filter((line) => line !== '');
    const found = lines.map(eventIn).filter((event) => event !== undefined);
    if (found.length < lines.length) {
      folder.skip(FILE, `${lines.length - found.length} damaged lines`);
      this.#isStale = true;
    }
    this.#fileBytes = Buffer.byteLength(text);
    for (const event of found) this.#keep(event);
    const last = found.findLast(({ event }) => event === 'started' || event === 'stopped');
    return last?.event === 'started';
  }

  /** Keeps a log record, if it is of a kind that is kept. */
  add(record: LogRecord): void {
    const kind = eventKind(record.event);
    if (kind === undefined) return;
    const event = eventOf(record, kind, this.#next);
    this.#waiting.push(this.#keep(event));
    this.flush();
  }

  /** Writes what is not written yet. */
  flush(): void {
    if (this.#waiting.length === 0 && !this.#isStale) return;
    this.#work = this.#work.then(() => this.#write());
  }

  /** Settles when what could be written is written. */
  async settle(): Promise<void> {
    await this.#work;
  }

  /** Returns events, newest first, and how many there are in all. */
  select(query: EventQuery): { readonly events: HistoryEvent[]; readonly total: number } {
    const least = LOG_LEVELS.indexOf(query.level);
    const found = this.#events
      .map(({ event }) => event)
      .filter(
        ({ time_ms: timeMs, kind, level }) =>
          timeMs >= query.fromMs &&
          timeMs <= query.toMs &&
          query.kinds.has(kind) &&
          LOG_LEVELS.indexOf(level) >= least,
      );
    return { events: found.toReversed().slice(0, query.count), total: found.length };
  }

  /** Keeps an event; returns its line. */
  #keep(event: HistoryEvent): string {
    const line = lineOf(event);
    this.#next = Math.max(this.#next, event.seq + 1);
    this.#events.push({ event, line });
    this.#bytes += Buffer.byteLength(line);
    const count = (this.#counts.get(event.kind) ?? 0) + 1;
    this.#counts.set(event.kind, count);
    if (count > EVENTS_OF_KIND_MAX) this.#drop(({ event: { kind } }) => kind === event.kind);
    while (this.#bytes > this.#options.bytesMax() && this.#events.length > 0)
      this.#drop(() => true);
    return line;
  }

  #drop(isDropped: (kept: KeptEvent) => boolean): void {
    const at = this.#events.findIndex(isDropped);
    const [dropped] = this.#events.splice(at, 1);
    if (dropped === undefined) return;
    this.#bytes -= Buffer.byteLength(dropped.line);
    const { kind } = dropped.event;
    this.#counts.set(kind, this.#counts.get(kind)! - 1);
  }

  async #write(): Promise<void> {
    const folder = this.#options.folder();
    if (folder === undefined || folder.isResting) return;
    const lines = this.#waiting;
    if (lines.length === 0 && !this.#isStale) return;
    this.#waiting = [];
    const isLarge = this.#fileBytes > GROWTH_MAX * this.#bytes + SPARE_BYTES;
    if (this.#isStale || isLarge) await this.#writeAll(folder);
    else await this.#append(folder, lines.join(''));
  }

  async #writeAll(folder: HistoryFolder): Promise<void> {
    const text = this.#events.map(({ line }) => line).join('');
    this.#isStale = !(await folder.write(FILE, Buffer.from(text)));
    if (!this.#isStale) this.#fileBytes = Buffer.byteLength(text);
  }

  async #append(folder: HistoryFolder, text: string): Promise<void> {
    // A part of it may be there: then the file is rewritten.
    this.#isStale = !(await folder.append(FILE, text));
    this.#fileBytes += Buffer.byteLength(text);
  }
}

function eventOf(record: LogRecord, kind: EventKind, seq: number): HistoryEvent {
  const { time, event, level, thread, message, fields = {} } = record;
  const isLong = JSON.stringify(fields).length > FIELDS_CHARS_MAX;
  return {
    seq,
    time_ms: time,
    kind,
    event,
    level,
    thread,
    message: message.slice(0, MESSAGE_CHARS_MAX),
    fields: isLong ? {} : fields,
  };
}

function lineOf(event: HistoryEvent): string {
  const text = JSON.stringify(event);
  return `${checksum(text)} ${text}\n`;
}

/** Undefined for a damaged line, and for an event of a kind that is not known. */
function eventIn(line: string): HistoryEvent | undefined {
  const text = line.slice(CHECKSUM_CHARS + 1);
  if (line.slice(0, CHECKSUM_CHARS) !== checksum(text)) return undefined;
  const event = JSON.parse(text) as HistoryEvent;
  return EVENT_KINDS.includes(event.kind) ? event : undefined;
}

function checksum(text: string): string {
  const bytes = Buffer.from(text);
  return crc64(bytes, 0, bytes.length).low.toString(16).padStart(CHECKSUM_CHARS, '0');
}
