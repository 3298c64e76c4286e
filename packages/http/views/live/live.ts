/**
 * The last minutes, one sample a second, for the debug pages: a page shows the past when it is opened, and fetches
 * missed samples after it was hidden. All data comes from shared pages. Sampling starts with the first request, continuing
 * what the history has, and stops when there were no requests for a while, so that it costs nothing without viewers.
 */

import { randomBytes } from 'node:crypto';
import { msToNextSecond } from '#base';
import type { History } from '#history';
import { addCounts, HISTOGRAM_BUCKETS, type Page } from '#stats';
import type {
  LiveBands,
  LiveColumns,
  LiveDocument,
  LivePart,
  LiveReplication,
  LiveStatus,
  StatusDocument,
} from '#api-types';
import type { Exchange } from '../../protocol/exchange.ts';
import {
  BandGrowth,
  Growth,
  LatencyGrowth,
  latencyOf,
  RateGrowths,
  tenths,
  threeDigits,
} from './live-figures.ts';
import { pastSamples } from './past-samples.ts';
import { shownSamples, type KeptSample, type KeptShard } from './live-samples.ts';
import { numberBelow, wordsOf } from '../../protocol/query.ts';
import { integer, words } from '../../protocol/parameters.ts';
import { documentRoute, type Route } from '../../protocol/route.ts';
import { currentStatus } from '../status.ts';
import type { OpsContext } from '../../ops/ops-context.ts';

/** Five minutes. */
const SAMPLES_MAX = 300;
/** Milliseconds without a request after which there are no viewers. */
const UNSEEN_MS_MAX = 600_000;

const PARTS: readonly LivePart[] = [
  'figures',
  'shards',
  'totals',
  'times',
  'shard-samples',
  'bands',
  'replication',
];

/** Parts that samples are made of. */
const SAMPLED: readonly LivePart[] = ['totals', 'times', 'shard-samples', 'replication'];

/** State kept of one shard between samples. */
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
  readonly #context: OpsContext;
  readonly #history: History;
  /** Identifies the process: samples of another one do not continue these. */
  readonly #boot = randomBytes(6).toString('hex');
  #samples: KeptSample[] = [];
  #seq = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Settles when the past is loaded and sampling has started; undefined while there are no viewers. */
  #begun: Promise<void> | undefined;
  #isClosed = false;
  #askedMs = 0;
  #takenUs = 0;
  #watches: readonly ShardWatch[] = [];
  #main: ShardWatch | undefined;
  #rates: RateGrowths | undefined;

  constructor(opsContext: OpsContext, history: History) {
    this.#context = opsContext;
    this.#history = history;
  }

  get route(): Route {
    const about =
      'Samples of the charts: ?since= number of a sample, ?with= parts of it, ?shard= times of one shard.';
    return documentRoute('live', about, (exchange) => this.#document(exchange), [
      integer('since', 'Number of the last known sample; only later samples are returned.'),
      words('with', 'Parts that are returned; all by default.', PARTS),
      integer('shard', 'Shard whose times are returned; by default those of all shards.'),
    ]);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #document({ query }: Exchange): Promise<LiveDocument> {
    const { clock, observer } = this.#context;
    const since = numberBelow(query, 'since', Number.MAX_SAFE_INTEGER);
    const parts = wordsOf(query, 'with', PARTS);
    const shard = query.has('shard') ? numberBelow(query, 'shard', observer.shards.length) : null;
    this.#askedMs = clock.wallMs();
    this.#begun ??= this.#begin();
    await this.#begun;
    const status = await currentStatus(this.#context);
    return {
      boot: this.#boot,
      status: statusOf(status, parts),
      shards: parts.has('shards') ? status.shards : null,
      bands: parts.has('bands') ? this.#bands() : null,
      samples: this.#samplesAfter(since, parts, shard),
    };
  }

  /** Returns no samples if `parts` is empty. */
  #samplesAfter(since: number, parts: ReadonlySet<LivePart>, shard: number | null): LiveColumns {
    const isDrawn = SAMPLED.some((part) => parts.has(part));
    const samples = isDrawn ? this.#samples.filter(({ seq }) => seq > since) : [];
    return shownSamples(samples, parts, shard);
  }

  /** Samples from before the thresholds were changed have another number of bands: left out. */
  #bands(): LiveBands | null {
    const { isEnabled, thresholdsMs } = this.#context.live.bands;
    if (!isEnabled) return null;
    const sums = this.#watches.map(() => new Array<number>(thresholdsMs.length + 1).fill(0));
    for (const { shards } of this.#samples) {
      for (const [id, { bands }] of shards.entries()) {
        if (bands.length !== thresholdsMs.length + 1) continue;
        bands.forEach((value, band) => (sums[id]![band]! += value));
      }
    }
    return { thresholds_ms: thresholdsMs, shards: sums };
  }

  async #begin(): Promise<void> {
    const { observer, clock } = this.#context;
    const { main, shards, commandNames } = observer;
    const past = await pastSamples({
      history: this.#history,
      shards: shards.length,
      nowMs: clock.wallMs(),
      count: SAMPLES_MAX,
    });
    if (this.#isClosed) return;
    this.#samples = past.map((sample) => {
      this.#seq += 1;
      return { seq: this.#seq, ...sample };
    });
    this.#watches = shards.map((page) => new ShardWatch(page, commandNames.length));
    this.#main = new ShardWatch(main, commandNames.length);
    this.#rates = new RateGrowths(main, shards);
    this.#takenUs = clock.nowUs();
    this.#next();
  }

  #next(): void {
    this.#timer = setTimeout(() => void this.#sample(), msToNextSecond());
    this.#timer.unref();
  }

  async #sample(): Promise<void> {
    const { clock } = this.#context;
    if (clock.wallMs() - this.#askedMs > UNSEEN_MS_MAX) {
      this.#timer = undefined;
      this.#begun = undefined;
      this.#samples = [];
      return;
    }
    const status = await currentStatus(this.#context);
    // It may have been closed while the status was collected.
    if (this.#timer === undefined) return;
    const nowUs = clock.nowUs();
    this.#samples.push(this.#sampleOf(status, (nowUs - this.#takenUs) / 1_000_000));
    if (this.#samples.length > SAMPLES_MAX) this.#samples.shift();
    this.#takenUs = nowUs;
    this.#next();
  }

  #sampleOf(status: StatusDocument, seconds: number): KeptSample {
    const { clock, mainRates, observer } = this.#context;
    const perSecond = (grown: number): number => threeDigits(grown / Math.max(seconds, 1e-3));
    const all = { execute: counts(), queue: counts() };
    const shards = this.#watches.map((watch, id) => {
      watch.latency.take();
      addCounts(all.execute, watch.latency.execute);
      addCounts(all.queue, watch.latency.queue);
      return this.#shardOf(watch, status.shards[id]!.busy_percent, perSecond);
    });
    this.#main!.latency.take();
    addCounts(all.execute, this.#main!.latency.execute);
    // Main counts every command, those that shards run too.
    const { ops, ...rates } = this.#rates!.take(perSecond);
    this.#seq += 1;
    const { connected, blocked } = status.clients;
    return {
      seq: this.#seq,
      time_ms: clock.wallMs(),
      totals: {
        clients: connected,
        blocked,
        ...rates,
        used_bytes: status.memory.used_bytes,
        rss_bytes: status.memory.rss_bytes,
        main_busy_percent: tenths(mainRates.busyPercent),
        ops,
      },
      times: { execute: latencyOf(all.execute), queue: latencyOf(all.queue) },
      shards,
      replication: replicationOf(observer.main),
    };
  }

  #shardOf(
    { latency, commands, bands }: ShardWatch,
    busyPercent: number,
    perSecond: (grown: number) => number,
  ): KeptShard {
    const { isEnabled, thresholdsMs } = this.#context.live.bands;
    return {
      ops: perSecond(commands.take()),
      busyPercent: tenths(busyPercent),
      times: { execute: latencyOf(latency.execute), queue: latencyOf(latency.queue) },
      bands: isEnabled ? bands.take(thresholdsMs.length + 1) : [],
    };
  }
}

function statusOf(status: StatusDocument, parts: ReadonlySet<LivePart>): LiveStatus {
  const { frogdb, cluster, health, clients, memory, keyspace, tiered, commands } = status;
  const { total_processed, ops_per_sec, errors_total } = commands;
  const totals = { total_processed, ops_per_sec, errors_total };
  const shown = { clients, memory, keyspace, tiered, commands: totals };
  const figures = parts.has('figures') ? shown : null;
  return { frogdb, cluster, health, figures };
}

function replicationOf(page: Page): LiveReplication {
  const hasReplica = page.get('replicas') > 0;
  return {
    replica_lag_us: hasReplica ? threeDigits(page.get('replicaLagUs')) : null,
    primary_lag_us: page.get('primaryLinkUp') > 0 ? threeDigits(page.get('primaryLagUs')) : null,
    replica_lag_bytes: hasReplica ? page.get('replicaLagBytes') : null,
    stream_bytes: page.get('streamRate'),
    bytes_in: page.get('replicationInputRate'),
    bytes_out: page.get('replicationOutputRate'),
  };
}

function counts(): Float64Array {
  return new Float64Array(HISTOGRAM_BUCKETS);
}
