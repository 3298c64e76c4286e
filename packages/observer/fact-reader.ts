/** Makes the facts of the last seconds from readings. */

import { getSystemErrorName } from 'node:util';
import { machineLimits, readable, systemClock } from '#base';
import {
  type ClientFacts,
  type CommandFacts,
  type DiskFacts,
  type Facts,
  type MachineFacts,
  type MemoryFacts,
  type Page,
  type ReplicationFacts,
  type RunningFacts,
  type ShardFacts,
  type ThreadFacts,
  type TierFacts,
  TICKS_PER_US,
  TIER_FAULTS,
  usedMemory,
} from '#stats';
import { durabilityIn } from './durability.ts';
import { executingIn, scriptIn } from './executing.ts';
import type { Observer } from './observer.ts';
import type { StatusSettings } from './status.ts';
import { ExecutionSampler, mostOf, type SampleSlice } from './execution-sampler.ts';
import { HitShares } from './hit-shares.ts';
import { diskRoom, type DiskRoom, MachineReader } from './machine-reader.ts';
import { readingOf, Window } from './readings.ts';
import { ThreadTimesReader } from './thread-times.ts';

const US = 1_000_000;
/** A command that runs for longer is looked at. */
const LONG_US = 300_000;
/** Share of samples from which a client is looked at. */
const CLIENT_SHARE = 0.3;
/** Samples of a window from which shares are used. */
const SAMPLES_MIN = 8;
/** Readings between two looks at the disk's room. */
const ROOM_READINGS = 10;
const COLLECTIONS = ['gcMinorUs', 'gcMajorUs', 'gcIncrementalUs', 'gcWeakUs'] as const;

interface FactReaderOptions {
  readonly observer: Observer;
  readonly settings: () => StatusSettings;
  /** Returns the id of the client in a slot of main's list; null if unknown. */
  readonly clientId: (slot: number) => number | null;
}

export class FactReader {
  readonly #options: FactReaderOptions;
  readonly #window = new Window();
  readonly #sampler: ExecutionSampler;
  readonly #times: ThreadTimesReader;
  readonly #machine = new MachineReader();
  readonly #hitShares = new HitShares();
  #room: DiskRoom | undefined;
  #readings = 0;

  constructor(options: FactReaderOptions) {
    this.#options = options;
    this.#sampler = new ExecutionSampler(options.observer);
    this.#times = new ThreadTimesReader(options.observer);
  }

  /** Takes a sample of what shards execute; returns true if any does. */
  sample(nowUs: number): boolean {
    return this.#sampler.sample(nowUs);
  }

  /** Takes a reading; returns the facts of the window up to now, or undefined before there are two. */
  read(nowUs = systemClock.nowUs(), wallMs = systemClock.wallMs()): Facts | undefined {
    const { observer, settings } = this.#options;
    if (this.#readings % ROOM_READINGS === 0) this.#room = diskRoom(settings().dataFolder);
    this.#readings += 1;
    const sum = (counter: 'hits' | 'misses'): number =>
      observer.shards.reduce((total, page) => total + page.get(counter), 0);
    this.#hitShares.take(sum('hits'), sum('misses'), nowUs);
    this.#window.add(
      readingOf(observer, {
        atUs: nowUs,
        times: this.#times.read(),
        machine: this.#machine.read(),
        samples: this.#sampler.take(),
      }),
    );
    return this.#window.isWhole ? this.#facts(nowUs, wallMs) : undefined;
  }

  /** Times of each thread since its start, by thread. */
  get threadTimes(): ReturnType<ThreadTimesReader['read']> {
    return this.#times.read();
  }

  /** Room on the disk of the data folder, as of some seconds ago. */
  get room(): DiskRoom | undefined {
    return this.#options.observer.main.get('keepsData') === 1 ? this.#room : undefined;
  }

  close(): void {
    this.#times.close();
  }

  #facts(nowUs: number, wallMs: number): Facts {
    const { observer } = this.#options;
    const slices = observer.shards.map((_page, shard) => this.#window.samples(shard));
    const share = (us: number): number => us / this.#window.us;
    return {
      seconds: this.#window.us / US,
      threads: observer.threads.map(([name, page]) => this.#thread(name, page)),
      running: this.#running(nowUs),
      shards: slices.map((slice, shard) => this.#shard(shard, slice)),
      machine: this.#machineFacts(),
      clients: this.#clients(slices),
      memory: this.#memory(),
      disk: this.#disk(nowUs),
      replication: this.#replication(wallMs),
      tier: this.#tier(),
      barrierShare: share(this.#window.grown('main', 'barrierUs')),
      barriersPerSecond: this.#perSecond(this.#window.grown('main', 'barriers')),
    };
  }

  #perSecond(count: number): number {
    return (count * US) / this.#window.us;
  }

  #thread(name: string, page: Page): ThreadFacts {
    const window = this.#window;
    const collectionUs = COLLECTIONS.reduce((sum, each) => sum + window.grown(name, each), 0);
    const share = (us: number): number => Math.min(1, us / window.us);
    const isNewMost = window.grown(name, 'gcUsMax') > 0;
    return {
      name,
      runShare: share(window.time(name, 'runUs')),
      waitShare: share(window.time(name, 'waitUs')),
      collectionShare: share(collectionUs),
      collectionMsMax: isNewMost ? page.get('gcUsMax') / 1_000 : 0,
    };
  }

  #running(nowUs: number): readonly RunningFacts[] {
    const { observer } = this.#options;
    const ofShards = observer.shards.flatMap((_page, shard) => this.#runningOn(shard, nowUs) ?? []);
    const { main } = observer;
    const name = observer.commandNames[main.get('executing') - 1];
    if (name === undefined) return ofShards;
    const seconds = (nowUs - main.get('executingSinceUs')) / US;
    const client = main.get('workClient') || null;
    const common = { thread: 'main', command: name, seconds, client };
    return [{ ...common, key: null, script: null, line: 0 }, ...ofShards];
  }

  #runningOn(shard: number, nowUs: number): RunningFacts | undefined {
    const { observer, clientId } = this.#options;
    const page = observer.shards[shard]!;
    const executing = executingIn(page, observer.memory, nowUs);
    if (executing === null || executing.elapsedUs < LONG_US) return undefined;
    return {
      thread: `shard-${shard}`,
      command: executing.command,
      seconds: executing.elapsedUs / US,
      client: clientId(executing.connection),
      key: executing.key === null ? null : readable(executing.key),
      script: scriptIn(page, observer.memory),
      line: page.get('scriptLine'),
    };
  }

  #shard(shard: number, slice: SampleSlice): ShardFacts {
    const { requests, p99Us } = this.#window.times('queues', shard);
    return {
      shard,
      commands: this.#window.grown(`shard-${shard}`, 'commands'),
      topCommand: this.#topCommand(shard, slice),
      topKey: topKey(slice),
      queueMsP99: p99Us / 1_000,
      executeMsP99: this.#window.times('executions', shard).p99Us / 1_000,
      requests,
    };
  }

  #topCommand(shard: number, slice: SampleSlice): CommandFacts | null {
    const [name] = mostOf(slice.commands) ?? [];
    if (name === undefined || slice.total < SAMPLES_MIN) return null;
    const id = this.#options.observer.commandNames.indexOf(name);
    const { calls, ticks } = this.#window.command(shard, id);
    const ms = ticks / TICKS_PER_US / 1_000;
    return {
      name,
      share: Math.min(1, (ms * 1_000) / this.#window.us),
      calls,
      meanMs: calls === 0 ? 0 : ms / calls,
      script: slice.script,
    };
  }

  #machineFacts(): MachineFacts {
    const { observer } = this.#options;
    const { first, last } = this.#window;
    const share = (name: 'memoryStallUs' | 'ioStallUs' | 'throttledUs'): number | null => {
      const [before, after] = [first.machine[name], last.machine[name]];
      if (before === undefined || after === undefined) return null;
      return Math.max(0, (after - before) / this.#window.us);
    };
    const sent = last.machine.segmentsOut - first.machine.segmentsOut;
    const again = last.machine.segmentsAgain - first.machine.segmentsAgain;
    const interfaces = last.machine.interfaces.map(({ name, bytes, bytesPerSecondMax }) => {
      const before = first.machine.interfaces.find((each) => each.name === name)?.bytes ?? bytes;
      return { name, share: this.#perSecond(Math.max(0, bytes - before)) / bytesPerSecondMax };
    });
    const [busiest = null] = interfaces.sort((a, b) => b.share - a.share);
    return {
      processors: machineLimits().processors,
      threads: 1 + observer.shards.length + observer.fronts.length,
      throttledShare: share('throttledUs'),
      memoryStallShare: share('memoryStallUs'),
      ioStallShare: share('ioStallUs'),
      retransmittedShare: sent < SEGMENTS_MIN ? 0 : Math.max(0, again) / sent,
      interface: busiest,
    };
  }

  #clients(slices: readonly SampleSlice[]): ClientFacts {
    const { observer, clientId } = this.#options;
    const { main } = observer;
    const tally = new Map<number, number>();
    let samples = 0;
    for (const { clients } of slices) {
      for (const [slot, count] of clients) {
        tally.set(slot, (tally.get(slot) ?? 0) + count);
        samples += count;
      }
    }
    const [slot, count] = mostOf(tally) ?? [];
    const share = count === undefined ? 0 : count / samples;
    const isLoad = slot !== undefined && samples >= SAMPLES_MIN && share >= CLIENT_SHARE;
    const id = isLoad ? clientId(slot) : null;
    const bytes = main.get('outputMaxBytes');
    return {
      connected: main.get('connections'),
      busiest: id === null ? null : { id, share },
      slowest: bytes > 0 ? { id: main.get('outputMaxClient'), bytes } : null,
    };
  }

  #memory(): MemoryFacts {
    const { observer, settings } = this.#options;
    const { now, before } = this.#hitShares.report;
    return {
      usedBytes: usedMemory(observer.main, observer.shards),
      limitBytes: settings().memoryLimitBytes,
      refusedPerSecond: this.#perSecond(this.#window.grown('main', 'oomRejections')),
      evictedPerSecond: this.#perSecond(this.#ofShards('evicted')),
      hitShare: now,
      hitShareBefore: before,
    };
  }

  #ofShards(counter: 'evicted' | 'hits' | 'tierFetches'): number {
    return this.#options.observer.shards.reduce(
      (sum, _page, shard) => sum + this.#window.grown(`shard-${shard}`, counter),
      0,
    );
  }

  #disk(nowUs: number): DiskFacts {
    const { observer, settings } = this.#options;
    const { durabilityMode, limits, dataFolder } = settings();
    const report = durabilityIn(observer, durabilityMode, nowUs);
    const syncs = this.#window.log('syncs');
    const syncUs = this.#window.log('syncUs');
    const room = report.isEnabled ? this.#room : undefined;
    return {
      folder: dataFolder,
      freeBytes: room?.freeBytes ?? null,
      freeShare: room?.freeShare ?? null,
      ...this.#failures(report),
      syncs,
      syncMsMean: syncs === 0 ? 0 : syncUs / syncs / 1_000,
      syncShare: Math.min(1, syncUs / this.#window.us / Math.max(1, observer.logs.length)),
      lagMs: report.lagMs,
      lagLimitMs: limits.durabilityLagWarningMs,
      mode: durabilityMode,
    };
  }

  #failures({
    isEnabled,
    hasLogFailed,
    hasLastSaveFailed,
  }: ReturnType<typeof durabilityIn>): Pick<
    DiskFacts,
    'logError' | 'snapshotError' | 'refusesWrites'
  > {
    const { refusesUnlogged, refusesUnsaved } = this.#options.settings();
    const { main } = this.#options.observer;
    const areSavesFailing = isEnabled && hasLastSaveFailed;
    return {
      logError: hasLogFailed ? errorName(main.get('logErrno')) : '',
      snapshotError: areSavesFailing ? errorName(main.get('snapshotErrno')) : '',
      refusesWrites: (hasLogFailed && refusesUnlogged) || (areSavesFailing && refusesUnsaved),
    };
  }

  #replication(wallMs: number): ReplicationFacts {
    const { main } = this.#options.observer;
    const downSinceMs = main.get('primaryLinkDownSinceMs');
    const isDown = main.get('isReplica') === 1 && downSinceMs > 0;
    const isDemoted = main.get('clusterEnabled') === 1 && main.get('clusterIsPrimary') === 0;
    return {
      lacksReplicas: main.get('lacksReplicas') === 1,
      replicas: main.get('replicas'),
      replicasSeen: isDemoted ? 0 : main.get('replicasSeen'),
      replicaLagMs: main.get('replicaLagUs') / 1_000,
      unappliedMs: main.get('primaryUnappliedUs') / 1_000,
      linkDownMs: isDown ? Math.max(0, wallMs - downSinceMs) : null,
    };
  }

  #tier(): TierFacts {
    const { observer, settings } = this.#options;
    const worst = (counter: 'tierFault' | 'tierFetchP99Us'): number =>
      Math.max(...observer.shards.map((page) => page.get(counter)));
    const hits = this.#ofShards('hits');
    const fetches = this.#ofShards('tierFetches');
    return {
      isOn: settings().isTiered,
      fault: TIER_FAULTS[worst('tierFault')] ?? 'none',
      fetchesPerSecond: this.#perSecond(fetches),
      fetchShare: hits === 0 ? 0 : fetches / hits,
      fetchMsP99: worst('tierFetchP99Us') / 1_000,
    };
  }
}

/** Segments of a window from which the share of those sent again is used. */
const SEGMENTS_MIN = 200;

function topKey({ keys, executing, total }: SampleSlice): ShardFacts['topKey'] {
  const [key, count] = mostOf(keys) ?? [];
  if (key === undefined || count === undefined || total < SAMPLES_MIN) return null;
  return executing < SAMPLES_MIN ? null : { key, share: count / executing };
}

/** Code of a system error, as `ENOSPC`; `failed` for errors that are not the system's. */
function errorName(errno: number): string {
  return errno === 0 ? 'failed' : getSystemErrorName(-errno);
}
