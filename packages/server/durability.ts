/**
 * What main has to do with durability: the data folder, recovery at the start, snapshots, and what happens
 * when the disk fails. The logs themselves are written by the disk thread.
 */

import { rmSync } from 'node:fs';
import { errors, type Clock, type CommandError, type Logger } from '#base';
import type { Settings } from '#config';
import { FrameKind } from '#link';
import {
  DataFolder,
  DataFolderError,
  FolderLock,
  keysIn,
  bytesOf,
  transactionId,
  type DiskNotice,
  type DurabilityMode,
  type Manifest,
  type RecoveryPlan,
} from '#persistence';
import { emptyHead, type Router } from '#router';
import type { OfflineOptions, OfflineReport, RecoveryAnswer } from '#shard';
import { redistributionUrl } from '#workers';
import { DiskLink } from './disk-link.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { Fabric } from './fabric.ts';
import type { ShardPool } from './shard-pool.ts';
import { shardSettings } from './shard-settings.ts';

/** Between two tries to go on behind a failure. */
const HEAL_MS = 1_000;
/** Snapshots are looked at whether one is due as often as this. */
const INTERVAL_CHECK_MS = 1_000;

export interface DurabilityParts {
  readonly settings: Settings;
  readonly fabric: Fabric;
  readonly log: Logger;
  readonly clock: Clock;
  readonly folder: DataFolder;
  readonly lock: FolderLock;
  router(): Router;
  diagnosis(): Diagnosis;
  /** Ends the turn of main, so that what was put into rings is seen. */
  publish(): void;
}

/** Who waits for a snapshot. */
interface SnapshotUnderWay {
  readonly number: number;
  readonly changes: number;
  readonly waiting: ((error: Error | undefined) => void)[];
}

export class Durability {
  readonly #parts: DurabilityParts;
  readonly #lock: FolderLock;
  readonly epoch: number;
  readonly disk: DiskLink;
  #nextNumber: number;
  #underWay: SnapshotUnderWay | undefined;
  #isScheduled = false;
  #failure: string | undefined;
  #healing: NodeJS.Timeout | undefined;
  #ticker: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(parts: DurabilityParts) {
    this.#parts = parts;
    const { folder, settings, fabric } = parts;
    this.#lock = parts.lock;
    this.epoch = folder.lastEpoch + 1;
    const firstSegment = folder.lastSegment + 1;
    this.#nextNumber = firstSegment + 1;
    this.disk = new DiskLink({
      options: {
        ...{ link: fabric.shape, memory: fabric.memory.memory, figures: fabric.logMemory },
        ...{ folder: folder.folder, epoch: this.epoch, firstSegment },
        mode: modeOf(settings),
        syncIntervalMs: settings.number('persistence.sync-interval-ms'),
        packs: settings.boolean('snapshot.compression'),
        snapshotsMax: settings.number('snapshot.max-snapshots'),
      },
      notice: (notice) => {
        this.#take(notice);
      },
      died: (reason) => {
        this.#logFailed(`the disk thread has died: ${String(reason)}`);
      },
    });
    this.#followSettings();
  }

  #followSettings(): void {
    const { settings } = this.#parts;
    const tell = (): void => {
      this.disk.send({
        kind: 'settings',
        mode: modeOf(settings),
        syncIntervalMs: settings.number('persistence.sync-interval-ms'),
        snapshotsMax: settings.number('snapshot.max-snapshots'),
      });
    };
    settings.onChange('persistence.durability-mode', tell);
    settings.onChange('persistence.sync-interval-ms', tell);
    settings.onChange('snapshot.max-snapshots', tell);
  }

  // Recovery.

  /** Whether there is no data yet. */
  get isEmpty(): boolean {
    return this.#parts.folder.isEmpty;
  }

  /** Brings all shards back to their data. Throws with what is wrong with it. */
  async recover(pool: ShardPool): Promise<void> {
    const { folder, log, clock, settings, fabric } = this.#parts;
    const startUs = clock.nowUs();
    for (const message of folder.rejected) log.warn('snapshot-rejected', message);
    const anyway = settings.boolean('persistence.recover-anyway');
    const redistributed = await this.#redistribute(anyway);
    let refusal: DataFolderError | undefined;
    for (let nth = 0; ; nth += 1) {
      const plan = redistributed ?? planOr(folder, nth, refusal);
      if (!folder.isEmpty) {
        const from = plan.manifest === undefined ? 'nothing' : `snapshot ${plan.number}`;
        const bytes = plan.shards.reduce((sum, shard) => sum + shard.bytes, 0);
        log.info('recovering', `the data is read, from ${from} on`, { bytes, from });
      }
      const problem = await this.#recoverFrom(plan, pool, anyway);
      if (problem === undefined) break;
      const isLast = redistributed !== undefined || nth >= folder.snapshots.length;
      refusal = new DataFolderError(
        `${problem.message}. Nothing was changed. --recover-anyway starts with what can be read`,
      );
      if (!problem.isSnapshot || isLast) throw refusal;
      log.warn('snapshot-damaged', `${problem.message}; the one before is tried`);
    }
    const us = clock.nowUs() - startUs;
    const keys = fabric.shardPages.reduce((sum, page) => sum + page.get('loadedKeys'), 0);
    fabric.mainPage.set('recoveryUs', us);
    const [newest] = folder.snapshots;
    fabric.mainPage.set('lastSaveMs', newest?.created_ms ?? Math.floor(clock.wallMs()));
    if (!folder.isEmpty) {
      const ms = Math.round(us / 1_000);
      log.info('recovered', `${keys} keys are back after ${ms} ms`, { keys, ms });
    }
  }

  /** Data that was written for another number of shards is written anew first; answers what to read then. */
  async #redistribute(anyway: boolean): Promise<RecoveryPlan | undefined> {
    const { folder, settings, log, fabric } = this.#parts;
    const { shards } = fabric.shape;
    if (folder.isEmpty || folder.shards === shards) return undefined;
    const from = `${folder.shards} to ${shards} shards`;
    log.info('redistributing', `the data is brought from ${from}`);
    // Seldom used, and not to be waited for by every start.
    const { Piscina } = await import('piscina');
    const pool = new Piscina<OfflineOptions & { shards: number }, OfflineReport>({
      filename: redistributionUrl.href,
      minThreads: 1,
      maxThreads: 1,
    });
    try {
      const options = { folder: folder.folder, anyway, shards, settings: shardSettings(settings) };
      const report = await pool.run(options, { name: 'runRedistribution' });
      for (const remark of report.remarks) log.warn('left-out', remark);
      log.info('redistributed', `${report.keys} keys were brought from ${from}`);
    } finally {
      await pool.destroy();
    }
    // The log of this life begins behind it, and has nothing yet.
    return new DataFolder(folder.folder).planOfSnapshot();
  }

  async #recoverFrom(
    plan: RecoveryPlan,
    pool: ShardPool,
    anyway: boolean,
  ): Promise<{ isSnapshot: boolean; message: string } | undefined> {
    const { fabric, log } = this.#parts;
    const answers = await Promise.all(
      fabric.shardPages.map((_, shard) =>
        pool.ask(shard, { kind: 'recover', plan: plan.shards[shard], anyway }),
      ),
    );
    for (const answer of answers) if (answer.kind === 'not-recovered') return answer.problem;
    let lost = 0;
    for (const answer of answers) {
      if (answer.kind !== 'recovered') continue;
      for (const { message, bytes, isDamage } of answer.report.leftOut) {
        if (isDamage) lost += bytes;
        const what = `${message}; ${bytes} bytes are left out`;
        log[isDamage ? 'error' : 'warn'](isDamage ? 'log-damaged' : 'log-torn', what);
      }
    }
    fabric.mainPage.set('recoveryLostBytes', lost);
    await Promise.all(answers.map((_, shard) => pool.ask(shard, { kind: 'repair' })));
    this.#beginLog();
    await this.#complete(answers, pool);
    return undefined;
  }

  /** What is there will be used: only now anything is written. */
  #beginLog(): void {
    const { folder, fabric } = this.#parts;
    for (const file of folder.stillborn) rmSync(file);
    // Repairs may have taken segments out.
    const repaired = new DataFolder(folder.folder);
    this.disk.begin(fabric.logMemory.map((_, shard) => repaired.lastOf(shard)));
  }

  /** Gives each shard the transactions that its log has not, and lets all go. */
  async #complete(answers: readonly RecoveryAnswer[], pool: ShardPool): Promise<void> {
    const missing = missingTransactions(answers);
    const records: Uint8Array[][] = answers.map(() => []);
    for (const [giver, wanted] of missing) {
      const ids = [...wanted.keys()];
      const answer = await pool.ask(giver, { kind: 'give', ids });
      if (answer.kind !== 'given') continue;
      for (const [nth, record] of answer.records.entries()) {
        for (const shard of wanted.get(ids[nth]!) ?? []) records[shard]!.push(record);
      }
    }
    for (const each of records) {
      if (each.length > 0) {
        const message = `${each.length} transactions were on the disk of other shards only, and are made good`;
        this.#parts.log.info('transactions-completed', message);
      }
    }
    await Promise.all(
      records.map((each, shard) => pool.ask(shard, { kind: 'go', records: inOrder(each) })),
    );
  }

  /** The server serves: snapshots are due from now on. */
  start(): void {
    this.#ticker = setInterval(() => {
      this.#tick();
    }, INTERVAL_CHECK_MS);
    this.#ticker.unref();
  }

  #tick(): void {
    const { settings, fabric, clock } = this.#parts;
    const intervalMs = settings.number('snapshot.interval-secs') * 1_000;
    if (intervalMs === 0 || this.changesSinceSave === 0) return;
    if (clock.wallMs() - fabric.mainPage.get('lastSaveMs') < intervalMs) return;
    if (this.#underWay === undefined && this.#failure === undefined) this.#begin();
  }

  // Snapshots.

  get lastSaveMs(): number {
    return this.#parts.fabric.mainPage.get('lastSaveMs');
  }

  get isSaving(): boolean {
    return this.#underWay !== undefined;
  }

  get changesSinceSave(): number {
    const { mainPage } = this.#parts.fabric;
    return this.#changes - mainPage.get('changesAtSave');
  }

  get #changes(): number {
    return this.#parts.fabric.shardPages.reduce((sum, page) => sum + page.get('changes'), 0);
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
    const { fabric, clock } = this.#parts;
    const number = this.#nextNumber;
    this.#nextNumber += 1;
    const underWay = { number, changes: this.#changes, waiting: [] };
    this.#underWay = underWay;
    fabric.mainPage.set('savingSinceMs', clock.wallMs());
    this.disk.send({ kind: 'snapshot', number });
    const beganUs = clock.nowUs();
    const router = this.#parts.router();
    router.toAll({ ...emptyHead(), kind: FrameKind.snapshot, sequence: number });
    this.#parts.publish();
    this.#parts.diagnosis().latency.record('fork', clock.nowUs() - beganUs, clock.wallMs());
    return underWay;
  }

  #take(notice: DiskNotice): void {
    const { log, clock } = this.#parts;
    switch (notice.kind) {
      case 'ready':
        break;
      case 'synced':
        this.#parts.diagnosis().latency.record('aof-fsync', notice.us, clock.wallMs());
        break;
      case 'snapshot':
        this.#saved(notice.manifest, notice.took.us);
        // Where the log could not begin behind it, the next snapshot is tried.
        if (this.#failure !== undefined && notice.hasLogs) this.#heal();
        this.#next();
        break;
      case 'snapshot-failed':
        log.error('snapshot-failed', `snapshot ${notice.number} has failed: ${notice.message}`);
        this.#notSaved(new Error(notice.message));
        break;
      case 'log-failed':
        this.#logFailed(`the log of shard ${notice.shard} cannot be written: ${notice.message}`);
        break;
      case 'stopped':
        break;
    }
  }

  #saved(manifest: Manifest, us: number): void {
    const { fabric, log, clock, diagnosis } = this.#parts;
    const { mainPage } = fabric;
    const underWay = this.#underWay;
    this.#underWay = undefined;
    mainPage.set('savingSinceMs', 0);
    mainPage.add('saves', 1);
    mainPage.set('lastSaveMs', Math.floor(clock.wallMs()));
    mainPage.set('lastSaveFailed', 0);
    mainPage.set('lastSaveUs', us);
    mainPage.set('lastSaveBytes', bytesOf(manifest));
    mainPage.set('lastSaveKeys', keysIn(manifest));
    mainPage.set('changesAtSave', underWay?.changes ?? 0);
    diagnosis().latency.record('snapshot-io', us, clock.wallMs());
    const keys = keysIn(manifest);
    const message = `snapshot ${manifest.number} is on disk: ${keys} keys`;
    log.info('snapshot', message, { keys, bytes: bytesOf(manifest), ms: Math.round(us / 1_000) });
    for (const waiting of underWay?.waiting ?? []) waiting(undefined);
  }

  #notSaved(error: Error): void {
    const { mainPage } = this.#parts.fabric;
    const underWay = this.#underWay;
    this.#underWay = undefined;
    mainPage.set('savingSinceMs', 0);
    mainPage.add('savesFailed', 1);
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

  /** Why writes are refused, or undefined. */
  get refusal(): CommandError | undefined {
    if (this.#failure === undefined) return undefined;
    const isReadOnly = this.#parts.settings.string('persistence.wal-failure-policy') === 'readonly';
    return isReadOnly ? errors.logFailed(this.#failure) : undefined;
  }

  get failure(): string | undefined {
    return this.#failure;
  }

  #logFailed(message: string): void {
    const { log, fabric, settings } = this.#parts;
    const isNew = this.#failure === undefined;
    this.#failure = message;
    fabric.mainPage.set('logFailed', 1);
    if (isNew) {
      const policy = settings.string('persistence.wal-failure-policy');
      const then = policy === 'readonly' ? 'writes are refused' : 'writes go on and ARE NOT KEPT';
      log.error('log-failed', `${message}; ${then} until a snapshot succeeds`);
    }
    this.#tryToHeal();
  }

  /** What the log lacks now is in the next snapshot, and the log goes on behind it. */
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

  #heal(): void {
    const { log, fabric } = this.#parts;
    this.#failure = undefined;
    fabric.mainPage.set('logFailed', 0);
    this.disk.send({ kind: 'healed' });
    log.info('log-healed', 'the log is written again');
  }

  /** Has all on disk. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#ticker);
    clearTimeout(this.#healing);
    await this.disk.stop();
    this.#lock.release();
  }
}

/** What to read with the `nth` snapshot; where that cannot be, the reason for which the one before was left is thrown. */
function planOr(
  folder: DataFolder,
  nth: number,
  refusal: DataFolderError | undefined,
): RecoveryPlan {
  try {
    return folder.plan(nth);
  } catch (error) {
    throw refusal ?? error;
  }
}

/** Transactions that took part on a shard whose log has them not: by a shard that has them, which lack them. */
function missingTransactions(
  answers: readonly RecoveryAnswer[],
): Map<number, Map<number, number[]>> {
  const notes = answers.map((answer) => (answer.kind === 'recovered' ? answer.transactions : []));
  const known = notes.map((each) => new Set(each.map(([id]) => id)));
  const missing = new Map<number, Map<number, number[]>>();
  const seen = new Set<number>();
  for (const [giver, each] of notes.entries()) {
    for (const [id, shards] of each) {
      if (seen.has(id)) continue;
      seen.add(id);
      for (let shard = 0; shard < answers.length; shard += 1) {
        if ((shards & (1 << shard)) === 0 || known[shard]!.has(id)) continue;
        const ofGiver = missing.get(giver) ?? new Map<number, number[]>();
        ofGiver.set(id, [...(ofGiver.get(id) ?? []), shard]);
        missing.set(giver, ofGiver);
      }
    }
  }
  return missing;
}

/** By the numbers of their transactions: the order in which main began them. */
function inOrder(records: readonly Uint8Array[]): readonly Uint8Array[] {
  const idOf = (record: Uint8Array): number => {
    const view = new DataView(record.buffer, record.byteOffset);
    return transactionId(view.getUint32(36, true), view.getUint32(32, true));
  };
  return [...records].sort((a, b) => idOf(a) - idOf(b));
}

function modeOf(settings: Settings): DurabilityMode {
  return settings.string('persistence.durability-mode') as DurabilityMode;
}
