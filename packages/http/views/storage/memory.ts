/** Memory by purpose with its growth, from pages and mappings; the biggest keys are requested from the shards. */

import type { MemoryDocument } from '#api-types';
import { type MemoryMap, readMemoryMap, residentBytes } from '#base';
import type { Counter } from '#quantities';
import { SAMPLE_KEYS_MAX, usedMemory } from '#stats';
import type { OpsContext } from '../../ops/ops-context.ts';
import { numberFrom } from '../../protocol/query.ts';
import { integer } from '../../protocol/parameters.ts';
import { documentRoute, type Route } from '../../protocol/route.ts';
import { GrowthForecast } from './growth-forecast.ts';
import { memoryTree } from './memory-tree.ts';

/** Interval of the readings of used memory. */
const READING_MS = 10_000;
/** Longest use of one reading of the mappings, which takes milliseconds. */
const MAP_MS_MAX = 5_000;

export class MemoryView {
  readonly #context: OpsContext;
  readonly #growth = new GrowthForecast();
  readonly #timer: NodeJS.Timeout;
  #map: MemoryMap | undefined;
  #mapMs = -Infinity;

  constructor(opsContext: OpsContext) {
    this.#context = opsContext;
    this.#timer = setInterval(() => {
      this.#read();
    }, READING_MS);
    this.#timer.unref();
    this.#read();
  }

  get routes(): Route[] {
    const { mainClient } = this.#context;
    return [
      documentRoute('memory', 'Resident memory by purpose, and the growth of used memory.', () =>
        this.#document(),
      ),
      documentRoute(
        'memory/keys',
        `Biggest keys and prefixes of a sample; ?count= keys of each shard (at most ${SAMPLE_KEYS_MAX}).`,
        ({ query }) => {
          const count = numberFrom(query, 'count', 1, SAMPLE_KEYS_MAX) ?? SAMPLE_KEYS_MAX;
          return mainClient.ask('key-samples', { count });
        },
        [integer('count', `Keys of each shard, 1 to ${SAMPLE_KEYS_MAX}.`)],
      ),
    ];
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #read(): void {
    const { observer, clock } = this.#context;
    this.#growth.add(clock.nowUs() / 1_000, usedMemory(observer.main, observer.shards));
  }

  #document(): MemoryDocument {
    const { observer, clock, live } = this.#context;
    const { main, shards } = observer;
    const used = usedMemory(main, shards);
    const limit = live.status.memoryLimitBytes;
    const forecast = this.#growth.forecast(limit);
    const sinceOriginMs = clock.wallMs() - clock.nowUs() / 1_000;
    return {
      time_ms: clock.wallMs(),
      used_bytes: used,
      peak_bytes: Math.max(main.get('peakBytes'), used),
      limit_bytes: limit,
      policy: live.maxmemoryPolicy,
      evicted_keys: this.#total('evicted'),
      resident: memoryTree(this.#counted(), this.#mappings()),
      forecast:
        forecast === null
          ? null
          : {
              ...forecast,
              full_time_ms:
                forecast.full_time_ms === null
                  ? null
                  : Math.round(forecast.full_time_ms + sinceOriginMs),
            },
    };
  }

  #counted() {
    const { main, threads } = this.#context.observer;
    return {
      rssBytes: residentBytes(),
      slabBytes: this.#total('segmentBytes'),
      recordBytes: this.#total('recordBytes'),
      blobBytes: this.#total('blobBytes'),
      indexBytes: this.#total('indexBytes'),
      objectBytes: this.#total('objectBytes'),
      clientBytes: main.get('clientMemoryBytes'),
      replicationBytes: main.get('replicationBytes'),
      heaps: threads.map(([thread, page]) => [thread, page.get('heapTotalBytes')] as const),
    };
  }

  #total(counter: Counter): number {
    return this.#context.observer.shards.reduce((sum, page) => sum + page.get(counter), 0);
  }

  #mappings(): MemoryMap | undefined {
    const { observer, clock } = this.#context;
    const nowMs = clock.nowUs() / 1_000;
    if (nowMs - this.#mapMs > MAP_MS_MAX) {
      this.#map = readMemoryMap(observer.memory.bytes.length);
      this.#mapMs = nowMs;
    }
    return this.#map;
  }
}
