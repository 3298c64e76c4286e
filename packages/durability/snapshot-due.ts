/** Decides when a snapshot is due by itself: after a time, or because a start would have to read much more than it. */

import { type Clock, RetryDelay } from '#base';
import type { Settings } from '#config';
import { type LogFigure, LogFigures, sumOfLogs } from '#stats';
import { refusesUnsaved, type SavePoint, savePoints, type ServerMemory } from '#main';

/** Shortest and longest time after a failed snapshot in which none is due, in milliseconds; the first as in Redis. */
const RETRY_MS_MIN = 5_000;
const RETRY_MS_MAX = 60_000;

interface SnapshotDueOptions {
  readonly settings: Settings;
  readonly serverMemory: ServerMemory;
  readonly clock: Clock;
}

export class SnapshotDue {
  readonly #options: SnapshotDueOptions;
  readonly #delay = new RetryDelay(RETRY_MS_MIN, RETRY_MS_MAX);
  /** Monotonic microseconds before which none is due. */
  #retryUs = 0;
  #isOwed = false;

  constructor(options: SnapshotDueOptions) {
    this.#options = options;
  }

  /** Notes the bytes that are on disk when the log begins. */
  begin({ snapshot, log }: { readonly snapshot: number; readonly log: number }): void {
    const { mainPage } = this.#options.serverMemory;
    mainPage.set('logBaseBytes', snapshot);
    mainPage.set('logCountAtBase', -log);
  }

  /** Makes the next snapshot due regardless of changes: the data on disk is not readable as it is. */
  owe(): void {
    this.#isOwed = true;
  }

  /** The logs start over, based on a snapshot that is not on disk yet. */
  found(): void {
    const { mainPage } = this.#options.serverMemory;
    this.#isOwed = true;
    this.#retryUs = 0;
    this.#delay.reset();
    mainPage.set('logBaseBytes', 0);
    mainPage.set('logCountAtBase', this.#ofLogs('bytes'));
  }

  /** A snapshot has finished; the logs continue in segments that started with it. */
  saved(snapshotBytes: number): void {
    const { mainPage } = this.#options.serverMemory;
    this.#isOwed = false;
    this.#retryUs = 0;
    this.#delay.reset();
    mainPage.set('logBaseBytes', snapshotBytes + this.#ofLogs('segmentBytes'));
    mainPage.set('logCountAtBase', this.#ofLogs('bytes'));
  }

  /** The last one has failed. Where writes are refused for that, they would be until the next save point. */
  failed(): void {
    const { clock, settings } = this.#options;
    this.#retryUs = clock.nowUs() + this.#delay.next() * 1_000;
    if (refusesUnsaved(settings)) this.#isOwed = true;
  }

  /** True when a snapshot is due, after `changes` changes since the last. */
  isDue(changes: number): boolean {
    if (this.#options.clock.nowUs() < this.#retryUs) return false;
    if (this.#isOwed || changes === 0) return this.#isOwed;
    return (
      savePoints(this.#options.settings).some((point) => this.#isOver(point, changes)) ||
      this.#hasLogGrown
    );
  }

  #isOver(point: SavePoint, changes: number): boolean {
    const { serverMemory, clock } = this.#options;
    const elapsedMs = clock.wallMs() - serverMemory.mainPage.get('lastSaveMs');
    return elapsedMs >= point.seconds * 1_000 && changes >= point.changes;
  }

  get #hasLogGrown(): boolean {
    const { settings, serverMemory } = this.#options;
    const percent = settings.number('snapshot.log-growth-percent');
    const base = serverMemory.mainPage.get('logBaseBytes');
    const grown = this.#ofLogs('bytes') - serverMemory.mainPage.get('logCountAtBase');
    if (base + grown <= settings.number('snapshot.log-growth-min-size')) return false;
    return percent > 0 && grown * 100 >= percent * base;
  }

  #ofLogs(figure: LogFigure): number {
    const logs = this.#options.serverMemory.logMemory.map((memory) => new LogFigures(memory));
    return sumOfLogs(logs, figure);
  }
}
