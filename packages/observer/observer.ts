/** The memory that all threads share, as any of them sees the others through it. Nothing is written here. */

import {
  LogFigures,
  type NamedPages,
  NO_VERDICT,
  Page,
  type PageShape,
  THREAD_SHAPE,
  type VerdictReport,
  windowsIn,
  windowTableLength,
} from '#stats';
import type { WindowReport } from '#api-types';
import type { Bytes } from '#base';
import {
  DoubleBuffer,
  EventRing,
  layoutOf,
  type LinkLayout,
  LinkMemory,
  type LinkShape,
  type SharedMemory,
  SharedReport,
} from '#link';

/** Data that a thread needs to see the others; may be cloned to it. */
export interface ObserverData {
  readonly link: LinkShape;
  readonly memory: WebAssembly.Memory;
  readonly pageShape: PageShape;
  readonly mainPage: SharedMemory;
  readonly shardPages: readonly SharedMemory[];
  readonly frontPages: readonly SharedMemory[];
  readonly opsPage: SharedMemory;
  /** Statistics that the disk thread writes for each shard's log; none where nothing is kept on disk. */
  readonly logFigures: readonly SharedMemory[];
  /** Flight recorders: of main, the shards, the front threads, the ops thread. */
  readonly recorders: readonly SharedMemory[];
  readonly settingNames: readonly string[];
  /** Names of commands by the ids that pages and traces know them by, as `client|list`. */
  readonly commandNames: readonly string[];
  /** Windows of latency, as the ops thread works them out. */
  readonly windows: SharedMemory;
  /** Verdict of the ops thread, as JSON. */
  readonly verdict: SharedMemory;
  /** Memory of each shard, in which it publishes answers for the time in which it cannot reply. */
  readonly answers: readonly SharedMemory[];
  /** Unix microseconds at the origin of the monotonic clock. */
  readonly unixZeroUs: number;
}

export class Observer {
  readonly memory: LinkMemory;
  readonly layout: LinkLayout;
  readonly shape: PageShape;
  readonly main: Page;
  readonly shards: readonly Page[];
  readonly fronts: readonly Page[];
  readonly ops: Page;
  readonly logs: readonly LogFigures[];
  /** Flight recorders by the thread's name. */
  readonly recorders: readonly (readonly [thread: string, ring: EventRing])[];
  /** In the order of their table. */
  readonly settingNames: readonly string[];
  readonly unixZeroUs: number;
  readonly #windows: DoubleBuffer;
  readonly #verdictReport: SharedReport;
  readonly #answers: readonly SharedReport[];
  #verdictVersion = 0;
  #verdict = NO_VERDICT;
  /** Names of commands by the ids that pages count by, as `client|list`. */
  readonly commandNames: readonly string[];

  constructor(data: ObserverData) {
    this.memory = new LinkMemory(data.memory);
    this.layout = layoutOf(data.link);
    this.shape = data.pageShape;
    this.main = new Page(data.pageShape, data.mainPage);
    this.shards = data.shardPages.map((page) => new Page(data.pageShape, page));
    this.fronts = data.frontPages.map((page) => new Page(THREAD_SHAPE, page));
    this.ops = new Page(THREAD_SHAPE, data.opsPage);
    this.logs = data.logFigures.map((memory) => new LogFigures(memory));
    this.settingNames = data.settingNames;
    this.unixZeroUs = data.unixZeroUs;
    this.recorders = this.threads.map(([thread], index) => [
      thread,
      new EventRing(data.recorders[index]!),
    ]);
    this.commandNames = data.commandNames;
    this.#verdictReport = new SharedReport(data.verdict);
    this.#answers = data.answers.map((memory) => new SharedReport(memory));
    this.#windows = new DoubleBuffer(data.windows, windowTableLength(this.commandNames.length));
  }

  /** Returns the latencies of a command in the latest windows, by its id; all commands without one. */
  windows(command?: number): WindowReport {
    return windowsIn(this.#windows.read(), command);
  }

  /** Returns the answers that a shard published last, as one message; undefined before the first. */
  publishedAnswers(shard: number): Bytes | undefined {
    return this.#answers[shard]!.read();
  }

  /** Latest verdict of the ops thread; it finds nothing before the first. */
  get verdict(): VerdictReport {
    const { version } = this.#verdictReport;
    if (version !== this.#verdictVersion) {
      const bytes = this.#verdictReport.read();
      // It is read again where it was being replaced.
      if (bytes !== undefined) {
        this.#verdict = JSON.parse(Buffer.from(bytes).toString()) as VerdictReport;
        this.#verdictVersion = version;
      }
    }
    return this.#verdict;
  }

  /** The pages of all threads, by the thread's name. */
  get threads(): NamedPages {
    const shards = this.shards.map((page, index) => [`shard-${String(index)}`, page] as const);
    return [['main', this.main], ...shards, ...this.frontThreads, ['ops', this.ops]];
  }

  /** Pages of the front threads. */
  get frontThreads(): NamedPages {
    return this.fronts.map((page, index) => [`front-${String(index)}`, page] as const);
  }
}
