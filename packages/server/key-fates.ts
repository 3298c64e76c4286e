/** Why keys have gone: the last deaths on all shards as one log, and all deaths by fate. */

import { KEY_FATES, unreachable } from '#base';
import { commandTable, type KeyFatePort, type KeyDeathEntry } from '#commands';
import type { Settings } from '#config';
import {
  FATE_COUNTERS,
  KEY_DEATHS,
  KEY_DEATHS_RESET,
  type KeyDeath,
  type KeyPlace,
  type Page,
} from '#diag';
import type { SharedCounter } from '#link';
import type { Reports } from '#router';
import { NumberedLog } from './numbered-log.ts';

export interface KeyFatesParts {
  readonly settings: Settings;
  readonly ids: SharedCounter;
  readonly pages: readonly Page[];
  readonly reports: () => Reports;
}

export class KeyFates implements KeyFatePort {
  readonly #parts: KeyFatesParts;
  readonly #log: NumberedLog;

  constructor(parts: KeyFatesParts) {
    const { settings, ids } = parts;
    this.#parts = parts;
    this.#log = new NumberedLog(ids, settings.number('keyfate.max-len'));
    settings.onChange('keyfate.max-len', (lengthMax) => {
      this.#log.lengthMax = lengthMax;
    });
  }

  get length(): number {
    return this.#log.length;
  }

  get counts(): readonly (readonly [fate: string, keys: number])[] {
    return fateCounts(this.#parts.pages);
  }

  /** The newest deaths of all keys, or of one; those of a shard that does not answer in time are missing. */
  async newest(count: number, of?: KeyPlace): Promise<readonly KeyDeathEntry[]> {
    const log = this.#log;
    const most = Math.min(count, log.lengthMax);
    const question = { fromId: log.oldestId, count: most };
    const reports = await this.#parts
      .reports()
      .ask(KEY_DEATHS, of === undefined ? question : { ...question, of });
    // As of now: while the shards were asked, more keys have gone.
    const fromId = log.oldestId;
    return reports
      .flatMap((report) => (report.missing ? [] : report.answer))
      .filter(({ id }) => id >= fromId)
      .sort((a, b) => b.id - a.id)
      .slice(0, most)
      .map(entryOf);
  }

  /** Forgets all, in order with the commands. */
  async reset(): Promise<void> {
    await this.#parts.reports().ask(KEY_DEATHS_RESET, { beforeId: this.#log.upcoming });
    this.#log.clear();
  }
}

/** How many keys have gone for each reason, over all shards. */
export function fateCounts(
  pages: readonly Page[],
): readonly (readonly [fate: string, keys: number])[] {
  return KEY_FATES.map((fate, number) => {
    const counter = FATE_COUNTERS[number] ?? unreachable('a fate is counted');
    return [fate, pages.reduce((sum, page) => sum + page.get(counter), 0)];
  });
}

function entryOf({ fate, command, client, ...rest }: KeyDeath): KeyDeathEntry {
  return {
    ...rest,
    fate: KEY_FATES[fate] ?? unreachable('a fate has a name'),
    command: commandTable.entries[command]?.lowerName ?? '',
    client,
  };
}
