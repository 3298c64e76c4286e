/**
 * The memory that the server's threads share: rings, doorbell, reply blocks, statistics pages.
 *
 * Large because it is the map of the memory: each area is a field, and the threads get theirs from here.
 */

import { type ByLogKind, byLogKind, ERROR_CODES, systemClock, UnixOffset } from '#base';
import { commandTable, databaseCountOf } from '#commands';
import { frontCountOf, settingNames, type Settings } from '#config';
import {
  flightRecorder,
  type FlightRecorder,
  LogFigures,
  Page,
  type PageShape,
  THREAD_SHAPE,
  usedMemory,
  VERDICT_BYTES_MAX,
  windowTableLength,
} from '#stats';
import {
  allocateShared,
  defaultShape,
  Doorbell,
  DoubleBuffer,
  EventRing,
  layoutOf,
  type LinkLayout,
  LinkMemory,
  type LinkShape,
  LogOwner,
  LogProgress,
  LogThread,
  RingReader,
  RingWriter,
  ScriptControl,
  SharedCounter,
  type SharedMemory,
  SharedReport,
  TraceRingWriter,
} from '#link';
import { BlockPool, type ReadBuffer } from '#net';
import { TierFigures } from '#tier';
import { memoryPressure } from '#usdt';
import { type BodyPort, ShardLink } from '#router';
import { Observer, type ObserverData } from '#observer';

/** Longest published answers of a shard; its pages take memory only once they are written. */
const ANSWER_BYTES_MAX = 256 * 1024;

/** Returns how many threads serve the warm tier; 0 without it. */
function tierThreads(settings: Settings, shardCount: number): number {
  if (!settings.boolean('tiered.enabled')) return 0;
  return Math.min(settings.number('tiered.fetch-threads'), shardCount);
}

export class ServerMemory {
  readonly shape: LinkShape;
  readonly layout: LinkLayout;
  readonly memory: LinkMemory;
  readonly doorbell: Doorbell;
  readonly pageShape: PageShape;
  readonly shardMemory: readonly SharedMemory[];
  readonly mainPage: Page;
  /** Memory in which the tier's threads publish the state of the disk for each shard; empty without a tier. */
  readonly tierMemory: readonly SharedMemory[];
  /** Memory in which the disk thread publishes the state of each shard's log. */
  readonly logMemory: readonly SharedMemory[];
  readonly logFigures: readonly LogFigures[];
  /** Pages of the front threads. */
  readonly frontMemory: readonly SharedMemory[];
  /** Flight recorders: of main, the shards, the front threads, the ops thread. */
  readonly recorders: readonly SharedMemory[];
  /** Main's own. */
  readonly flight: FlightRecorder;
  /** Counters of the ids of each log of commands. */
  readonly logIds: ByLogKind<SharedCounter>;
  /** Counter of ids of removed keys. */
  readonly removedKeyIds: SharedCounter;
  readonly shardPages: readonly Page[];
  /** Memory in which each shard publishes answers for the time in which it cannot reply. */
  readonly answerMemory: readonly SharedMemory[];
  /** Data that another thread needs to see all of this, and main's own view of it. */
  readonly observerData: ObserverData;
  readonly observer: Observer;
  /** Value of `maxmemory`, which every write command reads. */
  #memoryLimit: number;

  constructor(shardCount: number, settings: Settings, nowUs: number) {
    const fronts = frontCountOf(settings);
    this.shape = defaultShape(shardCount, fronts, tierThreads(settings, shardCount));
    this.layout = layoutOf(this.shape);
    this.memory = LinkMemory.allocate(this.layout.bytes);
    this.doorbell = new Doorbell(this.memory, this.layout.doorbell);
    this.removedKeyIds = new SharedCounter(this.memory, this.layout.removedKeyIds);
    const { memory, layout } = this;
    this.logIds = byLogKind((kind) => new SharedCounter(memory, layout.logIds[kind]));
    this.pageShape = {
      databases: databaseCountOf(settings),
      commands: commandTable.entries.length,
      errorCodes: ERROR_CODES.length,
    };
    const pageBytes = Page.bytes(this.pageShape);
    this.shardMemory = Array.from({ length: shardCount }, () => allocateShared(pageBytes));
    this.shardPages = this.shardMemory.map((page) => new Page(this.pageShape, page));
    this.answerMemory = this.shardMemory.map(() => SharedReport.allocate(ANSWER_BYTES_MAX));
    const isTiered = this.shape.tierThreads !== 0;
    this.tierMemory = isTiered ? this.shardMemory.map(() => allocateShared(TierFigures.bytes)) : [];
    this.logMemory = this.shardMemory.map(() => allocateShared(LogFigures.bytes));
    this.logFigures = this.logMemory.map((memory) => new LogFigures(memory));
    const mainMemory = allocateShared(pageBytes);
    const mainPage = new Page(this.pageShape, mainMemory);
    this.mainPage = mainPage;
    const opsMemory = allocateShared(Page.bytes(THREAD_SHAPE));
    this.frontMemory = Array.from({ length: fronts }, () =>
      allocateShared(Page.bytes(THREAD_SHAPE)),
    );
    this.recorders = Array.from({ length: shardCount + fronts + 2 }, () => EventRing.allocate());
    this.flight = flightRecorder(new EventRing(this.recorders[0]!));
    this.observerData = {
      link: this.shape,
      memory: this.memory.memory,
      pageShape: this.pageShape,
      mainPage: mainMemory,
      shardPages: this.shardMemory,
      frontPages: this.frontMemory,
      opsPage: opsMemory,
      logFigures: this.logMemory,
      recorders: this.recorders,
      settingNames,
      commandNames: commandTable.entries.map(({ lowerName }) => lowerName),
      windows: DoubleBuffer.allocate(windowTableLength(commandTable.entries.length)),
      verdict: SharedReport.allocate(VERDICT_BYTES_MAX),
      answers: this.answerMemory,
      unixZeroUs: new UnixOffset(systemClock).readUs(),
    };
    this.observer = new Observer(this.observerData);
    mainPage.set('startedUs', nowUs);
    mainPage.set('keepsData', Number(settings.boolean('persistence.enabled')));
    mainPage.tracksLatency = settings.boolean('latency.tracking');
    this.#memoryLimit = settings.number('memory.maxmemory');
    settings.onChange('memory.maxmemory', (value) => {
      this.#memoryLimit = value;
    });
    settings.onChange('latency.tracking', (value) => {
      mainPage.tracksLatency = value;
    });
  }

  /** Main's ends of the rings; `ports` are the shards' message ports. */
  shardLinks(ports: readonly BodyPort[]): readonly ShardLink[] {
    return ports.map((port, index) => {
      const requests = new RingWriter(this.memory, this.layout.requests[index]!);
      const replies = new RingReader(this.memory, this.layout.replies[index]!);
      return new ShardLink(index, this.memory, requests, replies, port);
    });
  }

  /** Words about the script of each shard. */
  scriptControls(): readonly ScriptControl[] {
    return this.layout.scripts.map((at) => new ScriptControl(this.memory, at));
  }

  /** Returns the ring of traced requests to the ops thread. */
  traceRing(): TraceRingWriter {
    return new TraceRingWriter(this.memory, this.layout.traces);
  }

  /** The one read buffer of main's sockets. */
  readBuffer(): ReadBuffer {
    const { memory, layout, shape } = this;
    const bytes = Buffer.from(memory.memory.buffer, layout.read, shape.readBytes);
    return { memory, bytes, at: layout.read };
  }

  blockPool(): BlockPool {
    const { blocks, blockBytes } = this.shape;
    return new BlockPool(this.memory, this.layout.blocks, blocks, blockBytes);
  }

  /** No shard's thread runs any more, however it ended: the disk thread need not wait for any. */
  endShards(): void {
    for (const at of this.layout.logOwners) {
      new LogOwner(this.memory, at, LogThread.shard).endHolder();
    }
  }

  /** The disk thread runs no more: what shards log is in no file from now on, and none of them waits for it. */
  failLogs(): void {
    for (const [shard, at] of this.layout.logOwners.entries()) {
      new LogOwner(this.memory, at, LogThread.diskThread).endHolder();
      new LogProgress(this.memory, this.layout.logProgress[shard]!).hasFailed = true;
    }
  }

  /** Keys of all databases. */
  get keyCount(): number {
    const databases = Array.from({ length: this.pageShape.databases }, (_none, index) => index);
    return this.shardPages.reduce(
      (sum, page) => sum + databases.reduce((own, index) => own + page.keys(index), 0),
      0,
    );
  }

  /** Bytes that `maxmemory` limits. */
  get usedBytes(): number {
    return usedMemory(this.mainPage, this.shardPages);
  }

  /** True when writes that need memory must be refused, because nothing can be evicted for them. */
  isOutOfMemory(settings: Settings): boolean {
    const limit = this.#memoryLimit;
    if (limit === 0 || this.usedBytes <= limit) return false;
    const isReplica = this.mainPage.get('isReplica') === 1;
    if (isReplica && settings.boolean('replication.ignore-maxmemory')) return false;
    const policy = settings.string('memory.maxmemory-policy');
    const isRefused =
      policy === 'noeviction' ||
      (policy.startsWith('volatile-') && !this.#hasVolatileKeys()) ||
      (policy.startsWith('tiered-') && this.#refusesTier());
    if (isRefused && memoryPressure.isWatched) memoryPressure.fire(this.usedBytes, limit, 'refuse');
    return isRefused;
  }

  /** True when a shard has room for a value neither in memory nor in the warm tier. */
  #refusesTier(): boolean {
    return this.shardPages.some((page) => page.get('tierRefuses') === 1);
  }

  #hasVolatileKeys(): boolean {
    for (const page of this.shardPages) {
      for (let index = 0; index < this.pageShape.databases; index += 1) {
        if (page.expires(index) > 0) return true;
      }
    }
    return false;
  }
}
