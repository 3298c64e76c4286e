/** A timer of the kernel that a thread can wait for together with its sockets, in nanoseconds. Source: timerfd_create(2). */

import type Koffi from 'koffi';
import type { Bytes } from '../bytes/byte-array.ts';
import { CLOSE_ON_EXEC, NOT_BLOCKING } from './system-calls.ts';

const CLOCK_MONOTONIC = 1;
const NS_PER_US = 1_000;
const US_PER_S = 1_000_000;

export interface KernelTimer {
  /** Readable when the time is up. */
  readonly descriptor: number;
  /** Sets the time from now on, in microseconds; a former one is forgotten. */
  start(us: number): void;
}

/** Makes a timer. Rejects on systems other than Linux, without the optional package koffi, and where the kernel refuses. */
export async function loadKernelTimer(): Promise<KernelTimer> {
  if (process.platform !== 'linux') throw new Error('this is not Linux');
  const { default: koffi } = await import('koffi');
  const library: ReturnType<(typeof Koffi)['load']> = koffi.load(null);
  const create = library.func('int timerfd_create(int clock, int flags)') as (
    clock: number,
    flags: number,
  ) => number;
  const set = library.func('int timerfd_settime(int fd, int flags, void* time, void* before)') as (
    fd: number,
    flags: number,
    time: Bytes,
    before: null,
  ) => number;
  const descriptor = create(CLOCK_MONOTONIC, NOT_BLOCKING | CLOSE_ON_EXEC);
  if (descriptor < 0) throw new Error('the kernel refuses a timer');
  // An interval, which stays 0, and a time: seconds and nanoseconds each.
  const words = new BigInt64Array(4);
  const bytes = new Uint8Array(words.buffer);
  return {
    descriptor,
    start: (us) => {
      words[2] = BigInt(Math.floor(us / US_PER_S));
      // A time of 0 would stop the timer.
      words[3] = BigInt(Math.max(1, Math.floor((us % US_PER_S) * NS_PER_US)));
      set(descriptor, 0, bytes, null);
    },
  };
}
