/**
 * The slow commands of all threads as one log.
 *
 * Ids are given out one by one for the whole process, so the log is what has one of the last `max-len` ids,
 * and its length is known without asking anybody.
 */

import type { Clock } from '#base';
import type { SlowlogPort } from '#commands';
import type { Settings } from '#config';
import { type Page, slowEntriesCall, type SlowEntry, type SlowLog, slowResetCall } from '#stats';
import type { SharedCounter } from '#link';
import type { ShardCalls } from '#router';

/** Entries, newest first, and the shards that did not answer in time: theirs are not among them. */
interface SlowReport {
  readonly entries: readonly SlowEntry[];
  readonly missingShards: readonly number[];
}

/** Longest wait of SLOWLOG GET for shards that have no processor. */
const PATIENCE_MS = 5_000;
/** Id of the line about missing shards; entries have ids from 0. */
const NOTICE_ID = -1;

/** Wait for late shards in milliseconds, where it is not that of every report. */
interface SlowWaits {
  readonly patienceMs?: number;
}

interface SlowCommandsOptions {
  readonly clock: Clock;
  readonly settings: Settings;
  readonly ids: SharedCounter;
  /** Page with the id below which entries are cleared: the length is thereby known to all readers of the page. */
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
  readonly #clock: Clock;

  constructor(options: SlowCommandsOptions) {
    const { settings, ids, page, ofMain, shardCalls, clock } = options;
    this.#page = page;
    this.#clock = clock;
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

  /** Returns the newest `count` entries, preceded by a line about missing shards: stuck ones are not waited for. */
  async newest(count: number): ReturnType<SlowlogPort['newest']> {
    if (count === 0) return [];
    const { entries, missingShards } = await this.collect(count, { patienceMs: PATIENCE_MS });
    if (missingShards.length === 0) return entries;
    return [missingNotice(missingShards, this.#clock.wallMs()), ...entries];
  }

  /** The newest `count` entries, and who is missing. */
  async collect(count: number, waits: SlowWaits = {}): Promise<SlowReport> {
    const most = Math.min(count, this.#lengthMax);
    const question = { fromId: this.#oldestId, count: most };
    const reports = await this.#shardCalls.ask(slowEntriesCall, question, waits);
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

/** Entry as SLOWLOG GET shows it. */
type Notice = Awaited<ReturnType<SlowlogPort['newest']>>[number];

/** Line in place of the entries that only these shards have. */
function missingNotice(shards: readonly number[], unixMs: number): Notice {
  const noun = shards.length === 1 ? 'shard' : 'shards';
  const text = `# entries of ${noun} ${shards.join(', ')} are missing: no reply in time`;
  return {
    id: NOTICE_ID,
    unixMs,
    executeUs: 0,
    args: [Buffer.from(text)],
    client: { address: '', name: '' },
  };
}
