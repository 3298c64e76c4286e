/**
 * The last minutes, one sample a second, for the debug pages: whoever opens them sees what was before, and
 * a page that was hidden for a while fetches what it has missed.
 *
 * All of it comes from shared pages. It begins with the first who asks, and ends when nobody has asked for
 * a while, so that it costs nothing where nobody looks.
 */

import { randomBytes } from 'node:crypto';
import { addCounts, HISTOGRAM_BUCKETS, type Page } from '#diag';
import type { LiveDocument, LiveSample, LiveShard, ShardStatus, StatusDocument } from '#documents';
import { HttpError } from './answer.ts';
import { BandGrowth, Growth, LatencyGrowth, latencyOf, tenths } from './live-figures.ts';
import { documentRoute, type Route } from './routes.ts';
import type { Surroundings } from './surroundings.ts';

const PERIOD_MS = 1_000;
/** Five minutes. */
const SAMPLES_MAX = 300;
/** Nobody has asked for so long: nobody looks. */
const UNSEEN_MS_MAX = 600_000;

const RATES = ['errors', 'hits', 'misses', 'expired', 'evicted'] as const;

type RateGrowths = Readonly<Record<(typeof RATES)[number], readonly Growth[]>>;

/** What is kept of one shard between samples. */
class ShardWatch {
  readonly latency: LatencyGrowth;
  readonly commands: Growth;
  readonly bands: BandGrowth;

  constructor(page: Page, commandCount: number) {
    this.latency = new LatencyGrowth(page, commandCount);
    this.commands = new Growth(page, 'commands');
    this.bands = new BandGrowth(page);
  }
}

export class Live {
  readonly #surroundings: Surroundings;
  /** Another one is another process: its samples do not go on where ours end. */
  readonly #boot = randomBytes(6).toString('hex');
  #samples: LiveSample[] = [];
  #seq = 0;
  #timer: NodeJS.Timeout | undefined;
  #askedMs = 0;
  #takenUs = 0;
  #watches: readonly ShardWatch[] = [];
  #main: ShardWatch | undefined;
  #rates: RateGrowths | undefined;
  #received: Growth | undefined;
  #sent: Growth | undefined;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  get route(): Route {
    const about =
      'The status, and a sample of each of the last seconds; ?since= the number of one.';
    return documentRoute('live', about, ({ query }) => this.#document(query.get('since') ?? '0'));
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #document(since: string): Promise<LiveDocument> {
    if (!/^\d{1,15}$/.test(since)) throw new HttpError(400, 'since must be the number of a sample');
    const { clock, live } = this.#surroundings;
    this.#askedMs = clock.wallMs();
    if (this.#timer === undefined) this.#begin();
    const status = await this.#surroundings.status();
    return {
      boot: this.#boot,
      status,
      band_thresholds_ms: live.bands.isEnabled ? live.bands.thresholdsMs : [],
      samples: this.#samples.filter(({ seq }) => seq > Number(since)),
    };
  }

  #begin(): void {
    const { sight, clock } = this.#surroundings;
    const { main, shards, commandNames } = sight;
    const pages = [main, ...shards];
    this.#watches = shards.map((page) => new ShardWatch(page, commandNames.length));
    this.#main = new ShardWatch(main, commandNames.length);
    this.#received = new Growth(main, 'bytesRead');
    this.#sent = new Growth(main, 'bytesWritten');
    this.#rates = Object.fromEntries(
      RATES.map((name) => [name, pages.map((page) => new Growth(page, name))]),
    ) as unknown as RateGrowths;
    this.#takenUs = clock.nowUs();
    this.#next();
  }

  #next(): void {
    this.#timer = setTimeout(() => void this.#sample(), PERIOD_MS);
    this.#timer.unref();
  }

  async #sample(): Promise<void> {
    const { clock } = this.#surroundings;
    if (clock.wallMs() - this.#askedMs > UNSEEN_MS_MAX) {
      this.#timer = undefined;
      this.#samples = [];
      return;
    }
    const status = await this.#surroundings.status();
    // It may have been closed while the status was collected.
    if (this.#timer === undefined) return;
    const nowUs = clock.nowUs();
    this.#samples.push(this.#sampleOf(status, (nowUs - this.#takenUs) / 1_000_000));
    if (this.#samples.length > SAMPLES_MAX) this.#samples.shift();
    this.#takenUs = nowUs;
    this.#next();
  }

  #sampleOf(status: StatusDocument, seconds: number): LiveSample {
    const { clock, mainRates } = this.#surroundings;
    const perSecond = (grown: number): number => tenths(grown / Math.max(seconds, 1e-3));
    const all = { execute: counts(), queue: counts() };
    const shards = this.#watches.map((watch, id) => {
      watch.latency.take();
      addCounts(all.execute, watch.latency.execute);
      addCounts(all.queue, watch.latency.queue);
      return this.#shardOf(status.shards[id]!, watch, perSecond);
    });
    this.#main!.latency.take();
    addCounts(all.execute, this.#main!.latency.execute);
    const rates = Object.fromEntries(
      RATES.map((name) => [
        name,
        perSecond(this.#rates![name].reduce((sum, growth) => sum + growth.take(), 0)),
      ]),
    ) as Record<(typeof RATES)[number], number>;
    this.#seq += 1;
    return {
      ...{ seq: this.#seq, time_ms: clock.wallMs() },
      ...{ clients: status.clients.connected, blocked: status.clients.blocked },
      ...rates,
      received_bytes: perSecond(this.#received!.take()),
      sent_bytes: perSecond(this.#sent!.take()),
      used_bytes: status.memory.used_bytes,
      rss_bytes: status.memory.rss_bytes,
      main_busy_percent: tenths(mainRates.busyPercent),
      // Main counts every command, those that shards run too.
      ops: perSecond(this.#main!.commands.take()),
      execute: latencyOf(all.execute),
      queue: latencyOf(all.queue),
      shards,
    };
  }

  #shardOf(
    shard: ShardStatus,
    { latency, commands, bands }: ShardWatch,
    perSecond: (grown: number) => number,
  ): LiveShard {
    const { isEnabled, thresholdsMs } = this.#surroundings.live.bands;
    return {
      ops: perSecond(commands.take()),
      busy_percent: tenths(shard.busy_percent),
      ...{ queue_depth: shard.queue_depth, keys: shard.keys, memory_bytes: shard.memory_bytes },
      execute: latencyOf(latency.execute),
      queue: latencyOf(latency.queue),
      bands: isEnabled ? bands.take(thresholdsMs.length + 1) : [],
    };
  }
}

function counts(): Float64Array {
  return new Float64Array(HISTOGRAM_BUCKETS);
}
