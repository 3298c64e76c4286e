/** The start on what a server has left: all shards read their files, and are made to agree. */

import type { Clock, Logger } from '#base';
import type { Settings } from '#config';
import {
  DataFolder,
  isProblem,
  type RecordPieces,
  RecoveryAttempts,
  type RecoveryPlan,
  type RecoveryProblem,
  refusalOf,
  transactionId,
} from '#persistence';
import { agree, type Agreement, type RecoveryAnswer, refusalsOf } from '#shard';
import {
  localTierOf,
  redistributeApart,
  type ServerMemory,
  type ShardPool,
  shardSettings,
} from '#main';

interface ServerRecoveryOptions {
  readonly settings: Settings;
  readonly serverMemory: ServerMemory;
  readonly log: Logger;
  readonly clock: Clock;
  readonly folder: DataFolder;
  /** Called when all data is read: starts the log, and resolves once it is ready. `isWhole` if nothing was skipped. */
  readonly begin: (isWhole: boolean) => Promise<void>;
}

type Recovered = Extract<RecoveryAnswer, { kind: 'recovered' }>;

/** Results of every shard: the data it has read, and transactions that it lacks and another shard has. */
interface AllRecovered {
  readonly shards: readonly Recovered[];
  readonly missing: Agreement['missing'];
}

export class ServerRecovery {
  readonly #options: ServerRecoveryOptions;
  readonly #pool: ShardPool;
  /** Messages about the logs that could not be written at their end. */
  #unwritten: readonly string[] = [];
  #lostBytes = 0;
  /** True when only the readable part of a damaged snapshot was loaded. */
  #isSalvaged = false;

  constructor(options: ServerRecoveryOptions, pool: ShardPool) {
    this.#options = options;
    this.#pool = pool;
  }

  /**
   * Throws an error for unreadable data, which is left unchanged. Returns true if a snapshot must follow, because the data on
   * disk was only partly readable.
   */
  async run(): Promise<boolean> {
    const { folder, log, clock, settings } = this.#options;
    const startUs = clock.nowUs();
    for (const message of folder.remarks) log.warn('left-out', message);
    const anyway = settings.boolean('persistence.recover-anyway');
    const redistributed = await this.#redistribute(anyway);
    const recovered =
      redistributed === undefined
        ? await this.#fromNewest(anyway)
        : await this.#recoverFrom(redistributed, anyway);
    // The data that was just rewritten.
    if (isProblem(recovered)) throw refusalOf(recovered.message);
    const { shards, missing } = recovered;
    this.#report(shards);
    await Promise.all(shards.map((_, shard) => this.#pool.ask(shard, { kind: 'repair' })));
    await this.#options.begin(missing.size === 0 && this.#isWhole(shards));
    await this.#complete(missing);
    if (folder.isEmpty) return false;
    const ms = Math.round((clock.nowUs() - startUs) / 1_000);
    const keys = shards.reduce((sum, { report }) => sum + report.keys, 0);
    log.info('recovered', `Recovered ${keys} keys in ${ms} ms`, { keys, ms });
    return this.#isSalvaged;
  }

  /** Starts with the newest snapshot; if it is damaged, with the previous one, or with its readable part. */
  async #fromNewest(anyway: boolean): Promise<AllRecovered> {
    const { folder, log } = this.#options;
    const attempts = new RecoveryAttempts(folder, anyway);
    for (;;) {
      const { plan } = attempts;
      this.#isSalvaged = plan.salvages;
      const remark = attempts.remark('tried');
      if (remark !== undefined) log.warn('snapshot-damaged', remark);
      if (!folder.isEmpty) {
        const from = plan.manifest === undefined ? 'the log' : `snapshot ${plan.number}`;
        const bytes = plan.shards.reduce((sum, shard) => sum + shard.bytes, 0);
        log.info('recovering', `Recovery started from ${from}`, { bytes, from });
      }
      const outcome = await this.#recoverFrom(plan, anyway);
      if (!isProblem(outcome)) {
        this.#unwritten = plan.shards.flatMap(({ unwritten }) => unwritten ?? []);
        return outcome;
      }
      attempts.failed(outcome);
    }
  }

  /** First rewrites data that was written for another number of shards; returns the plan of what to read then. */
  async #redistribute(anyway: boolean): Promise<RecoveryPlan | undefined> {
    const { folder, settings, log, serverMemory } = this.#options;
    const { shards } = serverMemory.shape;
    if (folder.isEmpty || folder.shards === shards) return undefined;
    const from = `${folder.shards} to ${shards} shards`;
    log.info('redistributing', `Redistribution of the data started: ${from}`);
    const report = await redistributeApart({
      folder: folder.folder,
      anyway,
      shards,
      settings: shardSettings(settings),
      tier: localTierOf(settings),
    });
    for (const remark of report.remarks) log.warn('left-out', remark);
    this.#unwritten = report.unwritten;
    this.#lostBytes = report.lostBytes;
    log.info('redistributed', `Redistributed ${report.keys} keys: ${from}`);
    // The log of this life begins behind it, and has nothing yet.
    return new DataFolder(folder.folder).planOfSnapshot();
  }

  /** Has every shard read its files, and those again whose logs have what rests on nothing: up to there. */
  async #recoverFrom(plan: RecoveryPlan, anyway: boolean): Promise<AllRecovered | RecoveryProblem> {
    const all = await this.#read(this.#options.serverMemory.shardPages.keys(), plan, anyway);
    if (isProblem(all)) return all;
    const { stops, missing } = agree(all.map(({ end }) => end));
    const stopping = stops.flatMap((stopAt, shard) => (stopAt === undefined ? [] : [shard]));
    const again = await this.#read(stopping, plan, anyway, stops);
    if (isProblem(again)) return again;
    return { shards: all.map((first, shard) => again[stopping.indexOf(shard)] ?? first), missing };
  }

  async #read(
    shards: Iterable<number>,
    plan: RecoveryPlan,
    anyway: boolean,
    stops?: Agreement['stops'],
  ): Promise<readonly Recovered[] | RecoveryProblem> {
    const answers = await Promise.all(
      Array.from(shards, (shard) =>
        this.#pool.ask(shard, {
          kind: 'recover',
          plan: plan.shards[shard],
          anyway,
          stopAt: stops?.[shard],
        }),
      ),
    );
    const recovered: Recovered[] = [];
    for (const answer of answers) {
      if (answer.kind === 'not-recovered') return answer.problem;
      if (answer.kind === 'recovered') recovered.push(answer);
    }
    return recovered;
  }

  /** True when all that was there is there again, and nothing else. */
  #isWhole(shards: readonly Recovered[]): boolean {
    if (this.#isSalvaged || this.#unwritten.length > 0 || this.#lostBytes > 0) return false;
    return shards.every(
      ({ report }) =>
        report.leftOut.length === 0 && report.droppedRecords === 0 && report.refusedRecords === 0,
    );
  }

  /** Logs the skipped data. */
  #report(recovered: readonly Recovered[]): void {
    const { serverMemory, log } = this.#options;
    let lost = this.#lostBytes;
    for (const message of this.#unwritten) log.error('log-hole', message);
    serverMemory.mainPage.set('recoveryHoles', this.#unwritten.length);
    for (const { message, bytes, isDamage } of recovered.flatMap(({ report }) => report.leftOut)) {
      if (isDamage) lost += bytes;
      const what = `${message}; ${bytes} bytes are left out`;
      if (isDamage) log.error('log-damaged', what);
      else log.warn('log-torn', what);
    }
    const refused = recovered.reduce((sum, { report }) => sum + report.refusedRecords, 0);
    if (refused > 0) log.error('log-damaged', refusalsOf(refused));
    const dropped = recovered.reduce((sum, { report }) => sum + report.droppedRecords, 0);
    if (dropped > 0) {
      log.info('group-dropped', `Dropped ${dropped} records of incomplete transactions`);
    }
    serverMemory.mainPage.set('recoveryLostBytes', lost);
  }

  /** Sends each shard the transactions that its log lacks, and starts all shards. */
  async #complete(missing: Agreement['missing']): Promise<void> {
    const records = this.#options.serverMemory.shardPages.map((): RecordPieces[] => []);
    for (const [giver, wanted] of missing) {
      const ids = [...wanted.keys()];
      const answer = await this.#pool.ask(giver, { kind: 'give', ids });
      if (answer.kind !== 'given') continue;
      for (const [nth, record] of answer.records.entries()) {
        for (const shard of wanted.get(ids[nth]!) ?? []) records[shard]!.push(record);
      }
    }
    for (const each of records) {
      if (each.length > 0) {
        const message = `Completed ${each.length} transactions that only other shards had on disk`;
        this.#options.log.info('transactions-completed', message);
      }
    }
    await Promise.all(
      records.map((each, shard) => this.#pool.ask(shard, { kind: 'go', records: inOrder(each) })),
    );
  }
}

/** Returns records by the numbers of their transactions: the order in which main began them. */
function inOrder(records: readonly RecordPieces[]): readonly RecordPieces[] {
  const idOf = ([head]: RecordPieces): number => {
    const view = new DataView(head.buffer, head.byteOffset);
    return transactionId(view.getUint32(36, true), view.getUint32(32, true));
  };
  return [...records].sort((a, b) => idOf(a) - idOf(b));
}
