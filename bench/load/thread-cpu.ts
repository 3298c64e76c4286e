/** Processor time of a process' threads, from the kernel's own books (Linux). */

import { readdirSync, readFileSync } from 'node:fs';

/** Nanoseconds on a processor so far, by thread id. The main thread's id is the process'. */
type CpuByThread = ReadonlyMap<number, number>;

export function threadCpu(pid: number): CpuByThread {
  const folder = `/proc/${String(pid)}/task`;
  const times = new Map<number, number>();
  for (const thread of readdirSync(folder)) {
    try {
      const [ns = '0'] = readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ');
      times.set(Number(thread), Number(ns));
    } catch {
      // The thread has ended between the two readings.
    }
  }
  return times;
}

interface CpuUse {
  /** Microseconds of the thread that owns the sockets. */
  mainUs: number;
  /** Microseconds of every other thread that did anything worth mentioning, most first. */
  othersUs: number[];
}

const NOTABLE_NS = 1_000_000;

export function cpuBetween(pid: number, before: CpuByThread, after: CpuByThread): CpuUse {
  const used = (thread: number): number => (after.get(thread) ?? 0) - (before.get(thread) ?? 0);
  const others = [...after.keys()]
    .filter((thread) => thread !== pid)
    .map(used)
    .filter((ns) => ns > NOTABLE_NS)
    .sort((a, b) => b - a);
  return { mainUs: used(pid) / 1_000, othersUs: others.map((ns) => ns / 1_000) };
}

/** Resident memory in bytes. */
export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+) kB/.exec(status) ?? [];
  return Number(kilobytes) * 1_024;
}
