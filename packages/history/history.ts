/** History of the server: samples since its start and of the time before, in bounded memory and on a bounded part of the disk. */

import { everySecond } from '#base';
import type { Observer } from '#observer';
import type { HistoryDocument, HistorySeriesDocument, HistorySeriesReport } from '#api-types';
import { Phase } from '#stats';
import { EventLog } from './events/event-log.ts';
import { ChunkStore } from './files/chunk-store.ts';
import { HistoryFolder } from './files/history-folder.ts';
import type { HistoryLog } from './files/history-log.ts';
import {
  type HistoryQuery,
  historyDocument,
  type SampleSource,
  type WantedColumn,
} from './query.ts';
import { type Judgement, ownerOf, Sampler, SERVER, type ThingKind } from './samples/sampler.ts';
import { COMMAND_SERIES, ERROR_SERIES, type Series } from './samples/series.ts';
import { Tier, TIERS, type TierShape } from './samples/tier.ts';

/** Milliseconds for which the stop waits for the disk. */
const STOP_MS_MAX = 2_000;

/** Most bytes of events, and their part of the history's bytes. */
const EVENT_BYTES_MAX = 2 * 1024 * 1024;
const EVENT_SHARE = 1 / 8;

const THING_SERIES: Readonly<Record<ThingKind, readonly Series[]>> = {
  command: COMMAND_SERIES,
  error: ERROR_SERIES,
};

/** Settings of the history, which may change while the server runs. */
export interface HistorySettings {
  readonly isEnabled: boolean;
  readonly bytesMax: number;
  /** Folder of the history; empty where nothing is kept on disk. */
  readonly folder: string;
}

interface HistoryOptions {
  readonly observer: Observer;
  readonly clock: { nowUs(): number; wallMs(): number };
  readonly settings: HistorySettings;
  readonly log: HistoryLog;
  readonly judged: () => Judgement;
  readonly tiers?: readonly TierShape[];
}

export class History {
  readonly #options: HistoryOptions;
  readonly #store: ChunkStore;
  /** Events on the time line. */
  readonly events: EventLog;
  readonly #shapes: readonly TierShape[];
  #settings: HistorySettings;
  #folder: HistoryFolder | undefined;
  #tiers: readonly Tier[] = [];
  #sampler: Sampler | undefined;
  #stopTimer: (() => void) | undefined;
  #takenUs = 0;
  #seconds = 0;
  #isClosed = false;
  #loaded: Promise<void> | undefined;

  constructor(options: HistoryOptions) {
    this.#options = options;
    this.#settings = options.settings;
    this.#shapes = options.tiers ?? TIERS;
    this.#openFolder();
    const folder = (): HistoryFolder | undefined => (this.#mayWrite() ? this.#folder : undefined);
    this.events = new EventLog({
      folder,
      bytesMax: () => Math.min(EVENT_BYTES_MAX, this.#settings.bytesMax * EVENT_SHARE),
    });
    this.#store = new ChunkStore({
      tiers: this.#shapes,
      folder,
      bytesMax: () => this.#settings.bytesMax - this.events.bytes,
    });
  }

  /**
   * Finds what earlier processes have kept, and begins to take samples. Resolves when both are done, for each caller: a query before
   * would know neither the series nor the past.
   */
  start(): Promise<void> {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }

  /** Applies settings that have changed. */
  apply(settings: HistorySettings): void {
    const before = this.#settings;
    this.#settings = settings;
    if (settings.folder !== before.folder) this.#openFolder();
    if (settings.isEnabled && this.#sampler === undefined) this.#begin();
    if (!settings.isEnabled) this.#end();
  }

  /** Stops, and writes what is not written yet. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#end();
    const late = new Promise((resolve) => setTimeout(resolve, STOP_MS_MAX).unref());
    this.events.flush();
    await Promise.race([Promise.all([this.#store.settle(), this.events.settle()]), late]);
  }

  /** Takes a sample now; the timer does so every second. */
  sample(): void {
    const sampler = this.#sampler;
    if (sampler === undefined) return;
    const { clock } = this.#options;
    const nowUs = clock.nowUs();
    const time = { wallMs: clock.wallMs(), intervalUs: nowUs - this.#takenUs };
    this.#takenUs = nowUs;
    sampler.take();
    for (const tier of this.#tiers) tier.add(sampler, nowUs, time);
    this.#seconds += 1;
    this.events.flush();
    for (const [index, { shape, open }] of this.#tiers.entries()) {
      if (this.#seconds % shape.saveSeconds === 0) this.#store.save(index, open);
    }
  }

  /** Settles when all closed chunks are kept. */
  settle(): Promise<void> {
    return this.#store.settle();
  }

  /** Threads that have series, the server's own among them. */
  get threads(): readonly string[] {
    return [...this.#options.observer.threads.map(([thread]) => thread), SERVER];
  }

  /** Returns the columns of some series: of one thread, of each, or of all together. */
  columns(names: readonly string[], thread: string): WantedColumn[] {
    return names.flatMap((name) => this.#columnsOf(name, thread));
  }

  /** Returns the columns of the series of a command, or of an error code. */
  thingColumns(names: readonly string[], kind: ThingKind, name: string): WantedColumn[] {
    const owner = ownerOf(kind, name);
    return names.flatMap((each) => {
      const series = THING_SERIES[kind].find((one) => one.name === each);
      return series === undefined ? [] : [{ series, thread: null, owner }];
    });
  }

  document(query: HistoryQuery): Promise<HistoryDocument> {
    return historyDocument(query, this.#sources());
  }

  about(): Omit<HistorySeriesDocument, 'causes'> {
    const owners = this.#sampler?.owners ?? [];
    const things = (kind: ThingKind): string[] => {
      const prefix = ownerOf(kind, '');
      const ofKind = owners.filter(({ owner }) => owner.startsWith(prefix));
      return ofKind.map(({ owner }) => owner.slice(prefix.length));
    };
    return {
      enabled: this.#settings.isEnabled,
      bytes: this.#store.bytes + this.events.bytes,
      bytes_max: this.#settings.bytesMax,
      tiers: this.#shapes.map(({ seconds, samplesMax }) => ({
        sample_seconds: seconds,
        kept_seconds: seconds * samplesMax,
      })),
      threads: this.threads,
      commands: things('command'),
      errors: things('error'),
      series: this.#allSeries(),
    };
  }

  async #load(): Promise<void> {
    if (this.#folder !== undefined) {
      await this.#store.load(this.#folder);
      const isUnclean = await this.events.load(this.#folder);
      if (isUnclean) {
        const message = 'The process before this one ended without a stop: killed or crashed';
        this.#options.log('warn', 'unclean-end', message, {});
      }
    }
    const mayBegin = this.#sampler === undefined && !this.#isClosed;
    if (this.#settings.isEnabled && mayBegin) this.#begin();
  }

  #begin(): void {
    const { observer, clock, judged } = this.#options;
    const sampler = new Sampler({
      observer,
      judged,
      nowUs: () => clock.nowUs(),
      wallMs: () => clock.wallMs(),
    });
    this.#sampler = sampler;
    this.#tiers = this.#shapes.map(
      (shape, index) =>
        new Tier(shape, (chunk) => {
          this.#store.add(index, chunk);
        }),
    );
    this.#takenUs = clock.nowUs();
    this.#stopTimer = everySecond(() => {
      this.sample();
    });
  }

  #end(): void {
    const sampler = this.#sampler;
    if (sampler === undefined) return;
    this.#stopTimer?.();
    for (const tier of this.#tiers) tier.close(sampler, this.#options.clock.wallMs());
    this.#sampler = undefined;
    this.#tiers = [];
  }

  #openFolder(): void {
    const { folder } = this.#settings;
    const { clock, log } = this.#options;
    this.#folder =
      folder === '' ? undefined : new HistoryFolder(folder, () => clock.nowUs() / 1_000, log);
  }

  /** Until the server is ready, its data folder may be another process'. */
  #mayWrite(): boolean {
    return this.#options.observer.main.get('phase') !== Phase.starting;
  }

  #sources(): SampleSource[] {
    return this.#shapes.map(({ seconds }, index) => ({
      seconds,
      read: (range, isWanted) => this.#read(index, range, isWanted),
    }));
  }

  async *#read(
    tier: number,
    range: { readonly fromMs: number; readonly toMs: number },
    isWanted: (owner: string, name: string) => boolean,
  ) {
    // What is added while files are read is in the open chunk, or in the chunk that was open.
    const open = this.#tiers[tier]?.open;
    yield* this.#store.read(tier, range, isWanted);
    if (open !== undefined && open.count > 0) yield open;
  }

  #columnsOf(name: string, thread: string): WantedColumn[] {
    const having = this.threads.flatMap((each): WantedColumn[] => {
      const series = this.#seriesOf(each, name);
      return series === undefined ? [] : [{ series, thread: each, owner: each }];
    });
    if (thread === 'each') return having;
    if (thread === 'all') {
      const first = having.find(({ owner }) => owner === SERVER) ?? having[0];
      if (first === undefined) return [];
      return [{ ...first, thread: null, owner: first.owner === SERVER ? SERVER : null }];
    }
    // Earlier processes may have had more shards: theirs have the series of those that there are.
    const series =
      this.#seriesOf(thread, name) ?? this.#seriesOf(thread.replace(/\d+$/, '0'), name);
    return series === undefined ? [] : [{ series, thread, owner: thread }];
  }

  #seriesOf(owner: string, name: string): Series | undefined {
    return this.#sampler?.seriesOf(owner, name);
  }

  #allSeries(): HistorySeriesReport[] {
    const found = new Map<string, { series: Series; owners: Set<string> }>();
    for (const { owner, names } of this.#sampler?.owners ?? []) {
      const kind = owner.replace(/[-:].*$/, '');
      for (const name of names) {
        const known = found.get(name);
        if (known === undefined) {
          found.set(name, { series: this.#seriesOf(owner, name)!, owners: new Set([kind]) });
        } else known.owners.add(kind);
      }
    }
    return [...found.values()].map(({ series: { name, kind, unit }, owners }) => {
      return { name, kind, unit, owners: [...owners] };
    });
  }
}
