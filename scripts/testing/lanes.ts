/**
 * Number of test processes at a time: as many as the processors have room for.
 *
 * Files that compute fill the processors two at a time on two cores; files that wait (for a lease, a page, a replica)
 * leave them idle, and then more are started. The measure is the machine itself, so a machine with 16 cores is used
 * whole, and one that has other work gets no more than one process for each core and one beyond.
 */
import { availableParallelism, cpus, freemem } from 'node:os';

/** Least share of the processors that has to be idle before one more process starts. */
const IDLE_SHARE_MIN = 0.15;
/** Time over which idleness is measured, in milliseconds: about a start of a server. */
const WINDOW_MS = 400;
/** Processes per core at most, however idle the processors are. */
const PROCESSES_PER_CORE_MAX = 6;
/** Memory that a test with its servers may take, in bytes. */
const PROCESS_BYTES = 600 * 2 ** 20;

/** Sums of the processors' time since the machine started, in milliseconds. */
interface ProcessorTimes {
  readonly idleMs: number;
  readonly allMs: number;
}

/** Sources that the lanes read; tests give others. */
interface LaneOptions {
  readonly cores?: number;
  readonly processorTimes?: () => ProcessorTimes;
  readonly nowMs?: () => number;
  readonly freeBytes?: () => number;
}

/** Admission of processes. */
export class Lanes {
  readonly #cores: number;
  readonly #processorTimes: () => ProcessorTimes;
  readonly #nowMs: () => number;
  readonly #freeBytes: () => number;
  #windowStartMs: number;
  #windowStart: ProcessorTimes;

  constructor(options: LaneOptions = {}) {
    this.#cores = options.cores ?? availableParallelism();
    this.#processorTimes = options.processorTimes ?? readProcessorTimes;
    this.#nowMs = options.nowMs ?? (() => performance.now());
    this.#freeBytes = options.freeBytes ?? freemem;
    this.#windowStartMs = this.#nowMs();
    this.#windowStart = this.#processorTimes();
  }

  /** True when one more process may start beside `running` others. Each window of idle time admits one. */
  admits(running: number): boolean {
    if (running <= this.#cores) {
      this.#restart();
      return true;
    }
    if (this.#nowMs() - this.#windowStartMs < WINDOW_MS) return false;
    const { idleMs, allMs } = this.#processorTimes();
    const passedMs = allMs - this.#windowStart.allMs;
    const idleShare = passedMs > 0 ? (idleMs - this.#windowStart.idleMs) / passedMs : 0;
    this.#restart();
    return (
      idleShare >= IDLE_SHARE_MIN &&
      running < this.#cores * PROCESSES_PER_CORE_MAX &&
      this.#freeBytes() >= PROCESS_BYTES
    );
  }

  #restart(): void {
    this.#windowStartMs = this.#nowMs();
    this.#windowStart = this.#processorTimes();
  }
}

function readProcessorTimes(): ProcessorTimes {
  let idleMs = 0;
  let allMs = 0;
  for (const { times } of cpus()) {
    idleMs += times.idle;
    allMs += times.idle + times.user + times.nice + times.sys + times.irq;
  }
  return { idleMs, allMs };
}
