/** Results of one thread: latencies and errors, by command and by second. */

import { bucketOf, HISTOGRAM_BUCKETS, TICKS_PER_US } from '#stats';

const US_PER_S = 1_000_000;
/** Kinds of errors that are counted each by itself; further ones are counted together. */
const CODES_MAX = 64;
const OTHER_CODES = 'other';

/** Results of a second, for one thread. */
export interface SecondResult {
  /** Number of the second, from 0 at the end of the warm-up. */
  readonly second: number;
  readonly commands: number;
  readonly errors: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly latency: Float64Array;
}

/** Results of a command. */
export interface CommandResult {
  readonly name: string;
  readonly commands: number;
  readonly errors: number;
  readonly latency: Float64Array;
  readonly maxUs: number;
}

/** Results of a thread that are known at its end. */
export interface ThreadResult {
  readonly commands: readonly CommandResult[];
  /** Error replies by their first word. */
  readonly errors: Readonly<Record<string, number>>;
  /** Replies to requests of the warm-up. */
  readonly warmupCommands: number;
  readonly moved: number;
  readonly asked: number;
  readonly connectionsLost: number;
  readonly lossReasons: readonly string[];
  /** Requests sent that have got no reply. */
  readonly unanswered: number;
  /** Requests of the schedule that were not sent in time. */
  readonly unsent: number;
  /** Times by which requests were sent later than planned for no fault of the server; empty in a closed loop. */
  readonly late: Float64Array;
  /** Microseconds from the end of the warm-up to the last reply. */
  readonly spanUs: number;
  readonly use: GeneratorUse;
}

/** Use of the processor by a thread of the generator, from the end of the warm-up; NaN where it is unknown. */
interface GeneratorUse {
  readonly cpuUs: number;
  /** Time in which it was ready to run, and had no processor. */
  readonly waitUs: number;
  /** True if waits keep the processor busy, so that `cpuUs` is no sign of a bottleneck. */
  readonly spins: boolean;
}

export class Recorder {
  readonly #names: readonly string[];
  readonly #latencies: readonly Float64Array[];
  readonly #counts: Float64Array;
  readonly #failed: Float64Array;
  readonly #longestUs: Float64Array;
  readonly #errors = new Map<string, number>();
  readonly #ended: (second: SecondResult) => void;
  readonly late = new Float64Array(HISTOGRAM_BUCKETS);
  #fromUs = Infinity;
  #lastUs = 0;
  #second = 0;
  #secondEndUs = Infinity;
  #secondLatency = new Float64Array(HISTOGRAM_BUCKETS);
  #secondCommands = 0;
  #secondErrors = 0;
  #bytesIn = 0;
  #bytesOut = 0;
  #warmupCommands = 0;
  moved = 0;
  asked = 0;
  connectionsLost = 0;
  readonly lossReasons = new Set<string>();
  unanswered = 0;
  unsent = 0;

  /** With the names of the commands; `ended` is called with each second that has passed. */
  constructor(names: readonly string[], ended: (second: SecondResult) => void) {
    this.#names = names;
    this.#latencies = names.map(() => new Float64Array(HISTOGRAM_BUCKETS));
    this.#counts = new Float64Array(names.length);
    this.#failed = new Float64Array(names.length);
    this.#longestUs = new Float64Array(names.length);
    this.#ended = ended;
  }

  /** Begins at a time; requests planned before are the warm-up. */
  begin(fromUs: number): void {
    this.#fromUs = fromUs;
    this.#lastUs = fromUs;
    this.#secondEndUs = fromUs + US_PER_S;
  }

  /** Counts a reply that came at `nowUs` to a request that was to be sent at `dueUs`. */
  reply(command: number, dueUs: number, nowUs: number, error: string | undefined): void {
    if (dueUs < this.#fromUs) {
      this.#warmupCommands += 1;
      return;
    }
    if (nowUs >= this.#secondEndUs) this.#endSeconds(nowUs);
    const us = nowUs - dueUs;
    const bucket = bucketOf(us * TICKS_PER_US);
    const latency = this.#latencies[command]!;
    latency[bucket] = latency[bucket]! + 1;
    this.#secondLatency[bucket] = this.#secondLatency[bucket]! + 1;
    this.#counts[command] = this.#counts[command]! + 1;
    this.#secondCommands += 1;
    if (us > this.#longestUs[command]!) this.#longestUs[command] = us;
    this.#lastUs = nowUs;
    if (error !== undefined) this.#failure(command, error);
  }

  /** Counts bytes received and sent; those of the warm-up are not counted. */
  moveBytes(bytesIn: number, bytesOut: number, nowUs: number): void {
    if (nowUs < this.#fromUs) return;
    if (nowUs >= this.#secondEndUs) this.#endSeconds(nowUs);
    this.#bytesIn += bytesIn;
    this.#bytesOut += bytesOut;
  }

  /** Counts a request that was sent later than planned although the server had nothing to do with it. */
  sentLate(us: number): void {
    const bucket = bucketOf(us * TICKS_PER_US);
    this.late[bucket] = this.late[bucket]! + 1;
  }

  lost(reason: string): void {
    this.connectionsLost += 1;
    if (this.lossReasons.size < CODES_MAX) this.lossReasons.add(reason);
  }

  /** Ends the last second, and returns all results. */
  result(use: GeneratorUse): ThreadResult {
    this.#endSecond();
    return {
      commands: this.#names.map((name, nth) => ({
        name,
        commands: this.#counts[nth]!,
        errors: this.#failed[nth]!,
        latency: this.#latencies[nth]!,
        maxUs: this.#longestUs[nth]!,
      })),
      errors: Object.fromEntries(this.#errors),
      warmupCommands: this.#warmupCommands,
      moved: this.moved,
      asked: this.asked,
      connectionsLost: this.connectionsLost,
      lossReasons: [...this.lossReasons],
      unanswered: this.unanswered,
      unsent: this.unsent,
      late: this.late,
      spanUs: this.#fromUs === Infinity ? 0 : this.#lastUs - this.#fromUs,
      use,
    };
  }

  #failure(command: number, text: string): void {
    this.#failed[command] = this.#failed[command]! + 1;
    this.#secondErrors += 1;
    const [word = ''] = text.split(' ', 1);
    const code = this.#errors.has(word) || this.#errors.size < CODES_MAX ? word : OTHER_CODES;
    this.#errors.set(code, (this.#errors.get(code) ?? 0) + 1);
  }

  /** Ends seconds until the one that a time lies in. */
  #endSeconds(nowUs: number): void {
    this.#endSecond();
    this.#second = Math.floor((nowUs - this.#fromUs) / US_PER_S);
    this.#secondEndUs = this.#fromUs + (this.#second + 1) * US_PER_S;
  }

  #endSecond(): void {
    if (this.#secondCommands === 0 && this.#bytesIn === 0 && this.#bytesOut === 0) return;
    this.#ended({
      second: this.#second,
      commands: this.#secondCommands,
      errors: this.#secondErrors,
      bytesIn: this.#bytesIn,
      bytesOut: this.#bytesOut,
      latency: this.#secondLatency,
    });
    this.#secondLatency = new Float64Array(HISTOGRAM_BUCKETS);
    this.#secondCommands = 0;
    this.#secondErrors = 0;
    this.#bytesIn = 0;
    this.#bytesOut = 0;
  }
}
