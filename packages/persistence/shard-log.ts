/**
 * One shard's log on its way to the disk: takes what the shard has put into its ring, writes it in blocks,
 * and says how far it is on disk.
 *
 * When a write or a sync fails, the file is never trusted again: what it lacks would be missing in the
 * middle. Everything is dropped, and counted, until the log goes on in a new segment behind a snapshot.
 * So that recovery knows of it, the head of the last segment is marked, which takes no room on the disk, and the
 * head of the next says how many records are missing before it.
 */
import type { Bytes, Clock } from '#base';
import type { LogFigures } from '#diag';
import type { LinkMemory, LogProgress, RingReader } from '#link';
import { BLOCK_HEADER_BYTES, checksum, encodeBlockHead } from './block.ts';
import type { Disk } from './disk.ts';
import { decodeFileHead, encodeFileHead, FILE_HEAD_BYTES, type FileHead } from './file-head.ts';
import { segmentFile, shardLogFolder } from './layout.ts';
import { Record, RECORD_KIND_MASK, RECORD_TRANSFERRED, RecordKind } from './record.ts';

export interface ShardLogParts {
  readonly shard: number;
  readonly shards: number;
  readonly folder: string;
  readonly epoch: number;
  /** The number of its last segment, 0 when there is none. */
  readonly previous: number;
  readonly disk: Disk;
  readonly clock: Clock;
  readonly memory: LinkMemory;
  readonly ring: RingReader;
  readonly progress: LogProgress;
  readonly figures: LogFigures;
  /** The parts of a record that came by message: they are there when its place in the ring is. */
  readonly receive: () => readonly Bytes[];
  /** The log cannot be written any more. */
  readonly failed: (shard: number, message: string) => void;
  /** A sync took that long. */
  readonly synced: (shard: number, us: number) => void;
}

/** Zeros that are written ahead of the log in sync mode: a sync of a file that does not grow takes a third of the time. */
const AHEAD_BYTES = 1024 * 1024;
const zeros: Bytes = new Uint8Array(AHEAD_BYTES);

interface OpenSegment {
  readonly fd: number;
  readonly number: number;
  bytes: number;
  /** The file's size: more than `bytes` where zeros are ahead. */
  size: number;
  blocks: number;
  syncedBlocks: number;
}

export class ShardLog {
  readonly #parts: ShardLogParts;
  #segment: OpenSegment | undefined;
  #isSyncing = false;
  /** A sync was asked for while another was under way: somebody may wait for what that one has not. */
  #isSyncOwed = false;
  #previous: number;
  /** Records that were dropped since the last segment, or are not in it for certain. */
  #lost = 0;
  /** Whether somebody waits for each sync. */
  writesAhead = false;

  constructor(parts: ShardLogParts) {
    this.#parts = parts;
    this.#previous = parts.previous;
  }

  /** Begins a segment; what was written before is on disk first. */
  open(number: number): void {
    const { disk, folder, shard, shards, epoch, clock, figures } = this.#parts;
    try {
      this.#finish();
      disk.makeFolder(shardLogFolder(folder, shard));
      const createdMs = clock.wallMs();
      const missing = { lostBefore: this.#lost, brokenMs: 0 };
      const ofLog = { previous: this.#previous, ...missing };
      const fd = this.#create(number, { shard, shards, number, epoch, createdMs, ...ofLog });
      const bytes = FILE_HEAD_BYTES;
      this.#segment = { fd, number, bytes, size: bytes, blocks: 0, syncedBlocks: 0 };
      this.#previous = number;
      this.#lost = 0;
      figures.add('bytes', FILE_HEAD_BYTES);
      figures.set('segment', number);
      figures.set('segmentBytes', FILE_HEAD_BYTES);
    } catch (error) {
      this.#fail('writeErrors', error);
    }
  }

  /** A segment whose head is on disk, or none: what is half made would look like the end of the log. */
  #create(number: number, head: FileHead): number {
    const { disk, folder, shard } = this.#parts;
    const file = segmentFile(folder, shard, number);
    const fd = disk.create(file);
    try {
      disk.append(fd, [encodeFileHead('log', head)]);
      disk.syncNow(fd);
      disk.syncFolder(shardLogFolder(folder, shard));
      return fd;
    } catch (error) {
      disk.close(fd);
      disk.remove(file);
      throw error;
    }
  }

  /** Takes all that the shard has published; answers whether there was anything. */
  drain(): boolean {
    const { ring, memory } = this.#parts;
    let at = ring.next();
    if (at < 0) return false;
    let pieces: Bytes[] = [];
    let begin = at;
    let end = at;
    let records = 0;
    const flush = (): void => {
      if (end > begin) pieces.push(memory.bytes.subarray(begin, end));
      if (pieces.length > 0) this.#write(pieces, records);
      pieces = [];
      records = 0;
    };
    while (at >= 0) {
      const word = at >> 2;
      const size = memory.words[word + Record.bytes]!;
      const kind = memory.words[word + Record.kind]!;
      if (at !== end) {
        if (end > begin) pieces.push(memory.bytes.subarray(begin, end));
        begin = at;
      }
      end = at;
      // Before a segment ends: what is on disk with it is all up to the cut, and the cut.
      ring.advance(size);
      if ((kind & RECORD_KIND_MASK) === RecordKind.cut) {
        flush();
        this.open(memory.words[word + Record.transaction]!);
        begin = end = at + size;
      } else if ((kind & RECORD_TRANSFERRED) !== 0) {
        flush();
        this.#write(this.#parts.receive(), 1);
        begin = end = at + size;
      } else {
        end = at + size;
        records += 1;
      }
      at = ring.next();
    }
    flush();
    if (ring.release()) ring.wakeWriter();
    return true;
  }

  /** A snapshot holds what was lost. Does nothing where the log could not begin anew, which it has told. */
  heal(): void {
    if (!this.isOpen) return;
    const { progress, ring } = this.#parts;
    // Of what was lost no sync will tell those who wait for it since.
    if (!this.isDirty) progress.setSynced(ring.position);
    progress.hasFailed = false;
  }

  /** Whether records go into a file. */
  get isOpen(): boolean {
    return this.#segment !== undefined;
  }

  get isDirty(): boolean {
    const segment = this.#segment;
    return segment !== undefined && segment.syncedBlocks < segment.blocks;
  }

  /** Brings what was written to disk; waits for that only when told to. */
  sync(waits = false): void {
    const { disk, clock, ring, progress, figures, synced, shard } = this.#parts;
    const segment = this.#segment;
    if (segment === undefined || segment.syncedBlocks === segment.blocks) return;
    if (this.#isSyncing) {
      this.#isSyncOwed = true;
      figures.add('delayedSyncs', 1);
      return;
    }
    this.#isSyncing = true;
    const { blocks } = segment;
    const { position } = ring;
    const beganUs = clock.nowUs();
    const bytes = figures.get('unsyncedBytes');
    const records = figures.get('unsyncedRecords');
    const ended = (error: Error | null): void => {
      this.#isSyncing = false;
      const isFinished = segment !== this.#segment;
      // The system tells an error once: that the segment was synced again since then says nothing.
      if (error !== null && !(isFinished && isClosed(error))) {
        this.#fail('syncErrors', error);
        return;
      }
      if (this.#isSyncOwed) {
        this.#isSyncOwed = false;
        queueMicrotask(() => {
          this.sync();
        });
      }
      if (isFinished) return;
      const us = clock.nowUs() - beganUs;
      segment.syncedBlocks = blocks;
      figures.add('unsyncedBytes', -bytes);
      figures.add('unsyncedRecords', -records);
      figures.set('unsyncedSinceUs', segment.blocks === blocks ? 0 : beganUs);
      this.#countSync(us);
      progress.setSynced(position);
      synced(shard, us);
    };
    if (waits) ended(outcomeOf(() => disk.syncNow(segment.fd)));
    else disk.sync(segment.fd, ended);
  }

  #countSync(us: number): void {
    const { figures } = this.#parts;
    figures.add('syncs', 1);
    figures.add('syncUs', us);
    figures.set('syncUsLast', us);
    figures.set('syncUsMax', Math.max(us, figures.get('syncUsMax')));
  }

  /** Has all on disk and ends. With `isSaved` a snapshot has what a log lacks that could not be written: nothing is lost. */
  close(isSaved = false): void {
    const { disk, folder, shard } = this.#parts;
    if (isSaved && !this.isOpen) markBroken(disk, segmentFile(folder, shard, this.#previous), 0);
    try {
      this.#finish();
    } catch (error) {
      this.#fail('syncErrors', error);
    }
  }

  #finish(): void {
    const { disk, ring, progress, figures } = this.#parts;
    const segment = this.#segment;
    this.#segment = undefined;
    if (segment === undefined) return;
    try {
      if (segment.size > segment.bytes) disk.truncate(segment.fd, segment.bytes);
      disk.syncNow(segment.fd);
    } finally {
      disk.close(segment.fd);
    }
    figures.set('unsyncedSinceUs', 0);
    figures.set('unsyncedBytes', 0);
    figures.set('unsyncedRecords', 0);
    progress.setSynced(ring.position);
  }

  #write(pieces: readonly Bytes[], records: number): void {
    const { disk, figures, clock } = this.#parts;
    const segment = this.#segment;
    if (segment === undefined) {
      this.#lose(records);
      return;
    }
    const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
    const head = encodeBlockHead({
      bytes,
      crc: checksum(pieces),
      number: segment.blocks + 1,
      synced: segment.syncedBlocks,
    });
    try {
      const end = segment.bytes + BLOCK_HEADER_BYTES + bytes;
      if (this.writesAhead && end > segment.size) {
        disk.append(segment.fd, [zeros], end);
        segment.size = end + AHEAD_BYTES;
      }
      disk.append(segment.fd, [head, ...pieces], segment.bytes);
      segment.size = Math.max(segment.size, end);
    } catch (error) {
      this.#lose(records);
      this.#fail('writeErrors', error);
      return;
    }
    segment.blocks += 1;
    segment.bytes += BLOCK_HEADER_BYTES + bytes;
    if (figures.get('unsyncedSinceUs') === 0) figures.set('unsyncedSinceUs', clock.nowUs());
    figures.set('segmentBytes', segment.bytes);
    figures.add('unsyncedBytes', BLOCK_HEADER_BYTES + bytes);
    figures.add('unsyncedRecords', records);
    figures.add('bytes', BLOCK_HEADER_BYTES + bytes);
    figures.add('blocks', 1);
    figures.add('records', records);
  }

  #lose(records: number): void {
    this.#lost += records;
    this.#parts.figures.add('lostRecords', records);
  }

  /** Leaves the segment for good, with what it holds for certain at its end. */
  #fail(figure: 'writeErrors' | 'syncErrors', error: unknown): void {
    const { disk, figures, progress, failed, shard, folder, clock } = this.#parts;
    const segment = this.#segment;
    this.#segment = undefined;
    figures.add(figure, 1);
    this.#lose(figures.get('unsyncedRecords'));
    if (segment !== undefined) {
      try {
        disk.truncate(segment.fd, segment.bytes);
        disk.close(segment.fd);
      } catch {
        // The folder is as it is: recovery cuts a torn end by itself.
      }
    }
    figures.set('unsyncedSinceUs', 0);
    figures.set('unsyncedBytes', 0);
    figures.set('unsyncedRecords', 0);
    progress.hasFailed = true;
    const isMarked = markBroken(disk, segmentFile(folder, shard, this.#previous), clock.wallMs());
    const what = error instanceof Error ? error.message : String(error);
    failed(shard, isMarked ? what : `${what} (nor can a mark be put on the disk that says so)`);
  }
}

/** Says in a segment's head since when the log could not be written behind it, 0 = it could; answers whether the disk has taken that. */
export function markBroken(disk: Disk, file: string, sinceMs: number): boolean {
  try {
    disk.rewrite(file, FILE_HEAD_BYTES, (was) => {
      const head = decodeFileHead('log', was);
      return encodeFileHead('log', { ...head, brokenMs: sinceMs });
    });
    return true;
  } catch {
    return false;
  }
}

/** What a call of the disk throws. */
function outcomeOf(call: () => void): Error | null {
  try {
    call();
    return null;
  } catch (error) {
    return error as Error;
  }
}

/** The file was closed, and synced before, while the sync was under way. */
function isClosed(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EBADF';
}
