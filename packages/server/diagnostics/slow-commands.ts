/**
 * The slow commands of all threads as one log.
 *
 * Ids are given out one by one for the whole process, so the log is what has one of the last `max-len` ids,
 * and its length is known without asking anybody.
 */

import type { SlowlogPort } from '#commands';
import type { Settings } from '#config';
import { slowEntriesCall, slowResetCall, type Page, type SlowEntry, type SlowLog } from '#stats';
import type { SharedCounter } from '#link';
import type { ShardCalls } from '#router';

/** Entries, newest first, and the shards that did not answer in time: theirs are not among them. */
interface SlowReport {
  readonly entries: readonly SlowEntry[];
  readonly missingShards: readonly number[];
}

interface SlowCommandsOptions {
  readonly settings: Settings;
  readonly ids: SharedCounter;
  /** Has the id below which entries are forgotten: the length is then known to whoever sees the page. */
  readonly page: Page;
  /** Slow log of main's own commands, and of those that several shards answer. */
  readonly ofMain: SlowLog;
  readonly shardCalls: ShardCalls;
}

export class SlowCommands implements SlowlogPort {
  readonly #ofMain: SlowLog;
  readonly #ids: SharedCounter;
  readonly #shardCalls: ShardCalls;
  #lengthMax: number;
  readonly #page: Page;

  constructor({ settings, ids, page, ofMain, shardCalls }: SlowCommandsOptions) {
    this.#page = page;
    this.#ids = ids;
    this.#ofMain = ofMain;
    this.#shardCalls = shardCalls;
    this.#lengthMax = settings.number('slowlog.max-len');
    const configure = (): void => {
      this.#configure(settings);
    };
    configure();
    for (const name of SETTINGS) settings.onChange(name, configure);
  }

  #configure(settings: Settings): void {
    const lengthMax = settings.number('slowlog.max-len');
    // What was beyond the old length stays forgotten when there is more room.
    this.#page.set('slowFirstId', this.#oldestId);
    this.#lengthMax = lengthMax;
    this.#ofMain.configure({
      slowerThanUs: settings.number('slowlog.log-slower-than'),
      lengthMax,
      argumentBytesMax: settings.number('slowlog.max-arg-len'),
    });
  }

  get length(): number {
    return this.#ids.upcoming - this.#oldestId;
  }

  get #oldestId(): number {
    return Math.max(this.#page.get('slowFirstId'), this.#ids.upcoming - this.#lengthMax);
  }

  async newest(count: number): Promise<readonly SlowEntry[]> {
    return (await this.collect(count)).entries;
  }

  /** The newest `count` entries, and who is missing. */
  async collect(count: number): Promise<SlowReport> {
    const most = Math.min(count, this.#lengthMax);
    const reports = await this.#shardCalls.ask(slowEntriesCall, {
      fromId: this.#oldestId,
      count: most,
    });
    // As of now: while the shards were asked, more has been logged, and maybe forgotten.
    const fromId = this.#oldestId;
    const ofShards = reports.flatMap((report) => (report.missing ? [] : report.answer));
    const all = [...ofShards, ...this.#ofMain.newest(fromId, most)];
    return {
      entries: all
        .filter(({ id }) => id >= fromId)
        .sort((a, b) => b.id - a.id)
        .slice(0, most),
      missingShards: reports.filter(({ missing }) => missing).map(({ shard }) => shard),
    };
  }

  /** Forgets all, in order with the commands. */
  async reset(): Promise<void> {
    const beforeId = this.#ids.upcoming;
    await this.#shardCalls.ask(slowResetCall, { beforeId });
    const firstId = this.#ids.upcoming;
    this.#page.set('slowFirstId', firstId);
    this.#ofMain.reset(firstId);
  }
}

const SETTINGS = ['slowlog.log-slower-than', 'slowlog.max-len', 'slowlog.max-arg-len'] as const;
