/**
 * The disk thread: writes the snapshots of all shards, syncs their logs in periodic mode, and writes them in async mode.
 * Where replies wait for the log, a shard writes it itself: what is waited for anyway is not handed to another thread
 * first. What is not a plain record stays with the disk thread, and all of it where a log cannot be written.
 */
import { receiveMessageOnPort } from 'node:worker_threads';
import { bytesOfPieces, type Pieces, systemClock, unreachable } from '#base';
import { LogFigures, threadMemoryReturn } from '#stats';
import {
  Doorbell,
  layoutOf,
  LinkMemory,
  LogOwner,
  LogProgress,
  LogThread,
  RingReader,
} from '#link';
import type {
  DiskData,
  DiskNotice,
  DiskOrder,
  DiskSettings,
  DurabilityMode,
  LogLeft,
  LogStart,
  SnapshotPiece,
} from './disk-messages.ts';
import { outcomeOf, realDisk, type Disk } from './disk.ts';
import { withinOwn } from './folder/own-folder.ts';
import type { Manifest } from './blocks/manifest.ts';
import { snapshotFolder } from './layout.ts';
import { hasManifest, newestSnapshot, removeAllBut, removeOld } from './log/retention.ts';
import { ShardLog } from './log/shard-log.ts';
import type { ShardLogOptions } from './log/shard-log-options.ts';
import { SnapshotWriter } from './snapshot-writer.ts';

/** Between two looks at the rings while shards write in async mode. */
const ACTIVE_MS = 4;
/** In sync mode: how long the thread waits for the next record before it turns to anything else. */
const STAY_MS = 2;
/** And for how long it looks after nothing else while records come. */
const STAY_US_MAX = 20_000;
/** Looks without finding anything, after which the thread sleeps until it is woken. */
const EMPTY_LOOKS_MAX = 50;

/** Between two looks at what the thread has dropped, and at the files that hold the data. */
const LOOK_MS = 1_000;
/** Duration from which a sync is reported, in microseconds: shorter ones are no latency event. */
const NOTABLE_SYNC_US = 1_000;

/** Returns the notices of a log to main, by way of the disk thread. */
export function noticesOf(
  report: (notice: DiskNotice) => void,
): Pick<ShardLogOptions, 'failed' | 'synced'> {
  return {
    failed: (shard, message) => {
      report({ kind: 'log-failed', shard, message });
    },
    synced: (shard, us) => {
      if (us >= NOTABLE_SYNC_US) report({ kind: 'synced', shard, us });
    },
  };
}

export class DiskThread {
  readonly #data: DiskData;
  readonly #disk: Disk;
  readonly #bell: Doorbell;
  readonly #logs: readonly ShardLog[];
  readonly #progress: readonly LogProgress[];
  readonly #writeTook: (shard: number) => void;
  #mode: DurabilityMode;
  #syncIntervalMs: number;
  #snapshots: Pick<DiskSettings, 'snapshotsMax' | 'packs'>;
  #snapshot: { readonly number: number; readonly writer: SnapshotWriter } | undefined;
  /** Number of the newest snapshot that was started. */
  #snapshotNumber = 0;
  /** The newest that is on disk, on which the logs rest; 0 for none. */
  #newest = 0;
  /** The life of the server that the logs are of. */
  #epoch = 0;
  /** True while the logs rest on a snapshot that is not on disk. */
  #isUnfounded = false;
  /** Shards that log nothing any more, until all of them do not. */
  #leaving = 0;
  #emptyLooks = 0;
  #syncDueUs = 0;
  #timer: NodeJS.Timeout | undefined;
  #lookTimer: NodeJS.Timeout | undefined;
  readonly #memory = threadMemoryReturn();
  #hasBegun = false;
  #isStopped = false;

  constructor(data: DiskData) {
    this.#data = data;
    this.#disk = withinOwn(realDisk, data.folder);
    this.#mode = data.mode;
    this.#syncIntervalMs = data.syncIntervalMs;
    this.#snapshots = data;
    const memory = new LinkMemory(data.memory);
    const layout = layoutOf(data.link);
    this.#bell = new Doorbell(memory, layout.logBell);
    this.#progress = layout.logProgress.map((at) => new LogProgress(memory, at));
    this.#writeTook = (shard) => {
      this.#progress[shard]!.tookPiece();
    };
    this.#logs = layout.logs.map((place, shard) => {
      const records = data.records[shard]!;
      return new ShardLog({
        shard,
        shards: data.link.shards,
        folder: data.folder,
        disk: this.#disk,
        clock: systemClock,
        memory,
        opensFiles: true,
        ring: new RingReader(memory, place),
        blockAt: layout.logBlocks[shard]!,
        progress: this.#progress[shard]!,
        owner: new LogOwner(memory, layout.logOwners[shard]!, LogThread.diskThread),
        figures: new LogFigures(data.figures[shard]!),
        receive: () => {
          const received = receiveMessageOnPort(records);
          const record = (received?.message ??
            unreachable('a record arrives before its place in the ring')) as Pieces;
          this.#memory.noteReceived(bytesOfPieces(record));
          return record;
        },
        ...noticesOf((notice) => {
          this.#report(notice);
        }),
        // Writers of this thread check for syncs afterwards.
        unsynced: () => undefined,
      });
    });
  }

  /** Waits for orders; the first is to begin. */
  run(): void {
    const { port, pieces } = this.#data;
    port.on('message', (order: DiskOrder) => {
      this.#obey(order);
    });
    for (const [shard, each] of pieces.entries()) {
      each.on('message', (piece: SnapshotPiece | DiskNotice | LogLeft) => {
        if ('kind' in piece) {
          if (piece.kind === 'leaves') this.#leave(shard);
          else this.#report(piece);
          return;
        }
        this.#memory.noteReceived(piece.states.length);
        // Main has sent its order before, but what comes by another port may be seen first.
        if (piece.number > this.#snapshotNumber) this.#obeyAll();
        if (this.#snapshot?.number !== piece.number) this.#writeTook(shard);
        else if (piece.fault !== undefined) this.#giveUp(shard, piece.fault);
        else this.#snapshot.writer.take(shard, piece.states, piece.count);
      });
    }
    // Records and pieces that came by message are written at once: nothing large stays in use.
    this.#lookTimer = setInterval(() => {
      this.#memory.look(0, true);
      this.#lookAtFiles();
    }, LOOK_MS);
  }

  #begin(previous: readonly number[], { number, epoch }: LogStart): void {
    this.#epoch = epoch;
    this.#newest = newestSnapshot(this.#disk, this.#data.folder);
    for (const [shard, log] of this.#logs.entries()) {
      log.writesAhead = this.#mode === 'sync';
      log.begin(number, epoch, previous[shard] ?? 0);
    }
    this.#report({ kind: 'begun' });
    this.#listen();
  }

  /** Starts all logs over, or none. */
  #found({ number, epoch }: LogStart): void {
    this.#epoch = epoch;
    this.#newest = 0;
    const problem = outcomeOf(() => {
      for (const log of this.#logs) {
        log.writesAhead = this.#mode === 'sync';
        log.found(number, epoch);
      }
    });
    if (problem !== null) for (const log of this.#logs) log.unfound();
    this.#isUnfounded = problem === null;
    this.#report({ kind: 'founded', problem: problem?.message });
    this.#listen();
  }

  #listen(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    // Before the first sleep: a ring without a listener is lost.
    this.#bell.listen(() => {
      this.#look();
    });
    this.#look();
  }

  /** Closes the log of a shard that logs nothing any more. */
  #leave(shard: number): void {
    const log = this.#logs[shard]!;
    log.drain();
    log.close();
    this.#leaving += 1;
    if (this.#leaving < this.#logs.length) return;
    this.#leaving = 0;
    this.#report({ kind: 'left' });
  }

  #report(notice: DiskNotice): void {
    this.#data.port.postMessage(notice);
  }

  /** Writes waiting records, syncs the logs that are due, and schedules the next run. */
  #look(): void {
    if (this.#isStopped || !this.#hasBegun) return;
    clearTimeout(this.#timer);
    // The pieces of a snapshot come by way of the event loop.
    if (this.#mode === 'sync' && this.#snapshot === undefined && this.#stay()) {
      this.#lookSoon();
      return;
    }
    this.#bell.setAwake();
    this.#emptyLooks = this.#drain() ? 0 : this.#emptyLooks + 1;
    // Where somebody waits for every record, who needs this thread rings.
    const sleeps = this.#mode !== 'async' || this.#emptyLooks > EMPTY_LOOKS_MAX;
    if (sleeps) {
      this.#bell.setAsleep();
      if (this.#drain()) {
        this.#lookSoon();
        return;
      }
    }
    // Behind that: who writes itself rings when there is something to sync again.
    this.#lookIn(this.#syncWhatIsDue(), sleeps);
  }

  #lookSoon(): void {
    setImmediate(() => {
      this.#look();
    });
  }

  #lookIn(restMs: number, sleeps: boolean): void {
    if (sleeps && restMs === Infinity) return;
    this.#timer = setTimeout(
      () => {
        this.#look();
      },
      sleeps ? restMs : ACTIVE_MS,
    );
  }

  /**
   * Writes and syncs what comes as long as it comes. A thread that sleeps on the bell itself is awake after 10 us;
   * by way of the event loop, with the sync in another thread, all that waits for the disk waits 100 us more.
   * Answers whether there may be more, and only others must have their turn.
   */
  #stay(): boolean {
    const endUs = systemClock.nowUs() + STAY_US_MAX;
    do {
      this.#bell.setAsleep();
      if (!this.#drain()) {
        if (this.#bell.sleep(STAY_MS)) continue;
        return false;
      }
      this.#bell.setAwake();
      for (const log of this.#logs) log.sync(true);
    } while (systemClock.nowUs() < endUs);
    return true;
  }

  #drain(): boolean {
    let found = false;
    for (const log of this.#logs) found = log.drain() || found;
    return found;
  }

  /** Returns the milliseconds until the next sync is due. */
  #syncWhatIsDue(): number {
    if (this.#mode === 'async' || !this.#logs.some(({ isDirty }) => isDirty)) return Infinity;
    const nowUs = systemClock.nowUs();
    if (this.#mode === 'periodic' && nowUs < this.#syncDueUs) {
      return (this.#syncDueUs - nowUs) / 1_000;
    }
    this.#syncDueUs = nowUs + this.#syncIntervalMs * 1_000;
    for (const log of this.#logs) log.sync();
    return this.#mode === 'sync' ? Infinity : this.#syncIntervalMs;
  }

  /** Obeys every order that has come. */
  #obeyAll(): void {
    const { port } = this.#data;
    for (
      let order = receiveMessageOnPort(port);
      order !== undefined;
      order = receiveMessageOnPort(port)
    ) {
      this.#obey(order.message as DiskOrder);
    }
  }

  #obey(order: DiskOrder): void {
    switch (order.kind) {
      case 'begin':
        this.#begin(order.previous, order);
        break;
      case 'found':
        this.#found(order);
        break;
      case 'snapshot':
        this.#beginSnapshot(order.number);
        break;
      case 'abandon':
        this.#snapshot?.writer.fail(new Error(order.reason));
        break;
      case 'purge':
        this.#memory.purge();
        this.#report({ kind: 'purged' });
        break;
      case 'healed':
        for (const log of this.#logs) log.heal();
        break;
      case 'settings':
        this.#mode = order.mode;
        for (const log of this.#logs) log.writesAhead = order.mode === 'sync';
        this.#syncIntervalMs = order.syncIntervalMs;
        this.#snapshots = order;
        // A shorter interval begins now, not when the longer one ends.
        this.#syncDueUs = Math.min(
          this.#syncDueUs,
          systemClock.nowUs() + order.syncIntervalMs * 1_000,
        );
        this.#look();
        break;
      case 'stop':
        this.#stop(order.isSaved);
    }
  }

  #beginSnapshot(number: number): void {
    const { folder, link } = this.#data;
    const beganUs = systemClock.nowUs();
    this.#snapshotNumber = number;
    try {
      const writer = new SnapshotWriter({
        number,
        folder,
        epoch: this.#epoch,
        shards: link.shards,
        packs: this.#snapshots.packs,
        disk: this.#disk,
        clock: systemClock,
        took: this.#writeTook,
        ended: (result) => {
          this.#snapshot = undefined;
          if (result instanceof Error) this.#snapshotFailed(number, result);
          else this.#snapshotEnded(result, beganUs);
        },
      });
      this.#snapshot = { number, writer };
    } catch (error) {
      this.#snapshotFailed(number, error);
    }
  }

  /** Checks that the files still exist: if some were removed, the logs fail until a new snapshot has all data. */
  #lookAtFiles(): void {
    for (const log of this.#logs) log.look();
    const newest = snapshotFolder(this.#data.folder, this.#newest);
    if (this.#newest === 0 || hasManifest(this.#disk, newest)) return;
    for (const log of this.#logs) log.fail(`${newest} is missing`);
  }

  #giveUp(shard: number, fault: string): void {
    this.#snapshot?.writer.fail(new Error(fault));
    this.#writeTook(shard);
  }

  #snapshotEnded(manifest: Manifest, beganUs: number): void {
    const took = { us: systemClock.nowUs() - beganUs };
    this.#newest = manifest.number;
    const left = outcomeOf(() => {
      this.#removeOld(manifest.number);
    })?.message;
    const hasLogs = this.#logs.every(({ isOpen }) => isOpen);
    this.#report({ kind: 'snapshot', manifest, took, hasLogs, left });
  }

  /** Removes files that a new snapshot replaces: all from before the logs that start with it. */
  #removeOld(number: number): void {
    const { folder } = this.#data;
    if (!this.#isUnfounded) {
      removeOld(this.#disk, folder, this.#snapshots.snapshotsMax);
      return;
    }
    this.#isUnfounded = false;
    for (const log of this.#logs) log.founded();
    removeAllBut(this.#disk, folder, number);
  }

  #snapshotFailed(number: number, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#report({ kind: 'snapshot-failed', number, message });
  }

  #stop(isSaved: boolean): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#snapshot?.writer.fail(new Error('the server stops'));
    this.#drain();
    for (const log of this.#logs) log.close(isSaved);
    this.#report({ kind: 'stopped' });
    this.#bell.stop();
    const { port, records, pieces } = this.#data;
    clearInterval(this.#lookTimer);
    for (const each of [port, ...records, ...pieces]) each.close();
  }
}
