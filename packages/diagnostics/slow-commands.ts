/**
 * The slow commands of all threads as one log.
 *
 * Ids are given out one by one for the whole process, so the log is what has one of the last `max-len` ids,
 * and its length is known without asking anybody.
 */

import type { Clock } from '#base';
import type { SlowlogPort } from '#commands';
import type { Settings } from '#config';
import {
  type Page,
  slowEntriesCall,
  type SlowEntry,
  type SlowLog,
  slowResetCall,
  lateShards,
} from '#stats';
import type { SharedCounter } from '#link';
import type { ShardCalls } from '#router';

/** Entries, newest first, and the shards that did not answer in time: theirs are not among them. */
interface SlowReport {
  readonly entries: readonly SlowEntry[];
  /** Shards that did not reply in time. */
  readonly missingShards: readonly number[];
  /** Shards among them whose published entries are shown, with the time of the publication. */
  readonly published: readonly { readonly shard: number; readonly publishedMs: number }[];
}

/** Longest wait of SLOWLOG GET for shards that have no processor. */
const PATIENCE_MS = 5_000;
/** Id of lines about shards; entries have ids from 0. */
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

  /** Returns the newest `count` entries, preceded by lines about shards that did not reply: stuck ones are not waited for. */
  async newest(count: number): ReturnType<SlowlogPort['newest']> {
    if (count === 0) return [];
    const report = await this.collect(count, { patienceMs: PATIENCE_MS });
    return [...notices(report, this.#clock.wallMs()), ...report.entries];
  }

  /** The newest `count` entries, and who is missing. */
  async collect(count: number, waits: SlowWaits = {}): Promise<SlowReport> {
    const most = Math.min(count, this.#lengthMax);
    const question = { fromId: this.#oldestId, count: most };
    const reports = await this.#shardCalls.ask(slowEntriesCall, question, {
      ...waits,
      acceptsPublished: true,
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
      missingShards: lateShards(reports),
      published: reports.flatMap((report) =>
        report.missing || report.publishedMs === undefined
          ? []
          : [{ shard: report.shard, publishedMs: report.publishedMs }],
      ),
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

/** Lines about entries that may be missing. */
function notices({ missingShards, published }: SlowReport, unixMs: number): readonly Notice[] {
  const silent = missingShards.filter((each) => !published.some(({ shard }) => shard === each));
  const missing = silent.join(', ');
  const nouns = silent.length === 1 ? 'shard' : 'shards';
  return [
    ...(missing === '' ? [] : [`# entries of ${nouns} ${missing} are missing: no reply in time`]),
    ...published.map(({ shard, publishedMs }) => {
      const seconds = Math.max(0, (unixMs - publishedMs) / 1_000).toFixed(1);
      return `# entries of shard ${shard} are those of ${seconds} s ago: no reply in time`;
    }),
  ].map((text) => notice(text, unixMs));
}

function notice(text: string, unixMs: number): Notice {
  return {
    id: NOTICE_ID,
    unixMs,
    executeUs: 0,
    args: [Buffer.from(text)],
    client: { address: '', name: '' },
  };
}
