/**
 * One shard's log on its way to the disk: takes the shard's records from its ring, writes them in blocks, and publishes
 * how far it is on disk. The disk thread has one instance, and the shard, whose replies wait for it, has another: their
 * common state is in shared memory, and the owner continues where the other stopped. After a failed write or sync the
 * file is never trusted again: records could be missing in the middle. Further records are dropped and counted, until
 * the log continues in a new segment after a snapshot.
 */
import { type Bytes, bytesOfPieces, type Pieces } from '#base';
import { LOG_BLOCK_BYTES } from '#link';
import { checksum, SHORT_HEAD_BYTES, shortFormat } from '../blocks/block.ts';
import { isClosed, outcomeOf } from '../disk.ts';
import { encodeFileHead, FILE_HEAD_BYTES, markBroken, type FileHead } from '../blocks/file-head.ts';
import { segmentFile, shardLogFolder } from '../layout.ts';
import { blocksOf } from '../blocks/long-record.ts';
import { BlockPacker } from '../blocks/packed-block.ts';
import { Record, RECORD_KIND_MASK, RECORD_TRANSFERRED, RecordKind } from '../blocks/record.ts';
import type { ShardLogOptions } from './shard-log-options.ts';

/** Zeros that are written ahead of the log in sync mode: a sync of a file that does not grow takes a third of the time. */
const AHEAD_BYTES = 1024 * 1024;
const zeros: Bytes = new Uint8Array(AHEAD_BYTES);

/** A sync that is under way: up to where, and what it will have brought to disk. */
interface Sync {
  readonly number: number;
  readonly blocks: number;
  readonly descriptor: number;
  readonly position: number;
  readonly beganUs: number;
  readonly bytes: number;
  readonly records: number;
}

export class ShardLog {
  readonly #options: ShardLogOptions;
  readonly #packer: BlockPacker;
  /** A sync was asked for while another was under way: somebody may wait for what that one has not. */
  #isSyncOwed = false;
  /** True while each sync is waited for. */
  writesAhead = false;

  constructor(options: ShardLogOptions) {
    this.#options = options;
    this.#packer = new BlockPacker(options.memory, options.blockAt, LOG_BLOCK_BYTES);
  }

  /** Begins the first segment of a life, behind the one of the number `previous`, 0 when there is none. */
  begin(number: number, epoch: number, previous: number): void {
    this.#asOwner(() => {
      this.#options.owner.set('epoch', epoch).set('number', previous).set('before', 0);
      this.#open(number);
    });
  }

  /**
   * Begins a log that rests on a snapshot to come, of that number or a later one: none of it counts before. Throws
   * where the disk does not take it.
   */
  found(number: number, epoch: number): void {
    const { owner, ring, progress } = this.#options;
    this.#asOwner(() => {
      owner.set('epoch', epoch).set('number', 0).set('before', 0);
      owner.set('lost', 0).set('foundation', number);
      this.#next(number);
      progress.setSynced(ring.position);
      progress.hasFailed = false;
    });
  }

  /** Reverts `found`: nothing was logged. */
  unfound(): void {
    const { disk, folder, shard, owner } = this.#options;
    if (!this.isOpen) return;
    this.close();
    // What cannot be removed counts for nothing.
    outcomeOf(() => {
      disk.remove(segmentFile(folder, shard, owner.get('number')));
      disk.syncFolder(shardLogFolder(folder, shard));
    });
  }

  /** The snapshot is on disk that the log rests on. */
  founded(): void {
    this.#asOwner(() => this.#options.owner.set('foundation', 0));
  }

  /** Does what only one thread may do at a time, from where the last one has left off. */
  #asOwner<T>(act: () => T): T {
    const { owner, ring } = this.#options;
    owner.take();
    try {
      ring.resume();
      return act();
    } finally {
      owner.give();
    }
  }

  #open(number: number): void {
    try {
      this.#next(number);
    } catch (error) {
      this.#fail('writeErrors', error);
    }
  }

  /** Starts a segment; earlier records are synced to disk first. */
  #next(number: number): void {
    const { disk, folder, shard, shards, clock, figures, owner } = this.#options;
    this.#closeLeft();
    this.#finish();
    this.#dropEmpty();
    disk.makeFolder(shardLogFolder(folder, shard));
    const createdMs = clock.wallMs();
    const [epoch, foundation] = [owner.get('epoch'), owner.get('foundation')];
    const missing = { lostBefore: owner.get('lost'), brokenMs: 0 };
    const ofLog = { previous: owner.get('number'), ...missing, foundation };
    const fd = this.#create(number, { shard, shards, number, epoch, createdMs, ...ofLog });
    owner.set('before', ofLog.previous).set('lostBefore', ofLog.lostBefore);
    owner.begin(number, fd, FILE_HEAD_BYTES, createdMs);
    figures.add('bytes', FILE_HEAD_BYTES);
    figures.set('segment', number);
    figures.set('segmentBytes', FILE_HEAD_BYTES);
  }

  /**
   * Removes a last segment without records: on a disk that stays full, snapshots that fail would leave one every second.
   * Where it says that records are missing, the segment before it has to say so first.
   */
  #dropEmpty(): void {
    const { disk, folder, shard, clock, owner } = this.#options;
    const before = owner.get('before');
    if (before === 0 || owner.get('bytes') > FILE_HEAD_BYTES) return;
    const hasAll = owner.get('lost') + owner.get('lostBefore') === 0;
    if (!hasAll && !markBroken(disk, segmentFile(folder, shard, before), clock.wallMs())) return;
    disk.remove(segmentFile(folder, shard, owner.get('number')));
    owner.set('number', before).set('before', 0);
    owner.add('lost', owner.get('lostBefore'));
  }

  /** Creates a segment with its head on disk, or none: an incomplete one would look like the end of the log. */
  #create(number: number, head: FileHead): number {
    const { disk, folder, shard } = this.#options;
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

  /** Takes all that the shard has published; returns true if there was anything. */
  drain(): boolean {
    return this.#asOwner(() => this.#drain());
  }

  /**
   * Writes in the shard's own thread, only records that are completely in the ring, and with `syncs` also syncs. False
   * if the disk thread has to, because the log cannot be written or is being synced: of two concurrent syncs of a file,
   * only one gets the error.
   */
  writeHere(syncs: boolean): boolean {
    const { owner, ring, progress, unsynced } = this.#options;
    // An owner returns it quickly while the shard has only plain records, except for a sync.
    if (!syncs) owner.take();
    else if (!owner.tryTake()) return false;
    try {
      if (!owner.isOpen || progress.hasFailed) return false;
      if (syncs && owner.get('syncing') === 1) return false;
      ring.resume();
      const wasDirty = this.isDirty;
      this.#drain();
      if (syncs) this.#syncNow();
      else if (!wasDirty) unsynced();
      return true;
    } finally {
      owner.give();
    }
  }

  #drain(): boolean {
    const { ring, memory, owner } = this.#options;
    let at = ring.next();
    if (at < 0) return false;
    this.#packer.begin(owner.get('createdMs'));
    for (; at >= 0; at = ring.next()) {
      const word = at >> 2;
      const size = memory.words[word + Record.bytes]!;
      const kind = memory.words[word + Record.kind]!;
      // Before a segment ends: what is on disk with it is all up to the cut, and the cut.
      ring.advance(size);
      if ((kind & RECORD_KIND_MASK) === RecordKind.cut) {
        this.#flush();
        this.#open(memory.words[word + Record.transaction]!);
        this.#packer.begin(owner.get('createdMs'));
      } else if ((kind & RECORD_TRANSFERRED) !== 0) {
        this.#flush();
        for (const { pieces, records } of blocksOf(this.#options.receive())) {
          this.#writeSingle(pieces, records);
        }
      } else if (!this.#packer.add(word)) {
        this.#flush();
        if (!this.#packer.add(word)) this.#writeSingle([memory.bytes.subarray(at, at + size)]);
      }
    }
    this.#flush();
    if (ring.release()) ring.wakeWriter();
    return true;
  }

  /**
   * Resumes after a snapshot that has the lost records. Does nothing if the log could not start over, which is reported
   * then.
   */
  heal(): void {
    this.#asOwner(() => {
      if (!this.isOpen) return;
      const { progress, ring } = this.#options;
      // Waiters for lost records get no notice from a later sync.
      if (!this.isDirty) progress.setSynced(ring.position);
      progress.hasFailed = false;
    });
  }

  /** Fails the log if its file was removed or renamed: further records would be lost. */
  look(): void {
    const { disk, folder, shard, owner } = this.#options;
    if (!owner.isOpen) return;
    const file = segmentFile(folder, shard, owner.get('number'));
    if (!disk.isAt(owner.get('descriptor'), file)) this.fail(`${file} is missing`);
  }

  /** Fails the log for a reason that no write has met. Does nothing where it is not written. */
  fail(reason: string): void {
    this.#asOwner(() => {
      if (this.isOpen) this.#fail('writeErrors', new Error(reason));
    });
  }

  /** True while records go into a file. */
  get isOpen(): boolean {
    return this.#options.owner.isOpen;
  }

  get isDirty(): boolean {
    const { owner } = this.#options;
    return owner.isOpen && owner.get('syncedBlocks') < owner.get('blocks');
  }

  /** Syncs written data to disk; blocks only if `waits`. */
  sync(waits = false): void {
    const { disk, owner } = this.#options;
    const sync = this.#asOwner(() => {
      if (waits) {
        this.#syncNow();
        return undefined;
      }
      const begun = this.#begunSync();
      if (begun !== undefined) owner.set('syncing', 1);
      return begun;
    });
    if (sync === undefined) return;
    disk.sync(sync.descriptor, (error) => {
      this.#asOwner(() => {
        owner.set('syncing', 0);
        this.#synced(sync, error);
      });
      if (!this.#isSyncOwed) return;
      this.#isSyncOwed = false;
      this.sync();
    });
  }

  #syncNow(): void {
    const sync = this.#begunSync();
    if (sync === undefined) return;
    const { disk } = this.#options;
    const outcome = outcomeOf(() => {
      disk.syncNow(sync.descriptor);
    });
    this.#synced(sync, outcome);
  }

  /** Undefined where there is nothing to sync, or a sync is under way, behind which another is owed. */
  #begunSync(): Sync | undefined {
    if (!this.isDirty) return undefined;
    const { clock, ring, owner, figures } = this.#options;
    if (owner.get('syncing') === 1) {
      this.#isSyncOwed = true;
      figures.add('delayedSyncs', 1);
      return undefined;
    }
    return {
      number: owner.get('number'),
      blocks: owner.get('blocks'),
      descriptor: owner.get('descriptor'),
      position: ring.position,
      beganUs: clock.nowUs(),
      bytes: figures.get('unsyncedBytes'),
      records: figures.get('unsyncedRecords'),
    };
  }

  #synced(sync: Sync, error: Error | null): void {
    const { clock, owner, figures, progress, synced, shard } = this.#options;
    const { number, blocks, beganUs } = sync;
    const isFinished = !owner.isOpen || number !== owner.get('number');
    // The system reports an error once: a successful sync since then proves nothing.
    if (error !== null && !(isFinished && isClosed(error))) {
      this.#fail('syncErrors', error);
      return;
    }
    if (isFinished) return;
    const us = clock.nowUs() - beganUs;
    owner.set('syncedBlocks', blocks);
    figures.add('unsyncedBytes', -sync.bytes);
    figures.add('unsyncedRecords', -sync.records);
    figures.set('unsyncedSinceUs', owner.get('blocks') === blocks ? 0 : beganUs);
    figures.countSync(us);
    progress.setSynced(sync.position);
    synced(shard, us);
  }

  /** Has all on disk and ends. With `isSaved` a snapshot has what a log lacks that could not be written: nothing is lost. */
  close(isSaved = false): void {
    const { disk, folder, shard, owner } = this.#options;
    this.#asOwner(() => {
      if (isSaved && !owner.isOpen)
        markBroken(disk, segmentFile(folder, shard, owner.get('number')), 0);
      try {
        this.#closeLeft();
        this.#finish();
      } catch (error) {
        this.#fail('syncErrors', error);
      }
    });
  }

  /** Closes the file of a log that failed in the shard's hands. */
  #closeLeft(): void {
    const { disk, owner } = this.#options;
    if (!owner.isLeft) return;
    owner.isOpen = false;
    disk.close(owner.get('descriptor'));
  }

  #finish(): void {
    const { disk, ring, progress, figures, owner } = this.#options;
    if (!owner.isOpen) return;
    owner.isOpen = false;
    const fd = owner.get('descriptor');
    try {
      if (owner.get('size') > owner.get('bytes')) disk.truncate(fd, owner.get('bytes'));
      disk.syncNow(fd);
    } finally {
      disk.close(fd);
    }
    figures.clearUnsynced();
    progress.setSynced(ring.position);
  }

  /** Writes what is packed. */
  #flush(): void {
    const { owner } = this.#options;
    const packer = this.#packer;
    if (packer.isEmpty) return;
    const block = packer.end(owner.get('blocks') + 1, owner.get('syncedBlocks'));
    this.#write([block], packer.records);
    packer.begin(owner.get('createdMs'));
  }

  /** Writes a record in its pieces, as a block of its own. */
  #writeSingle(record: Pieces, records = 1): void {
    const { owner } = this.#options;
    const padding = shortFormat.padding(owner.get('bytes') + SHORT_HEAD_BYTES);
    const pieces = [new Uint8Array(padding), ...record];
    const bytes = bytesOfPieces(pieces);
    const [number, synced] = [owner.get('blocks') + 1, owner.get('syncedBlocks')];
    const head = shortFormat.encode({ bytes, crc: checksum(pieces), number, synced });
    this.#write([head, ...pieces], records);
  }

  /** Writes a block in its pieces. */
  #write(block: Pieces, records: number): void {
    const { disk, figures, clock, owner } = this.#options;
    if (!owner.isOpen) {
      this.#lose(records);
      return;
    }
    const bytes = bytesOfPieces(block);
    const fd = owner.get('descriptor');
    const at = owner.get('bytes');
    const end = at + bytes;
    try {
      if (this.writesAhead && end > owner.get('size')) {
        disk.append(fd, [zeros], end);
        owner.set('size', end + AHEAD_BYTES);
      }
      disk.append(fd, block, at);
      owner.set('size', Math.max(owner.get('size'), end));
    } catch (error) {
      this.#lose(records);
      this.#fail('writeErrors', error);
      return;
    }
    owner.add('blocks', 1);
    owner.set('bytes', end);
    if (figures.get('unsyncedSinceUs') === 0) figures.set('unsyncedSinceUs', clock.nowUs());
    figures.set('segmentBytes', end);
    figures.add('unsyncedBytes', bytes);
    figures.add('unsyncedRecords', records);
    figures.add('bytes', bytes);
    figures.add('blocks', 1);
    figures.add('records', records);
  }

  /** Ends the file where the last whole block does; where that fails, recovery cuts a torn end by itself. */
  #cutOff(): void {
    const { disk, owner } = this.#options;
    outcomeOf(() => {
      disk.truncate(owner.get('descriptor'), owner.get('bytes'));
    });
  }

  /** Brings to disk what was written before a write that failed; true when it is there for certain. */
  #keepsWritten(): boolean {
    const { disk, owner } = this.#options;
    // Of two concurrent syncs, only one gets the error.
    if (owner.get('syncing') === 1) return false;
    const error = outcomeOf(() => {
      disk.syncNow(owner.get('descriptor'));
    });
    return error === null;
  }

  #lose(records: number): void {
    this.#options.owner.add('lost', records);
    this.#options.figures.add('lostRecords', records);
  }

  /** Leaves the segment for good, with what it holds for certain at its end. */
  #fail(figure: 'writeErrors' | 'syncErrors', error: unknown): void {
    const { disk, figures, progress, failed, shard, folder, clock, owner, opensFiles } =
      this.#options;
    const wasOpen = owner.isOpen;
    owner.isOpen = false;
    figures.add(figure, 1);
    if (wasOpen) this.#cutOff();
    if (!wasOpen || figure === 'syncErrors' || !this.#keepsWritten()) {
      this.#lose(figures.get('unsyncedRecords'));
    }
    if (wasOpen) {
      owner.leave();
      if (opensFiles) this.#closeLeft();
    }
    figures.clearUnsynced();
    progress.hasFailed = true;
    const file = segmentFile(folder, shard, owner.get('number'));
    const isMarked = markBroken(disk, file, clock.wallMs());
    const what = error instanceof Error ? error.message : String(error);
    failed(shard, isMarked ? what : `${what} (and the failure cannot be marked on disk)`);
  }
}
