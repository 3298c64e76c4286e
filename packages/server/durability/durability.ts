/**
 * Durability as far as main has to do with it: the data folder, recovery at the start, snapshots, and what happens
 * when the disk fails. The logs themselves are written by the disk thread.
 */

import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { errors, type Clock, type CommandError, type Logger } from '#base';
import type { Settings } from '#config';
import { LogFigures, type FlightEvent, type LatencyEvents } from '#stats';
import { FrameKind } from '#link';
import {
  bytesOf,
  DataFolder,
  FolderLock,
  keysIn,
  makeFolder,
  markBroken,
  realDisk,
  segmentFile,
  type DiskNotice,
  type Manifest,
} from '#persistence';
import { emptyHead, type Router } from '#router';
import { diskSettings, type DiskLink } from '../threads/disk-link.ts';
import type { ServerMemory } from '../threads/shared-memory.ts';
import type { Disk } from './disk.ts';
import { ServerRecovery } from './recovery.ts';
import type { ShardPool } from '../threads/shard-pool.ts';
import { savePoints, SnapshotDue } from './snapshot-due.ts';

/** A sync that takes so long is notable. */
const SLOW_SYNC_US = 100_000;
/** Between two tries to go on behind a failure. */
const HEAL_MS = 1_000;
/** Snapshots are looked at whether one is due as often as this. */
const INTERVAL_CHECK_MS = 1_000;

interface DurabilityOptions {
  readonly settings: Settings;
  readonly serverMemory: ServerMemory;
  readonly log: Logger;
  readonly clock: Clock;
  readonly lock: FolderLock;
  readonly disk: Disk;
  readonly router: Router;
  readonly latency: LatencyEvents;
  /** Ends the turn of main, so that what was put into rings is seen. */
  readonly publish: () => void;
}

/** Snapshot under way, and who waits for it. */
interface SnapshotUnderWay {
  readonly number: number;
  readonly changes: number;
  readonly beganUs: number;
  readonly waiting: ((error: Error | undefined) => void)[];
}

/** Undefined where nothing is to be kept on disk; rejects with a DataFolderError when the folder is not to be had. */
export async function lockDataFolder(settings: Settings): Promise<FolderLock | undefined> {
  if (!settings.boolean('persistence.enabled')) return undefined;
  const dataDir = settings.string('persistence.data-dir');
  makeFolder(dataDir);
  return FolderLock.take(dataDir);
}

export class Durability {
  readonly #options: DurabilityOptions;
  readonly #folder: DataFolder;
  readonly #due: SnapshotDue;
  readonly disk: DiskLink;
  #nextNumber: number;
  #underWay: SnapshotUnderWay | undefined;
  #isScheduled = false;
  #failure: string | undefined;
  #healing: NodeJS.Timeout | undefined;
  #ticker: NodeJS.Timeout | undefined;
  #isStopping = false;
  /** The last snapshot has everything. */
  #isSavedAtEnd = false;

  constructor(options: DurabilityOptions) {
    const { serverMemory, disk } = options;
    this.#options = options;
    this.#folder = disk.folder;
    this.#due = new SnapshotDue(options);
    this.#nextNumber = disk.firstSegment + 1;
    this.disk = disk.link;
    this.disk.follow({
      notice: (notice) => {
        this.#take(notice);
      },
      died: (reason) => {
        serverMemory.failLogs();
        this.#markLogs();
        this.#logFailed(`the disk thread has died: ${String(reason)}`);
      },
    });
    this.#followSettings();
  }

  #followSettings(): void {
    const { settings } = this.#options;
    const tell = (): void => {
      this.disk.send({ kind: 'settings', ...diskSettings(settings) });
    };
    settings.onChange('persistence.durability-mode', tell);
    settings.onChange('persistence.sync-interval-ms', tell);
    settings.onChange('snapshot.max-snapshots', tell);
    settings.onChange('snapshot.compression', tell);
  }

  /** Brings all shards back to their data. Throws with what is wrong with it. */
  async recover(pool: ShardPool): Promise<void> {
    const { clock, serverMemory } = this.#options;
    const folder = this.#folder;
    const { mainPage } = serverMemory;
    const startUs = clock.nowUs();
    const begin = (): Promise<void> => this.#beginLog();
    if (await new ServerRecovery({ ...this.#options, folder, begin }, pool).run()) this.#due.owe();
    mainPage.set('recoveryUs', clock.nowUs() - startUs);
    const [newest] = folder.snapshots;
    mainPage.set('lastSaveMs', newest?.created_ms ?? Math.floor(clock.wallMs()));
  }

  /**
   * Begins the log, now that what is there will be used: before, nothing is written. No command is run before a log
   * can take it.
   */
  async #beginLog(): Promise<void> {
    const { serverMemory } = this.#options;
    const folder = this.#folder;
    for (const file of folder.stillborn) rmSync(file);
    // Repairs may have taken segments out.
    const repaired = new DataFolder(folder.folder);
    this.#due.begin(repaired.newestBytes);
    await this.disk.begin(serverMemory.logMemory.map((_, shard) => repaired.lastOf(shard)));
  }

  /** True while there is no data yet. */
  get isEmpty(): boolean {
    return this.#folder.isEmpty;
  }

  /** The server serves: snapshots are due from now on. */
  start(): void {
    this.#ticker = setInterval(() => {
      this.#tick();
    }, INTERVAL_CHECK_MS);
    this.#ticker.unref();
  }

  #tick(): void {
    if (this.#underWay !== undefined || this.#failure !== undefined) return;
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

  /** One place in the order of all shards: what was done before is in the snapshot, and nothing else. */
  #begin(): SnapshotUnderWay {
    const { serverMemory, clock, log, router, latency } = this.#options;
    const number = this.#nextNumber;
    this.#nextNumber += 1;
    const beganUs = clock.nowUs();
    const underWay = { number, changes: this.#changes, beganUs, waiting: [] };
    this.#underWay = underWay;
    serverMemory.mainPage.set('savingSinceMs', clock.wallMs());
    this.disk.send({ kind: 'snapshot', number });
    log.debug('snapshot-begun', `snapshot ${number} is begun`, { changes: underWay.changes });
    router.toAll({ ...emptyHead(), kind: FrameKind.snapshot, sequence: number });
    this.#options.publish();
    latency.record('fork', clock.nowUs() - beganUs, clock.wallMs());
    return underWay;
  }

  #take(notice: DiskNotice): void {
    const { log, clock, latency } = this.#options;
    switch (notice.kind) {
      case 'synced':
        latency.record('aof-fsync', notice.us, clock.wallMs());
        if (notice.us >= SLOW_SYNC_US) this.#note('slow-sync', [notice.shard, notice.us]);
        break;
      case 'snapshot':
        this.#saved(notice.manifest, notice.took.us);
        // Where the log could not begin behind it, the next snapshot is tried.
        if (this.#failure !== undefined && notice.hasLogs) this.#heal(notice.manifest.number);
        this.#next();
        break;
      case 'snapshot-failed':
        log.error('snapshot-failed', `snapshot ${notice.number} has failed: ${notice.message}`);
        this.#note('snapshot-failed', [notice.number]);
        this.#notSaved(new Error(notice.message));
        break;
      case 'log-failed':
        this.#logFailed(
          `the log of shard ${notice.shard} cannot be written: ${notice.message}`,
          notice.shard,
        );
        break;
      case 'begun':
      case 'purged':
      case 'stopped':
        break;
    }
  }

  #saved(manifest: Manifest, us: number): void {
    const { serverMemory, log, clock, latency, router } = this.#options;
    const { mainPage } = serverMemory;
    const underWay = this.#underWay;
    this.#underWay = undefined;
    mainPage.set('savingSinceMs', 0);
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
    const message = `snapshot ${manifest.number} is on disk: ${keys} keys`;
    log.info('snapshot', message, { keys, bytes: bytesOf(manifest), ms: Math.round(us / 1_000) });
    if (underWay !== undefined) router.tracing.snapshot(underWay.beganUs, keys);
    this.#note('snapshot', [manifest.number, keys, bytesOf(manifest), us]);
    for (const waiting of underWay?.waiting ?? []) waiting(undefined);
  }

  #notSaved(error: Error): void {
    const { mainPage } = this.#options.serverMemory;
    const underWay = this.#underWay;
    this.#underWay = undefined;
    mainPage.set('savingSinceMs', 0);
    mainPage.add('savesFailed', 1);
    this.#due.failed();
    mainPage.set('lastSaveFailed', 1);
    for (const waiting of underWay?.waiting ?? []) waiting(error);
    this.#next();
  }

  #next(): void {
    if (!this.#isScheduled || this.#isStopping) return;
    this.#isScheduled = false;
    if (this.#underWay === undefined) this.#begin();
  }

  // When the disk fails.

  /** Error with which writes are refused, or undefined. */
  get refusal(): CommandError | undefined {
    const { settings, serverMemory } = this.#options;
    if (this.#failure !== undefined) {
      const isReadOnly = settings.string('persistence.wal-failure-policy') === 'readonly';
      return isReadOnly ? errors.logFailed(this.#failure) : undefined;
    }
    const isSaved = serverMemory.mainPage.get('lastSaveFailed') === 0;
    if (isSaved || !settings.boolean('snapshot.stop-writes-on-error')) return undefined;
    return savePoints(settings).length > 0 ? errors.snapshotFailed : undefined;
  }

  get failure(): string | undefined {
    return this.#failure;
  }

  #logFailed(message: string, shard = -1): void {
    const { log, serverMemory, settings } = this.#options;
    const isNew = this.#failure === undefined;
    this.#failure = message;
    serverMemory.mainPage.set('logFailed', 1);
    this.#note('log-failed', [shard]);
    if (isNew) {
      const policy = settings.string('persistence.wal-failure-policy');
      const then = policy === 'readonly' ? 'writes are refused' : 'writes go on and ARE NOT KEPT';
      log.error('log-failed', `${message}; ${then} until a snapshot succeeds`);
    }
    this.#tryToHeal();
  }

  /** Marks the logs as broken: the thread that writes them cannot say any more that they have ended. */
  #markLogs(): void {
    const { serverMemory, clock } = this.#options;
    for (const [shard, memory] of serverMemory.logMemory.entries()) {
      const number = new LogFigures(memory).get('segment');
      markBroken(realDisk, segmentFile(this.#folder.folder, shard, number), clock.wallMs());
    }
  }

  /** Begins snapshots until one succeeds: it has what the log lacks now, and the log goes on behind it. */
  #tryToHeal(): void {
    if (this.#isStopping || this.#healing !== undefined) return;
    this.#healing = setTimeout(() => {
      this.#healing = undefined;
      if (this.#failure === undefined || this.#isStopping) return;
      if (this.#underWay === undefined) this.#begin();
      this.#tryToHeal();
    }, HEAL_MS);
    this.#healing.unref();
  }

  #heal(number: number): void {
    const { log, serverMemory } = this.#options;
    this.#failure = undefined;
    serverMemory.mainPage.set('logFailed', 0);
    this.disk.send({ kind: 'healed' });
    this.#note('log-healed', [number]);
    log.info('log-healed', 'the log is written again');
  }

  #note(event: FlightEvent, numbers: readonly number[]): void {
    const { serverMemory, clock } = this.#options;
    serverMemory.flight.note(event, clock.nowUs(), numbers);
  }

  /**
   * The log has everything; a snapshot makes the next start short. What time is left for it is bounded; `wanted`
   * says what SHUTDOWN was told, if it was.
   */
  async saveAtEnd(leftMs: number, wanted: boolean | undefined): Promise<void> {
    const { settings } = this.#options;
    const isUsual = savePoints(settings).length > 0 && this.changesSinceSave > 0;
    // What a log that has failed lacks is nowhere else.
    const isNeeded = isUsual || this.#failure !== undefined;
    if (!(wanted ?? isNeeded) || leftMs <= 0) return;
    const failure = await Promise.race([
      this.save().catch((error: unknown) => String(error)),
      sleep(leftMs, 'it took too long', { ref: false }),
    ]);
    this.#isSavedAtEnd = failure === undefined;
  }

  /** Has all on disk. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#ticker);
    clearTimeout(this.#healing);
    await this.disk.stop(this.#isSavedAtEnd);
    this.#options.lock.release();
  }
}
