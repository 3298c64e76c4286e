/**
 * The commands of all threads that were slow, or had a large request or reply, as one log.
 *
 * Ids are given out one by one for the whole process, so the log is what has one of the last `max-len` ids,
 * and its length is known without asking anybody.
 */

import type { Clock, CommandLogKind } from '#base';
import type { CommandLogPort } from '#commands';
import type { Settings } from '#config';
import {
  COMMAND_LOG_SETTINGS,
  commandLogCalls,
  FIRST_ID_COUNTERS,
  lateShards,
  type Page,
  type SlowEntry,
  type SlowLog,
} from '#stats';
import type { SharedCounter } from '#link';
import type { ShardCalls } from '#router';

/** Entries, newest first, and the shards that did not answer in time: theirs are not among them. */
interface LogReport {
  readonly entries: readonly SlowEntry[];
  /** Shards that did not reply in time. */
  readonly missingShards: readonly number[];
  /** Shards among them whose published entries are shown, with the time of the publication. */
  readonly published: readonly { readonly shard: number; readonly publishedMs: number }[];
}

/** Longest wait of SLOWLOG GET and COMMANDLOG GET for shards that have no processor. */
const PATIENCE_MS = 5_000;
/** Id of lines about shards; entries have ids from 0. */
const NOTICE_ID = -1;

/** Wait for late shards in milliseconds, where it is not that of every report. */
interface LogWaits {
  readonly patienceMs?: number;
}

interface CommandLogOptions {
  readonly clock: Clock;
  readonly settings: Settings;
  readonly kind: CommandLogKind;
  readonly ids: SharedCounter;
  /** Page with the id below which entries are cleared: the length is thereby known to all readers of the page. */
  readonly page: Page;
  /** Log of main's own commands, and of those that several shards answer. */
  readonly ofMain: SlowLog;
  readonly shardCalls: ShardCalls;
}

export class CommandLog implements CommandLogPort {
  readonly #ofMain: SlowLog;
  readonly #ids: SharedCounter;
  readonly #shardCalls: ShardCalls;
  #lengthMax: number;
  readonly #page: Page;
  readonly #clock: Clock;
  readonly #kind: CommandLogKind;

  constructor(options: CommandLogOptions) {
    const { settings, kind, ids, page, ofMain, shardCalls, clock } = options;
    this.#kind = kind;
    this.#page = page;
    this.#clock = clock;
    this.#ids = ids;
    this.#ofMain = ofMain;
    this.#shardCalls = shardCalls;
    const { lengthMax, threshold } = COMMAND_LOG_SETTINGS[kind];
    this.#lengthMax = settings.number(lengthMax);
    const configure = (): void => {
      this.#configure(settings);
    };
    configure();
    for (const name of [threshold, lengthMax, 'slowlog.max-arg-len'] as const) {
      settings.onChange(name, configure);
    }
  }

  #configure(settings: Settings): void {
    const names = COMMAND_LOG_SETTINGS[this.#kind];
    const lengthMax = settings.number(names.lengthMax);
    // What was beyond the old length stays forgotten when there is more room.
    this.#page.set(this.#firstIdCounter, this.#oldestId);
    this.#lengthMax = lengthMax;
    this.#ofMain.configure({
      threshold: settings.number(names.threshold),
      lengthMax,
      argumentBytesMax: settings.number('slowlog.max-arg-len'),
    });
  }

  get #firstIdCounter(): (typeof FIRST_ID_COUNTERS)[CommandLogKind] {
    return FIRST_ID_COUNTERS[this.#kind];
  }

  get length(): number {
    return this.#ids.upcoming - this.#oldestId;
  }

  get #oldestId(): number {
    return Math.max(this.#page.get(this.#firstIdCounter), this.#ids.upcoming - this.#lengthMax);
  }

  /** Returns the newest `count` entries, preceded by lines about shards that did not reply: stuck ones are not waited for. */
  async newest(count: number): ReturnType<CommandLogPort['newest']> {
    if (count === 0) return [];
    const report = await this.collect(count, { patienceMs: PATIENCE_MS });
    return [...notices(report, this.#clock.wallMs()), ...report.entries];
  }

  /** The newest `count` entries, and who is missing. */
  async collect(count: number, waits: LogWaits = {}): Promise<LogReport> {
    const most = Math.min(count, this.#lengthMax);
    const question = { fromId: this.#oldestId, count: most };
    const reports = await this.#shardCalls.ask(commandLogCalls[this.#kind].entries, question, {
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
    await this.#shardCalls.ask(commandLogCalls[this.#kind].reset, { beforeId });
    const firstId = this.#ids.upcoming;
    this.#page.set(this.#firstIdCounter, firstId);
    this.#ofMain.reset(firstId);
  }
}

/** Entry as SLOWLOG GET shows it. */
type Notice = Awaited<ReturnType<CommandLogPort['newest']>>[number];

/** Lines about entries that may be missing. */
function notices({ missingShards, published }: LogReport, unixMs: number): readonly Notice[] {
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
    bytes: 0,
    args: [Buffer.from(text)],
    client: { address: '', name: '' },
  };
}
