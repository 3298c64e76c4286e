/** Key fates: the last deaths on all shards as one log, and all deaths by fate. */

import { KEY_FATES, unreachable } from '#base';
import { commandTable, type KeyFatePort, type KeyDeathEntry } from '#commands';
import type { Settings } from '#config';
import {
  fateCounts,
  KEY_DEATHS,
  KEY_DEATHS_RESET,
  type RemovedKey,
  type KeyPlace,
  type Page,
} from '#stats';
import type { SharedCounter } from '#link';
import type { ShardCalls } from '#router';
import { MergedLog } from './merged-log.ts';

interface KeyFatesOptions {
  readonly settings: Settings;
  readonly ids: SharedCounter;
  readonly pages: readonly Page[];
  readonly shardCalls: () => ShardCalls;
}

/** Deaths, newest first, and the shards that did not answer in time: theirs are not among them. */
interface DeathsReport {
  readonly deaths: readonly KeyDeathEntry[];
  readonly missingShards: readonly number[];
}

export class KeyFates implements KeyFatePort {
  readonly #options: KeyFatesOptions;
  readonly #log: MergedLog;

  constructor(options: KeyFatesOptions) {
    const { settings, ids } = options;
    this.#options = options;
    this.#log = new MergedLog(ids, settings.number('keyfate.max-len'));
    settings.onChange('keyfate.max-len', (lengthMax) => {
      this.#log.lengthMax = lengthMax;
    });
  }

  get length(): number {
    return this.#log.length;
  }

  get counts(): readonly (readonly [fate: string, keys: number])[] {
    return fateCounts(this.#options.pages);
  }

  async newest(count: number, of?: KeyPlace): Promise<readonly KeyDeathEntry[]> {
    return (await this.collect(count, of)).deaths;
  }

  /** The newest deaths of all keys, or of one, and who is missing. */
  async collect(count: number, of?: KeyPlace): Promise<DeathsReport> {
    const log = this.#log;
    const most = Math.min(count, log.lengthMax);
    const question = { fromId: log.oldestId, count: most };
    const reports = await this.#options
      .shardCalls()
      .ask(KEY_DEATHS, of === undefined ? question : { ...question, of });
    // As of now: while the shards were asked, more keys have gone.
    const fromId = log.oldestId;
    return {
      deaths: reports
        .flatMap((report) => (report.missing ? [] : report.answer))
        .filter(({ id }) => id >= fromId)
        .sort((a, b) => b.id - a.id)
        .slice(0, most)
        .map(entryOf),
      missingShards: reports.filter(({ missing }) => missing).map(({ shard }) => shard),
    };
  }

  /** Forgets all, in order with the commands. */
  async reset(): Promise<void> {
    await this.#options.shardCalls().ask(KEY_DEATHS_RESET, { beforeId: this.#log.upcoming });
    this.#log.clear();
  }
}

function entryOf({ fate, command, client, ...rest }: RemovedKey): KeyDeathEntry {
  return {
    ...rest,
    fate: KEY_FATES[fate] ?? unreachable('a fate has a name'),
    command: commandTable.entries[command]?.lowerName ?? '',
    client,
  };
}
