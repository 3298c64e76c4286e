/** Machine resources used by the calling thread, where the system provides them (Linux). */

import { openSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import path from 'node:path';
import { getHeapStatistics } from 'node:v8';

/** The kernel counts processor time for programs in hundredths of a second, on every machine. */
const TICK_US = 10_000;

interface ThreadCpu {
  readonly userUs: number;
  readonly systemUs: number;
}

/** Returns the system's id of the calling thread; 0 where the system gives none. */
export function threadId(): number {
  try {
    return Number(path.basename(readlinkSync('/proc/thread-self')));
  } catch {
    return 0;
  }
}

/** Processor time of the calling thread; undefined where it is not to be had. */
export function threadCpu(): ThreadCpu | undefined {
  try {
    const line = readFileSync('/proc/thread-self/stat', 'latin1');
    // The name of the thread, in brackets, may hold spaces.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    return { userUs: Number(fields[11]) * TICK_US, systemUs: Number(fields[12]) * TICK_US };
  } catch {
    return undefined;
  }
}

const SPACE = 0x20;
const ZERO = 0x30;
const SCHEDULING_BYTES_MAX = 128;

/**
 * Returns a reader of the CPU time of the calling thread since its start, in microseconds; a call takes 4 us. Undefined
 * if the system does not provide it.
 */
export function threadCpuReader(): (() => number) | undefined {
  const text = new Uint8Array(SCHEDULING_BYTES_MAX);
  let descriptor: number;
  try {
    descriptor = openSync('/proc/thread-self/schedstat', 'r');
  } catch {
    return undefined;
  }
  return () => {
    // For a running thread, the file lags by milliseconds. Linux updates it to compute the time of the process.
    process.cpuUsage();
    const end = readSync(descriptor, text, 0, text.length, 0);
    let ns = 0;
    // The first of three numbers.
    for (let at = 0; at < end && text[at] !== SPACE; at += 1) ns = 10 * ns + text[at]! - ZERO;
    return ns / 1_000;
  };
}

interface ThreadScheduling {
  /** Microseconds on a processor. */
  readonly runUs: number;
  /** Microseconds ready to run, but without a processor. */
  readonly waitUs: number;
}

/** Times of the calling thread since its start; undefined where the system does not provide them. */
export function threadScheduling(): ThreadScheduling | undefined {
  try {
    // For a running thread, the file lags by milliseconds. Linux updates it to compute the time of the process.
    process.cpuUsage();
    const [run, wait] = readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ');
    return { runUs: Number(run) / 1_000, waitUs: Number(wait) / 1_000 };
  } catch {
    return undefined;
  }
}

interface ThreadHeap {
  readonly usedBytes: number;
  readonly totalBytes: number;
  /** Outside of the heap, but owned by its objects: buffers. */
  readonly externalBytes: number;
}

/** Memory of the calling thread's own JavaScript heap. */
export function threadHeap(): ThreadHeap {
  const heap = getHeapStatistics();
  return {
    usedBytes: heap.used_heap_size,
    totalBytes: heap.total_heap_size,
    externalBytes: heap.external_memory,
  };
}

/** Resident memory of the process by kind, in bytes; undefined if the system does not provide it. */
export interface ResidentParts {
  readonly anonymous: number;
  /** Pages of files: mostly the program itself. */
  readonly files: number;
  readonly shared: number;
}

export function residentParts(): ResidentParts | undefined {
  try {
    const status = readFileSync('/proc/self/status', 'latin1');
    const bytes = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1_024;
    const parts = {
      anonymous: bytes('RssAnon'),
      files: bytes('RssFile'),
      shared: bytes('RssShmem'),
    };
    return Number.isNaN(parts.anonymous + parts.files + parts.shared) ? undefined : parts;
  } catch {
    return undefined;
  }
}
