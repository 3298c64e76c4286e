/** The session of HOTKEYS, of which there is one per process: main starts it on the shards, and merges their results. */

import { LongTimer } from '#base';
import type { HotKeysPort, HotKeysReport, HotKeysStart, HotWindow } from '#commands';
import { HOT_KEYS, type HotKey, type HotKeysQuestion, mergeShares, lateShards } from '#stats';
import { HotWindowReports, type HotWindowsOptions } from './hot-windows.ts';

interface ProcessorTime {
  readonly user: number;
  readonly system: number;
}

interface HotKeysSessionOptions extends HotWindowsOptions {
  readonly nowUs: () => number;
  /** Processor time of the process in microseconds, from another reading on if that is given. */
  readonly processorTime: (since?: ProcessorTime) => ProcessorTime;
  readonly servesSlot: (slot: number) => boolean;
}

interface Session {
  readonly options: HotKeysStart;
  readonly startedMs: number;
  readonly startedUs: number;
  endedUs: number | undefined;
  /** Reading at the start. */
  readonly startedProcessor: ProcessorTime;
  /** Time that the session has taken, once it has ended. */
  processor: ProcessorTime | undefined;
  readonly timer: LongTimer | undefined;
}

export class HotKeysSession implements HotKeysPort {
  readonly #options: HotKeysSessionOptions;
  readonly #windows: HotWindowReports;
  #session: Session | undefined;

  constructor(options: HotKeysSessionOptions) {
    this.#options = options;
    this.#windows = new HotWindowReports(options);
  }

  /** There are no slots to choose outside of a cluster. */
  get isCluster(): boolean {
    return this.#options.settings.boolean('cluster.enabled');
  }

  servesSlot(slot: number): boolean {
    return this.#options.servesSlot(slot);
  }

  get hasWindows(): boolean {
    return this.#windows.options.isEnabled;
  }

  window(): Promise<HotWindow | null> {
    return this.#windows.last();
  }

  get state(): 'idle' | 'active' | 'stopped' {
    if (this.#session === undefined) return 'idle';
    return this.#session.endedUs === undefined ? 'active' : 'stopped';
  }

  start(options: HotKeysStart): void {
    const { metrics, count, sample, durationMs, slots } = options;
    const { wallMs, nowUs, processorTime } = this.#options;
    this.#report({ start: { metrics, count, sample, slots } });
    const end = (): void => {
      this.stop();
    };
    this.#session = {
      options,
      startedMs: wallMs(),
      startedUs: nowUs(),
      endedUs: undefined,
      startedProcessor: processorTime(),
      processor: undefined,
      timer: durationMs > 0 ? new LongTimer(durationMs, end) : undefined,
    };
  }

  stop(): void {
    const session = this.#session;
    if (session?.endedUs !== undefined || session === undefined) return;
    session.timer?.cancel();
    session.endedUs = this.#options.nowUs();
    session.processor = this.#options.processorTime(session.startedProcessor);
    this.#report('stop');
  }

  reset(): void {
    this.#session = undefined;
    this.#report('reset');
  }

  async report(): Promise<HotKeysReport | null> {
    const session = this.#session;
    if (session === undefined) return null;
    const reports = await this.#options.shardCalls.ask(HOT_KEYS, 'get', {
      acceptsPublished: true,
    });
    const shares = reports.flatMap((each) =>
      each.missing || each.answer === null ? [] : [each.answer],
    );
    const { options } = session;
    const merged = mergeShares(shares, options.count);
    const endUs = session.endedUs ?? this.#options.nowUs();
    const processor = session.processor ?? this.#options.processorTime(session.startedProcessor);
    return {
      options,
      state: session.endedUs === undefined ? 'active' : 'stopped',
      startedMs: session.startedMs,
      elapsedMs: Math.round((endUs - session.startedUs) / 1_000),
      allUs: merged.allUs,
      allBytes: merged.allBytes,
      keyedUs: merged.keyedUs,
      keyedBytes: merged.keyedBytes,
      userUs: processor.user,
      systemUs: processor.system,
      selectedUs: merged.selectedUs,
      selectedBytes: merged.selectedBytes,
      sampledUs: merged.sampledUs,
      sampledBytes: merged.sampledBytes,
      byMetric: {
        cpu: (merged.byMetric.cpu ?? []).map(entryOf),
        net: (merged.byMetric.net ?? []).map(entryOf),
      },
      missingShards: lateShards(reports),
    };
  }

  #report(question: HotKeysQuestion): void {
    // In order with the commands; nothing is answered that is waited for.
    void this.#options.shardCalls.ask(HOT_KEYS, question);
  }
}

function entryOf([key, calls, us, bytes, error]: HotKey) {
  return { key, calls, us, bytes, error };
}
