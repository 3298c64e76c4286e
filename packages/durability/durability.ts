/**
 * Durability as far as main has to do with it: recovery at the start, the logs' beginning and end while the server runs,
 * snapshots. The logs themselves are written by shards and the disk thread.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Clock,
  type CommandError,
  errnoIn,
  everySecond,
  type Logger,
  unreachable,
} from '#base';
import type { Settings } from '#config';
import type { FlightEvent, LatencyEvents } from '#stats';
import { FrameKind } from '#link';
import {
  bytesOf,
  DataFolder,
  DataFolderError,
  type DiskNotice,
  forgetStreamPlace,
  type KeptPlace,
  keysIn,
  type LogStart,
  type Manifest,
  readStreamPlace,
} from '#persistence';
import { emptyHead, type Router } from '#router';
import { type DiskLink, diskSettings, savePoints, type ServerMemory, type ShardPool } from '#main';
import type { KeyFreeze } from './key-freeze.ts';
import { DiskOutcomes } from './disk-outcomes.ts';
import { markLogs, removeLeftovers } from './data-files.ts';
import { LogFailure } from './log-failure.ts';
import { ServerRecovery } from './recovery.ts';
import { SnapshotDue } from './snapshot-due.ts';
import { SnapshotLines } from './snapshot-lines.ts';

/** Duration from which a sync is a notable event, in microseconds. */
const SLOW_SYNC_US = 100_000;
const SWITCHED_OFF = 'persistence was switched off';

export interface DurabilityOptions {
  readonly settings: Settings;
  readonly serverMemory: ServerMemory;
  readonly log: Logger;
  readonly clock: Clock;
  readonly folder: string;
  readonly disk: DiskLink;
  readonly router: Router;
  readonly latency: LatencyEvents;
  readonly freeze: KeyFreeze;
  /**
   * The data is read, and no command was run: with the place in the stream of replication that belongs to it; undefined
   * where that is not known.
   */
  readonly recovered: (place: KeptPlace | undefined) => void;
  /** Ends the turn of main, so that frames in the rings are published. */
  readonly publish: () => void;
}

/** Snapshot under way, and who waits for it. */
interface SnapshotUnderWay {
  readonly number: number;
  readonly changes: number;
  readonly beganUs: number;
  readonly waiting: ((error: Error | undefined) => void)[];
  /** False while the keys are frozen for another purpose: the shards were not notified yet. */
  hasFreeze: boolean;
}

/** The data folder as the start has found it, and what the logs of this life begin with. */
interface Start extends LogStart {
  readonly folder: DataFolder;
}

export class Durability {
  readonly #options: DurabilityOptions;
  readonly #due: SnapshotDue;
  readonly #failure: LogFailure;
  readonly #lines: SnapshotLines;
  readonly disk: DiskLink;
  readonly outcomes = new DiskOutcomes();
  #start: Start | undefined;
  #isOn = false;
  /** Number of the next snapshot. */
  #nextNumber = 0;
  #underWay: SnapshotUnderWay | undefined;
  #isScheduled = false;
  #stopTicker: (() => void) | undefined;
  #isStopping = false;
  /** The last snapshot has everything. */
  #isSavedAtEnd = false;

  constructor(options: DurabilityOptions) {
    this.#options = options;
    this.#due = new SnapshotDue(options);
    this.#lines = new SnapshotLines(options.log, options.clock);
    this.#failure = new LogFailure({
      ...options,
      note: (event, numbers) => {
        this.#note(event, numbers);
      },
      tryAgain: () => {
        if (this.#underWay === undefined) this.#begin();
      },
    });
    this.disk = options.disk;
    this.disk.follow({
      notice: (notice) => {
        this.#take(notice);
      },
      died: (reason) => {
        options.serverMemory.failLogs();
        if (this.#isOn) markLogs(this.#options);
        this.#logFailed(`the disk thread has died: ${String(reason)}`);
      },
    });
    this.#followSettings();
  }

  #followSettings(): void {
    const { settings } = this.#options;
    const report = (): void => {
      this.disk.send({ kind: 'settings', ...diskSettings(settings) });
    };
    settings.onChange('persistence.durability-mode', report);
    settings.onChange('persistence.sync-interval-ms', report);
    settings.onChange('snapshot.max-snapshots', report);
    settings.onChange('snapshot.compression', report);
  }

  // The start, with data on disk or to be kept there.

  /** All that is in the folder is to be read. */
  open(folder: DataFolder): void {
    const start = { folder, number: folder.lastSegment + 1, epoch: folder.lastEpoch + 1 };
    this.#start = start;
    this.#nextNumber = start.number + 1;
    this.#setOn(true);
  }

  get #opened(): Start {
    return this.#start ?? unreachable('the data folder was opened');
  }

  /** True while there is no data yet. */
  get isEmpty(): boolean {
    return this.#opened.folder.isEmpty;
  }

  /** Recovers the data of all shards. Throws an error for unreadable data. */
  async recover(pool: ShardPool): Promise<void> {
    const { clock, serverMemory } = this.#options;
    const { folder } = this.#opened;
    const { mainPage } = serverMemory;
    const startUs = clock.nowUs();
    const begin = (isWhole: boolean): Promise<void> => this.#beginLog(isWhole);
    if (await new ServerRecovery({ ...this.#options, folder, begin }, pool).run()) this.#due.owe();
    mainPage.set('recoveryUs', clock.nowUs() - startUs);
    const [newest] = folder.snapshots;
    mainPage.set('lastSaveMs', newest?.created_ms ?? Math.floor(clock.wallMs()));
  }

  /**
   * Begins the log, now that what is there will be used: before, nothing is written. No command is run before a log
   * can take it.
   */
  async #beginLog(isWhole: boolean): Promise<void> {
    const { serverMemory } = this.#options;
    const { folder } = this.#opened;
    this.#options.recovered(isWhole ? readStreamPlace(folder) : undefined);
    forgetStreamPlace(folder.folder);
    removeLeftovers(folder);
    // Repairs may have taken segments out.
    const repaired = new DataFolder(folder.folder);
    this.#due.begin(repaired.newestBytes);
    const previous = serverMemory.logMemory.map((_, shard) => repaired.lastOf(shard));
    await this.disk.begin(previous, this.#opened);
  }

  // CONFIG SET appendonly.

  /** True while persistence is on. */
  get isOn(): boolean {
    return this.#isOn;
  }

  #setOn(isOn: boolean): void {
    const { serverMemory, router } = this.#options;
    this.#isOn = isOn;
    serverMemory.mainPage.set('keepsData', Number(isOn));
    if (isOn) router.isDurable = true;
  }

  /**
   * Persists further changes, based on a snapshot of the current data: once it is on disk, it replaces the contents of
   * the folder. Rejects with an error if the folder cannot be written; nothing has changed then.
   */
  async found(): Promise<void> {
    const { serverMemory, clock } = this.#options;
    const { mainPage } = serverMemory;
    const folder = new DataFolder(this.#options.folder);
    removeLeftovers(folder);
    const number = Math.max(folder.lastSegment + 1, this.#nextNumber);
    await this.disk.found({ number, epoch: folder.lastEpoch + 1 });
    // The log begins with the snapshot.
    while (this.#options.freeze.isTaken) await this.#options.freeze.freed();
    if (this.#isStopping) throw new DataFolderError('the server stops');
    this.#nextNumber = number;
    mainPage.set('awaitsSnapshot', 1);
    mainPage.set('lastSaveFailed', 0);
    if (this.lastSaveMs === 0) mainPage.set('lastSaveMs', Math.floor(clock.wallMs()));
    this.#due.found();
    this.#setOn(true);
    this.start();
    this.#begin();
  }

  /** Keeps nothing from now on. What was logged stays on disk as it is; settles when all of it is there. */
  async leave(): Promise<void> {
    const { serverMemory, router, publish } = this.#options;
    const closed = this.disk.left();
    this.#setOn(false);
    this.#isScheduled = false;
    this.#failure.forget();
    serverMemory.mainPage.set('awaitsSnapshot', 0);
    if (this.#underWay?.hasFreeze === false) this.#endSnapshot(new Error(SWITCHED_OFF));
    else if (this.#underWay !== undefined)
      this.disk.send({ kind: 'abandon', reason: SWITCHED_OFF });
    router.toAll({ ...emptyHead(), kind: FrameKind.leaveLog });
    publish();
    await closed;
    router.isDurable = false;
    // Of a log whose first snapshot is not on disk nothing counts, and on a full disk its room is wanted.
    removeLeftovers(new DataFolder(this.#options.folder));
  }

  /** The server serves: snapshots are due from now on. */
  start(): void {
    this.#stopTicker ??= everySecond(() => {
      this.#tick();
    });
  }

  #tick(): void {
    if (!this.#isOn || this.#underWay !== undefined) return;
    if (this.#failure.message !== undefined) return;
    if (this.#isScheduled) this.#next();
    else if (this.#due.isDue(this.changesSinceSave)) this.#begin();
  }

  // Snapshots.

  get lastSaveMs(): number {
    return this.#options.serverMemory.mainPage.get('lastSaveMs');
  }

  get isSaving(): boolean {
    return this.#underWay !== undefined;
  }

  get changesSinceSave(): number {
    const { mainPage } = this.#options.serverMemory;
    return this.#changes - mainPage.get('changesAtSave');
  }

  get #changes(): number {
    return this.#options.serverMemory.shardPages.reduce(
      (sum, page) => sum + page.get('changes'),
      0,
    );
  }

  /** Takes a snapshot; settles when it is on disk, and rejects when it is not. One that is under way is waited for first. */
  async save(): Promise<void> {
    if (this.#underWay !== undefined) await this.#ended(this.#underWay).catch(() => undefined);
    const underWay = this.#underWay ?? this.#begin();
    await this.#ended(underWay);
  }

  /** BGSAVE: false when one is under way; with `schedule` one more follows it. */
  saveInBackground(schedule: boolean): 'started' | 'scheduled' | 'busy' {
    if (this.#underWay === undefined) {
      this.#begin();
      return 'started';
    }
    if (!schedule) return 'busy';
    this.#isScheduled = true;
    return 'scheduled';
  }

  saveLater(): void {
    this.#isScheduled = true;
  }

  #ended(underWay: SnapshotUnderWay): Promise<void> {
    return new Promise((resolve, reject) => {
      underWay.waiting.push((error) => {
        if (error === undefined) resolve();
        else reject(error);
      });
    });
  }

  /** Starts a snapshot at one cut of all shards: it contains exactly the commands before the cut. */
  #begin(): SnapshotUnderWay {
    const { serverMemory, clock, router, latency } = this.#options;
    const number = this.#nextNumber;
    this.#nextNumber += 1;
    const beganUs = clock.nowUs();
    const underWay: SnapshotUnderWay = {
      number,
      changes: this.#changes,
      beganUs,
      waiting: [],
      hasFreeze: false,
    };
    this.#underWay = underWay;
    serverMemory.mainPage.set('savingSinceMs', clock.wallMs());
    // A full synchronisation of replicas may have frozen the keys.
    this.#options.freeze.whenFree(() => {
      if (this.#underWay !== underWay) {
        this.#options.freeze.release();
        return;
      }
      underWay.hasFreeze = true;
      this.disk.send({ kind: 'snapshot', number });
      this.#lines.began(number, underWay.changes);
      router.toAll({ ...emptyHead(), kind: FrameKind.snapshot, sequence: number });
      this.#options.publish();
      latency.record('fork', clock.nowUs() - beganUs, clock.wallMs());
    });
    return underWay;
  }

  #take(notice: DiskNotice): void {
    const { clock, latency } = this.#options;
    switch (notice.kind) {
      case 'synced':
        latency.record('aof-fsync', notice.us, clock.wallMs());
        if (notice.us >= SLOW_SYNC_US) this.#note('slow-sync', [notice.shard, notice.us]);
        break;
      case 'snapshot':
        this.#lines.finished(notice.manifest, notice.took.us, notice.left);
        this.#saved(notice.manifest, notice.took.us, notice.hasLogs);
        break;
      case 'snapshot-failed':
        this.#notSaved(notice.number, new Error(notice.message));
        break;
      case 'log-failed':
        this.#logFailed(
          `the log of shard ${notice.shard} cannot be written: ${notice.message}`,
          notice.shard,
        );
        break;
      case 'begun':
      case 'founded':
      case 'left':
      case 'purged':
      case 'stopped':
        break;
    }
  }

  #saved(manifest: Manifest, us: number, hasLogs: boolean): void {
    const { serverMemory, clock, latency, router } = this.#options;
    const { mainPage } = serverMemory;
    const underWay = this.#underWay;
    mainPage.set('awaitsSnapshot', 0);
    mainPage.add('saves', 1);
    mainPage.set('lastSaveMs', Math.floor(clock.wallMs()));
    mainPage.set('lastSaveFailed', 0);
    mainPage.set('lastSaveUs', us);
    mainPage.set('lastSaveBytes', bytesOf(manifest));
    mainPage.set('lastSaveKeys', keysIn(manifest));
    this.#due.saved(bytesOf(manifest));
    mainPage.set('changesAtSave', underWay?.changes ?? 0);
    latency.record('snapshot-io', us, clock.wallMs());
    const keys = keysIn(manifest);
    if (underWay !== undefined) router.tracing.snapshot(underWay.beganUs, keys);
    this.#note('snapshot', [manifest.number, keys, bytesOf(manifest), us]);
    this.outcomes.saved({
      number: manifest.number,
      time_ms: Math.floor(clock.wallMs()),
      duration_us: Math.round(us),
      keys,
      bytes: bytesOf(manifest),
    });
    this.#endSnapshot(undefined);
    // Where the log could not begin behind it, the next snapshot is tried.
    if (hasLogs) this.#heal(manifest.number);
    else this.#failure.stillFails();
    this.#next();
  }

  #notSaved(number: number, error: Error): void {
    if (!this.#isOn) {
      // The snapshot is no longer needed.
      this.#endSnapshot(error);
      return;
    }
    const { serverMemory, clock } = this.#options;
    const { mainPage } = serverMemory;
    this.#lines.failed(number, error, this.#isStopping);
    this.#note('snapshot-failed', [number]);
    this.outcomes.failed({ what: 'snapshot', shard: null }, error.message, clock.wallMs());
    mainPage.add('savesFailed', 1);
    this.#due.failed();
    this.#failure.stillFails();
    mainPage.set('lastSaveFailed', 1);
    mainPage.set('snapshotErrno', errnoIn(error.message));
    this.#endSnapshot(error);
    this.#next();
  }

  /** Notifies the waiters of the current snapshot of its outcome. */
  #endSnapshot(error: Error | undefined): void {
    const underWay = this.#underWay;
    this.#underWay = undefined;
    if (underWay?.hasFreeze === true) this.#options.freeze.release();
    this.#options.serverMemory.mainPage.set('savingSinceMs', 0);
    for (const waiting of underWay?.waiting ?? []) waiting(error);
  }

  #next(): void {
    if (!this.#isScheduled || this.#isStopping || !this.#isOn) return;
    this.#isScheduled = false;
    if (this.#underWay === undefined) this.#begin();
  }

  // When the disk fails.

  /** Error with which writes are refused, or undefined. */
  get refusal(): CommandError | undefined {
    return this.#failure.refusal;
  }

  #logFailed(message: string, shard = -1): void {
    // A log that could not be closed is reported, and nothing waits for it.
    const at = { what: 'log', shard: shard < 0 ? null : shard } as const;
    this.outcomes.failed(at, message, this.#options.clock.wallMs());
    if (this.#isOn) this.#failure.begin(message, shard);
    else this.#options.log.error('log-failed', message);
  }

  /** The snapshot contains what the logs lack, and they continue after it. */
  #heal(number: number): void {
    if (this.#failure.message === undefined) return;
    this.disk.send({ kind: 'healed' });
    this.#failure.healed(number);
  }

  #note(event: FlightEvent, numbers: readonly number[]): void {
    const { serverMemory, clock } = this.#options;
    serverMemory.flight.note(event, clock.nowUs(), numbers);
  }

  /**
   * The log is complete; a snapshot makes the next start faster. The time for it is limited; `wanted` is the option of
   * SHUTDOWN, if any.
   */
  async saveAtEnd(leftMs: number, wanted: boolean | undefined): Promise<void> {
    const { settings } = this.#options;
    const isUsual = savePoints(settings).length > 0 && this.changesSinceSave > 0;
    // Records that a failed log lacks exist nowhere else, and a log that has started over depends on its snapshot.
    const awaitsSnapshot = this.#options.serverMemory.mainPage.get('awaitsSnapshot') === 1;
    const isNeeded = isUsual || awaitsSnapshot || this.#failure.message !== undefined;
    if (!(wanted ?? isNeeded) || leftMs <= 0) return;
    const failure = await Promise.race([
      this.save().catch((error: unknown) => String(error)),
      sleep(leftMs, 'it took too long', { ref: false }),
    ]);
    this.#isSavedAtEnd = failure === undefined;
  }

  /** True when all that was done is on disk once this has stopped. */
  get isWhole(): boolean {
    const awaitsSnapshot = this.#options.serverMemory.mainPage.get('awaitsSnapshot') === 1;
    return this.#isOn && !awaitsSnapshot && this.#failure.message === undefined;
  }

  /** Has all on disk. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#stopTicker?.();
    this.#failure.stop();
    await this.disk.stop(this.#isSavedAtEnd);
  }
}
