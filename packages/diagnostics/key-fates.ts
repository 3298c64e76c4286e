/** Key fates: the last removed keys of all shards as one log, and the counts by fate. */

import { KEY_FATES, unreachable } from '#base';
import { commandTable, type KeyFatePort, type RemovedKeyEntry } from '#commands';
import type { Settings } from '#config';
import {
  fateCounts,
  type KeyPlace,
  type Page,
  REMOVED_KEYS,
  REMOVED_KEYS_RESET,
  type RemovedKey,
  lateShards,
} from '#stats';
import type { SharedCounter } from '#link';
import type { ShardCalls } from '#router';
import { MergedLog } from './merged-log.ts';

interface KeyFatesOptions {
  readonly settings: Settings;
  readonly ids: SharedCounter;
  readonly pages: readonly Page[];
  readonly shardCalls: ShardCalls;
}

/** Removed keys, newest first, and the shards that did not answer in time: theirs are not among them. */
interface RemovedKeysReport {
  readonly removedKeys: readonly RemovedKeyEntry[];
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

  async newest(count: number, of?: KeyPlace): Promise<readonly RemovedKeyEntry[]> {
    return (await this.collect(count, of)).removedKeys;
  }

  /** The newest removed keys, or those of one name, and the shards that are missing. */
  async collect(count: number, of?: KeyPlace): Promise<RemovedKeysReport> {
    const log = this.#log;
    const most = Math.min(count, log.lengthMax);
    const question = { fromId: log.oldestId, count: most };
    const reports = await this.#options.shardCalls.ask(
      REMOVED_KEYS,
      of === undefined ? question : { ...question, of },
      // Shards publish the newest of all names.
      { acceptsPublished: of === undefined },
    );
    // As of now: more keys were removed while the shards were asked.
    const fromId = log.oldestId;
    return {
      removedKeys: reports
        .flatMap((report) => (report.missing ? [] : report.answer))
        .filter(({ id }) => id >= fromId)
        .sort((a, b) => b.id - a.id)
        .slice(0, most)
        .map(entryOf),
      missingShards: lateShards(reports),
    };
  }

  /** Forgets all, in order with the commands. */
  async reset(): Promise<void> {
    await this.#options.shardCalls.ask(REMOVED_KEYS_RESET, { beforeId: this.#log.upcoming });
    this.#log.clear();
  }
}

function entryOf({ fate, command, client, ...rest }: RemovedKey): RemovedKeyEntry {
  return {
    ...rest,
    fate: KEY_FATES[fate] ?? unreachable('a fate has a name'),
    command: commandTable.entries[command]?.lowerName ?? '',
    client,
  };
}
