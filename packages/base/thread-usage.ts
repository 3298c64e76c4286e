/** What the calling thread has used of the machine, where the system tells (Linux). */

import { readFileSync } from 'node:fs';
import { getHeapStatistics } from 'node:v8';

/** The kernel counts processor time for programs in hundredths of a second, on every machine. */
const TICK_US = 10_000;

export interface ThreadCpu {
  readonly userUs: number;
  readonly systemUs: number;
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

export interface ThreadHeap {
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

/** Resident memory of the process by what is behind it, in bytes; undefined where the system does not tell. */
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
