/** Occurrences that took long, by kind of event: the latest of each second, and the worst of all. */

/** The events of LATENCY; their order is what travels between threads. */
export const LATENCY_EVENTS = [
  'command',
  'fork',
  'aof-fsync',
  'expire-cycle',
  'eviction-cycle',
  'snapshot-io',
  'repl-sync',
  'warm-fetch',
] as const;

export type LatencyEvent = (typeof LATENCY_EVENTS)[number];

/** Kept of each event; one for each second in which it occurred, as in Redis. */
export const SAMPLES_MAX = 160;

/** Thread of an occurrence that is not a shard's. */
export const MAIN_THREAD = -1;

/** The longest occurrence of a second. */
interface LatencySample {
  readonly unixSeconds: number;
  readonly us: number;
  /** MAIN_THREAD for main. */
  readonly shard: number;
}

/** Occurrences of an event on one thread. */
interface ThreadShare {
  readonly shard: number;
  readonly count: number;
  readonly usMax: number;
}

export class LatencySeries {
  readonly event: LatencyEvent;
  /** Occurrences, and microseconds of them all. */
  count = 0;
  usSum = 0;
  /** Maximum of all occurrences, including those whose samples were dropped. */
  usMax = 0;
  readonly #samples: LatencySample[] = [];
  readonly #shares = new Map<number, ThreadShare>();

  constructor(event: LatencyEvent) {
    this.event = event;
  }

  /** Oldest first. */
  get samples(): readonly LatencySample[] {
    return this.#samples;
  }

  get latest(): LatencySample | undefined {
    return this.#samples.at(-1);
  }

  /** Shares by thread, the one with the longest occurrence first. */
  get shares(): readonly ThreadShare[] {
    return [...this.#shares.values()].sort((a, b) => b.usMax - a.usMax);
  }

  add(sample: LatencySample): void {
    const { us, shard } = sample;
    this.count += 1;
    this.usSum += us;
    this.usMax = Math.max(this.usMax, us);
    const share = this.#shares.get(shard) ?? { shard, count: 0, usMax: 0 };
    const usMax = Math.max(share.usMax, us);
    this.#shares.set(shard, { shard, count: share.count + 1, usMax });
    this.#insert(sample);
  }

  /** Threads report one after the other: a sample may be older than the last. */
  #insert(sample: LatencySample): void {
    const samples = this.#samples;
    let at = samples.length;
    while (at > 0 && samples[at - 1]!.unixSeconds > sample.unixSeconds) at -= 1;
    const before = samples[at - 1];
    if (before?.unixSeconds === sample.unixSeconds) {
      if (sample.us > before.us) samples[at - 1] = sample;
      return;
    }
    samples.splice(at, 0, sample);
    if (samples.length > SAMPLES_MAX) samples.shift();
  }
}

export class LatencyEvents {
  /** Duration from which occurrences are recorded; infinite if none is. */
  thresholdUs = Infinity;
  readonly #series = new Map<LatencyEvent, LatencySeries>();

  /** Series of the events that have occurred, in the order of LATENCY_EVENTS. */
  get all(): readonly LatencySeries[] {
    return LATENCY_EVENTS.flatMap((event) => this.#series.get(event) ?? []);
  }

  of(event: LatencyEvent): LatencySeries | undefined {
    return this.#series.get(event);
  }

  /** Records an occurrence, if it took long enough. */
  record(event: LatencyEvent, us: number, unixMs: number, shard = MAIN_THREAD): void {
    if (us < this.thresholdUs) return;
    let series = this.#series.get(event);
    if (series === undefined) {
      series = new LatencySeries(event);
      this.#series.set(event, series);
    }
    series.add({ unixSeconds: Math.floor(unixMs / 1_000), us, shard });
  }

  /** Forgets one event; answers whether there was anything. */
  reset(event: LatencyEvent): boolean {
    return this.#series.delete(event);
  }
}

/** The event that a client named: in any case, with `-` or `_`. */
export function latencyEvent(name: string): LatencyEvent | undefined {
  const wanted = name.toLowerCase().replaceAll('_', '-');
  return LATENCY_EVENTS.find((event) => event === wanted);
}
