/**
 * Writes that this server had taken as a primary, and that the primary which it follows now does not have. Before its data are
 * replaced, the part of its stream behind the last place that both have is counted, listed, and kept in a file.
 */

import { type Clock, type Logger, PacedTimer } from '#base';
import type { Settings } from '#config';
import type { Page } from '#stats';
import {
  commonEnd,
  type PrimaryPast,
  type StreamPosition,
} from '../protocol/replica/primary-past.ts';
import type { KeptStream } from '../protocol/primary/replication-stream.ts';
import type { Primary } from '../protocol/primary/primary.ts';
import { readDiscarded, type DiscardedCommands } from './discarded-commands.ts';
import { StreamMark } from './stream-mark.ts';
import { discardFile, trimDiscards, writeDiscards } from './discard-files.ts';

/** Between two marks of how far the stream is, for a process that comes after a kill. */
const MARK_MS = 100;

/** Writes that were discarded at once. */
export interface Discard {
  /** Unix milliseconds. */
  readonly timeMs: number;
  /** Stream that they were in, and the offsets that they were between. */
  readonly stream: string;
  readonly from: number;
  readonly to: number;
  /** Address of the primary that lacks them. */
  readonly primary: string;
  readonly writes: number;
  readonly bytes: number;
  /** Bytes of commands that the file lacks. */
  readonly unkeptBytes: number;
  /** File with the commands; undefined where none was written. */
  readonly file: string | undefined;
  /** Sentence about unknown or missing writes; empty if the record is complete. */
  readonly lacks: string;
}

interface DiscardedWritesOptions {
  readonly settings: Settings;
  readonly primary: Pick<Primary, 'stream' | 'offset' | 'acks' | 'isActive'>;
  readonly page: Pick<Page, 'add'>;
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** Start of the discarded part. */
interface Border {
  readonly offset: number;
  /** False if the primary does not report its history: some of the later writes may exist there. */
  readonly isExact: boolean;
}

export class DiscardedWrites {
  readonly #options: DiscardedWritesOptions;
  readonly #listeners: ((discard: Discard) => void)[] = [];
  /** Last recorded part, so that a repeated full sync does not record it twice. */
  #lastPart = '';
  /** Undefined where nothing is kept on disk. */
  readonly #mark: StreamMark | undefined;
  /** Minimum stream position that a killed process had reached. */
  #killedAt: StreamPosition | undefined;
  #timer: PacedTimer | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: DiscardedWritesOptions) {
    this.#options = options;
    const { settings } = options;
    if (!settings.boolean('persistence.enabled')) return;
    this.#mark = new StreamMark(settings.string('persistence.data-dir'));
    this.#killedAt = this.#mark.read();
  }

  /** Calls `listener` back for each discard. */
  follow(listener: (discard: Discard) => void): void {
    this.#listeners.push(listener);
  }

  /** Marks from now on how far the stream is while `isPrimary`. */
  start(isPrimary: () => boolean): void {
    const mark = this.#mark;
    if (mark === undefined) return;
    const { primary, log } = this.#options;
    this.#timer = new PacedTimer(MARK_MS, () => {
      if (!primary.isActive || !isPrimary()) return;
      mark.note({ id: primary.stream.id, offset: primary.offset }).catch((error: unknown) => {
        this.#timer?.stop();
        const fields = { error: (error as Error).message };
        log.error('stream-mark', 'Replication offset cannot be saved', fields);
      });
    });
    this.#timer.start();
  }

  /** Notes that main has work: the stream may grow. */
  worked(): void {
    this.#timer?.worked();
  }

  stop(): void {
    this.#timer?.stop();
    this.#closed ??= this.#mark?.close();
  }

  /** Waits until the last mark is written. */
  async stopped(): Promise<void> {
    await this.#closed;
  }

  /** Current position of this server's stream; undefined if it has none. */
  get #end(): StreamPosition | undefined {
    const { primary } = this.#options;
    return primary.offset > 0 ? { id: primary.stream.id, offset: primary.offset } : undefined;
  }

  /** True where something could be lost with the data. */
  get mayBe(): boolean {
    return this.#end !== undefined || this.#killedAt !== undefined;
  }

  /** The data of a primary are about to take the place of those here. Never fails: the data are needed. */
  async take(past: PrimaryPast | undefined, primary: string): Promise<void> {
    const end = this.#end;
    const killedAt = this.#killedAt;
    this.#killedAt = undefined;
    if (end === undefined) {
      if (killedAt !== undefined) this.#noteKilled(killedAt, past, primary);
      return;
    }
    const border = this.#borderOf(end, past);
    if (border === undefined || border.offset >= end.offset) return;
    const part = `${end.id} ${border.offset} ${end.offset}`;
    if (part === this.#lastPart) return;
    this.#lastPart = part;
    try {
      await this.#note(end, border, primary);
    } catch (error) {
      const message = 'Discarded writes could not be determined';
      this.#options.log.error('discarded-writes', message, { error: (error as Error).message });
    }
  }

  /** Logs the discarded writes of a killed process, of which only the last saved offset is known. */
  #noteKilled(end: StreamPosition, past: PrimaryPast | undefined, primary: string): void {
    const { log, clock } = this.#options;
    const { id: stream, offset: to } = end;
    const from = past === undefined ? undefined : commonEnd(past, end);
    if (from === undefined || from >= to) {
      const message =
        from === undefined
          ? 'The previous process was killed: it is unknown which of its writes the primary lacks'
          : 'The previous process was killed: the primary has all writes up to the last saved offset';
      log.info('discarded-writes', message, { stream, to, primary });
      return;
    }
    const bytes = to - from;
    const lacks = `The process was killed and its backlog lost: at least ${bytes} bytes of the stream are neither listed nor kept.`;
    const none = { timeMs: clock.wallMs(), writes: 0, unkeptBytes: bytes, file: undefined };
    this.#notify({ stream, from, to, primary, bytes, lacks, ...none });
  }

  #borderOf(end: StreamPosition, past: PrimaryPast | undefined): Border | undefined {
    const offset = past === undefined ? undefined : commonEnd(past, end);
    if (offset !== undefined) return { offset, isExact: true };
    const { highest } = this.#options.primary.acks;
    // Without a replica there was no possible successor: the server becomes a copy of another.
    return highest < 0 ? undefined : { offset: highest, isExact: false };
  }

  async #note(end: StreamPosition, border: Border, primary: string): Promise<void> {
    const { clock, settings } = this.#options;
    const bytesMax = settings.number('replication.discarded-writes-max-bytes');
    const { id: stream, offset: to } = end;
    const { offset: from } = border;
    const kept = this.#keptBehind(end, from);
    const beginsWhole = kept.from === from;
    // Of bytes that begin within a command only the end is sure.
    const bytes = beginsWhole ? kept.bytes.subarray(0, bytesMax) : kept.bytes.subarray(-bytesMax);
    const isRead = bytesMax > 0 && bytes.length > 0;
    const found = isRead ? await readDiscarded({ ...kept, bytes, beginsWhole }) : NOTHING;
    const unkeptBytes = to - from - bytes.length + found.skippedBytes + found.cutBytes;
    // Signs of life and questions alone are no loss.
    if (found.writes === 0 && unkeptBytes === 0) return;
    const timeMs = clock.wallMs();
    const base = { timeMs, stream, from, to, primary, writes: found.writes };
    const lacks = lacksOf(border, unkeptBytes, bytesMax);
    const discard = { ...base, bytes: to - from, unkeptBytes, lacks };
    const file = found.writes > 0 ? await this.#keep(discard, found) : undefined;
    this.#notify({ ...discard, file });
  }

  /** Counts and logs discarded writes. */
  #notify(discard: Discard): void {
    const { page, log } = this.#options;
    const { stream, from, to, primary, writes, bytes, unkeptBytes, file = '', lacks } = discard;
    page.add('discardedWrites', writes);
    page.add('discardedBytes', bytes);
    log.warn(
      'discarded-writes',
      `Discarding writes accepted as a primary that ${primary} lacks. ${lacks}`.trimEnd(),
      { stream, from, to, writes, bytes, unkeptBytes, file },
    );
    for (const listener of this.#listeners) listener(discard);
  }

  #keptBehind({ id, offset }: StreamPosition, from: number): KeptStream {
    const kept = this.#options.primary.stream.kept(id, from, offset);
    return kept ?? { ...NOTHING_KEPT, from: offset };
  }

  /** Writes the file; answers its path, or undefined where it cannot be written. */
  async #keep(
    discard: Omit<Discard, 'file'>,
    { byName, keys, keysLeftOff, replay }: DiscardedCommands,
  ): Promise<string | undefined> {
    const { settings, log } = this.#options;
    const dataFolder = settings.string('persistence.data-dir');
    const { timeMs, stream, from, to, primary, writes, bytes, unkeptBytes, lacks } = discard;
    const file = discardFile({ dataFolder, timeMs, stream, from, to });
    const details = {
      time_ms: Math.round(timeMs),
      stream,
      from,
      to,
      primary,
      writes,
      bytes,
      unkept_bytes: unkeptBytes,
      lacks,
      commands: byName,
      keys,
      keys_left_off: keysLeftOff,
    };
    try {
      await writeDiscards(file, replay, details);
      const bytesMax = settings.number('replication.discarded-writes-max-bytes');
      const removed = await trimDiscards(dataFolder, bytesMax);
      if (removed.length > 0) {
        const message = 'Oldest files of discarded writes removed: size limit exceeded';
        log.warn('discarded-writes-removed', message, { files: removed.join(' ') });
      }
      return `${file}.resp`;
    } catch (error) {
      const message = 'Discarded writes could not be written to a file';
      log.error('discarded-writes-file', message, { file, error: (error as Error).message });
      return undefined;
    }
  }
}

const NOTHING_KEPT = { bytes: new Uint8Array(0), database: undefined, lastDatabase: undefined };

const NOTHING: DiscardedCommands = {
  writes: 0,
  byName: {},
  keys: [],
  keysLeftOff: 0,
  replay: [],
  skippedBytes: 0,
  cutBytes: 0,
};

/** Returns sentences about unknown and missing discarded writes. */
function lacksOf({ isExact }: Border, unkeptBytes: number, bytesMax: number): string {
  const sentences: string[] = [];
  if (!isExact) {
    sentences.push(
      'The primary does not report where its history diverged: writes that no replica had acknowledged are counted.',
    );
  }
  if (unkeptBytes > 0) {
    const reason =
      bytesMax === 0
        ? 'replication.discarded-writes-max-bytes is 0'
        : 'the backlog no longer had them, or they exceed replication.discarded-writes-max-bytes';
    sentences.push(`${unkeptBytes} bytes of them are neither listed nor kept: ${reason}.`);
  }
  return sentences.join(' ');
}
