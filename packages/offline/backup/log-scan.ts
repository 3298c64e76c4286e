/** Reading the files of a log for a backup: their blocks are verified and their records walked, but not replayed. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type BlockFormat,
  BlockReader,
  DamagedFile,
  Record,
  RECORD_HEADER_BYTES,
  RECORD_KIND_MASK,
  RecordKind,
} from '#persistence';

/** Read without a pause for other work, such as signals. */
const SLICE_BYTES = 4 * 1024 * 1024;
const RECORD_ALIGNMENT = 8;

/** Place between two blocks of a file. */
interface LogPlace {
  readonly offset: number;
  /** Number of the block before it. */
  readonly number: number;
}

export interface LogScan extends LogPlace {
  readonly format: BlockFormat;
  /** Unix milliseconds of the making of the file. */
  readonly createdMs: number;
  /** Largest time of a record; 0 without records. */
  readonly lastMs: number;
  /** True between the parts of a long record. */
  readonly isInParts: boolean;
  /** Block in which the scan has ended before a record that is too new, and the bytes after its head to keep. */
  readonly cut: { readonly blockAt: number; readonly bytes: number } | undefined;
}

interface ScanOptions {
  readonly from?: LogScan;
  /** Ends before the first record that is newer. */
  readonly untilMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Reads the whole file; throws a DamagedFile unless it ends with a complete block. */
export async function scanFinished(file: string, options: ScanOptions = {}): Promise<LogScan> {
  const { scan, reader } = await scanBlocks(file, options);
  try {
    reader.end(true);
    return scan;
  } finally {
    reader.close();
  }
}

/**
 * Reads the complete blocks of a file that a server may be writing. A block that was read while it was written looks
 * damaged once: it is damaged if it looks so again.
 */
export async function scanGrowing(file: string, options: ScanOptions = {}): Promise<LogScan> {
  let from = options.from;
  for (;;) {
    const { scan, reader } = await scanBlocks(file, { ...options, ...(from && { from }) });
    try {
      if (scan.cut === undefined) reader.end(false);
      return scan;
    } catch (error) {
      if (!(error instanceof DamagedFile) || scan.offset === from?.offset) throw error;
      from = scan;
    } finally {
      reader.close();
    }
  }
}

async function scanBlocks(
  file: string,
  { from, untilMs = Infinity, signal }: ScanOptions,
): Promise<{ scan: LogScan; reader: BlockReader }> {
  const reader = new BlockReader('log', file);
  try {
    if (from !== undefined) reader.skipTo(from.offset, from.number);
    const walk = new RecordWalk(untilMs, from);
    let cut: LogScan['cut'];
    let pauseAt = reader.offset + SLICE_BYTES;
    for (let block = reader.next(); block !== undefined; block = reader.next()) {
      const tooNewAt = walk.block(block, reader);
      if (tooNewAt !== undefined) {
        cut = { blockAt: reader.blockAt, bytes: reader.bytesBefore(tooNewAt) };
        break;
      }
      if (reader.offset < pauseAt) continue;
      pauseAt = reader.offset + SLICE_BYTES;
      await nextTurn();
      signal?.throwIfAborted();
    }
    const { offset, number, format, head } = reader;
    const { lastMs, isInParts } = walk;
    const { createdMs } = head;
    return { scan: { offset, number, format, createdMs, lastMs, isInParts, cut }, reader };
  } catch (error) {
    reader.close();
    throw error;
  }
}

/** Walks the records of a log, and notes their times. */
class RecordWalk {
  readonly #untilMs: number;
  /** Largest time so far. */
  lastMs: number;
  isInParts: boolean;

  constructor(untilMs: number, from: LogScan | undefined) {
    this.#untilMs = untilMs;
    this.lastMs = from?.lastMs ?? 0;
    this.isInParts = from?.isInParts ?? false;
  }

  /** Returns the place of the first record that is too new; undefined if there is none. Throws a DamagedFile. */
  block(block: Buffer, { file, blockAt }: BlockReader): number | undefined {
    const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
    for (let at = 0; at < block.length;) {
      const hasHead = at + RECORD_HEADER_BYTES <= block.length;
      const bytes = hasHead ? view.getUint32(at + 4 * Record.bytes, true) : 0;
      const isSound = bytes >= RECORD_HEADER_BYTES && bytes % RECORD_ALIGNMENT === 0;
      if (!isSound || at + bytes > block.length) {
        throw new DamagedFile(file, blockAt, 'a record has no size that can be');
      }
      const timeMs = this.#timeAt(view, at);
      if (timeMs > this.#untilMs) return at;
      this.lastMs = Math.max(this.lastMs, timeMs);
      at += bytes;
    }
    return undefined;
  }

  /** Returns the time of a record, 0 for a part after the first of a long record, whose head is in the first. */
  #timeAt(view: DataView, at: number): number {
    const kind = view.getInt32(at + 4 * Record.kind, true) & RECORD_KIND_MASK;
    if (kind !== RecordKind.part) return view.getFloat64(at + 4 * Record.timeAt, true);
    const isFirst = !this.isInParts;
    this.isInParts = view.getFloat64(at + 4 * Record.toCome, true) > 0;
    return isFirst ? view.getFloat64(at + RECORD_HEADER_BYTES + 4 * Record.timeAt, true) : 0;
  }
}
