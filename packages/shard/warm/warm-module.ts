/** The warm tier of a shard: values on disk, commands that wait for them, and figures of both. */

import { SPILL_BUSY, warm, type Store } from '#store';
import { AT, type Page } from '#stats';
import type { TierFigures } from '#tier';
import type { KeyEvents } from '../execution/key-events.ts';
import type { FrameDetour, ShardArrivals, ShardModule } from '../modules/shard-module.ts';
import type { Settings } from '../settings/settings.ts';
import type { MemoryRoom } from '../timed/memory-room.ts';
import { TierPage } from './tier-page.ts';
import { WarmCommands, type WarmCommandsOptions } from './warm-commands.ts';
import type { WarmValues } from './warm-values.ts';
import { WorkingSet } from './working-set.ts';

/** Milliseconds of one wait for the disk while files are loaded. */
const WAIT_MS = 2;

interface WarmModuleOptions extends Omit<WarmCommandsOptions, 'values' | 'workingSet'> {
  /** Undefined for an offline shard, whose tier is in the thread itself. */
  readonly values: WarmValues | undefined;
  readonly figures: TierFigures | undefined;
  readonly shardCount: number;
  readonly page: Page;
  readonly room: MemoryRoom;
  readonly events: KeyEvents;
  /** Publishes replies and effects. */
  show(): void;
}

export class WarmModule implements ShardModule {
  readonly #options: WarmModuleOptions;
  readonly #store: Store;
  readonly #values: WarmValues | undefined;
  readonly #page: TierPage | undefined;
  readonly #workingSet = new WorkingSet();
  readonly detour: FrameDetour | undefined;
  readonly arrivals: ShardArrivals | undefined;

  constructor(options: WarmModuleOptions) {
    const { store, values, figures, page } = options;
    const workingSet = this.#workingSet;
    this.#options = options;
    this.#store = store;
    this.#values = values;
    if (values === undefined || figures === undefined) return;
    this.#page = new TierPage({ store, page, times: values.times, figures, workingSet });
    const commands = new WarmCommands({ ...options, values, workingSet });
    this.detour = commands;
    this.arrivals = {
      get isDue() {
        return values.hasArrived;
      },
      isExpected: false,
      isUrgent: false,
      take: () => this.#take(values, commands),
    };
  }

  /** Runs commands whose values have come; returns whether any value has. */
  #take(values: WarmValues, commands: WarmCommands): boolean {
    if (!values.step()) return false;
    this.#options.events.begin();
    commands.run();
    this.#options.show();
    return true;
  }

  apply(settings: Settings): void {
    const { tier } = this.#store;
    tier.isOn = settings.string('memory.maxmemory-policy').startsWith('tiered-');
    tier.bytesMin = settings.number('tiered.min-value-bytes');
    tier.bytesMax = settings.number('tiered.max-bytes') / this.#options.shardCount;
    tier.evictsWhenFull = settings.string('tiered.when-full') === 'evict';
  }

  /** Ends the use of warm values by the commands that were run. */
  settle(): void {
    if (this.#values !== undefined) this.#countUses();
    if (this.#store.tier.loans.size > 0) {
      warm.settleLoans(this.#store, this.#options.room.hasRoom);
    }
  }

  /** Adds the prefetched accesses to values in memory to the working set, and updates the mask of its sample. */
  #countUses(): void {
    const { keyPrefetch } = this.#store;
    this.#workingSet.use(keyPrefetch.foundInMemory);
    keyPrefetch.foundInMemory = 0;
    keyPrefetch.watchedMask = this.#workingSet.mask;
  }

  /** Publishes requests to the tier's thread. */
  publish(): void {
    this.#values?.publish();
  }

  showFigures(): void {
    this.#page?.publish();
  }

  round(): void {
    this.#page?.publishPercentiles();
  }

  resetStatistics(): void {
    this.#page?.reset();
  }

  /** Spills what was read from files, where that is more than memory has room for. */
  loaded(): void {
    this.settle();
    this.#spill();
    this.#values?.step();
    this.#values?.publish();
  }

  /** Spills until memory has room again; evicts nothing, since what is read may not be the last word. */
  #spill(): void {
    const { tier, memory } = this.#store;
    const { room, page } = this.#options;
    page.values[AT.usedBytes] = memory.usedBytes;
    if (!tier.isOn) return;
    while (room.mustEvict()) {
      const freed = this.#store.spillOne();
      if (freed === 0) break;
      if (freed === SPILL_BUSY) tier.outlet?.waitForRoom(WAIT_MS);
      page.values[AT.usedBytes] = memory.usedBytes;
    }
  }
}
