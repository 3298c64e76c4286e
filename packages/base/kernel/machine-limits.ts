/**
 * Processors and memory that this process may use: those of the machine, or less where a cgroup limits them, as containers do.
 *
 * Both versions of cgroups are read. A limit of any group above counts, since the lowest one is in force. In a container, the
 * path in /proc/self/cgroup may be that of the host; its files are then in the root of what is mounted, which is a group above.
 */

import { availableParallelism, totalmem } from 'node:os';
import path from 'node:path';
import { type ReadText, systemText } from './system-text.ts';

/** Folder that the hierarchies are mounted in; the one hierarchy of version 2 is the folder itself. */
export const CGROUP_ROOT = '/sys/fs/cgroup';

/** From this limit on, version 1 means none: its maximum is the largest number of whole pages. */
const UNLIMITED_BYTES = 2 ** 60;

export interface MachineLimits {
  /**
   * Number of threads that can run at the same time, at least 1. A limit of 2.5 processors counts as 2: with three busy threads
   * the kernel would stop all of them in every period.
   */
  readonly processors: number;
  readonly memoryBytes: number;
  /** Limit of a cgroup, in processors; undefined without one. */
  readonly processorLimit: number | undefined;
  /** Limit of a cgroup; undefined without one that is below the machine's memory. */
  readonly memoryLimitBytes: number | undefined;
}

/** Processors and memory without limits; the processors are those of the affinity mask, which `cpuset` sets. */
interface Machine {
  readonly processors: number;
  readonly memoryBytes: number;
}

/** Returns the cgroup of the process in the hierarchy of version 2 from the text of `/proc/self/cgroup`, as `/a/b`. */
export function cgroupIn(text: string): string | undefined {
  return /^0::(.*)$/m.exec(text)?.[1];
}

let known: MachineLimits | undefined;

/** Returns the limits at the first call: threads and heaps are sized once. */
export function machineLimits(): MachineLimits {
  known ??= readMachineLimits(systemText, {
    processors: availableParallelism(),
    memoryBytes: totalmem(),
  });
  return known;
}

/** Reads the limits; tests give the files and the machine. */
export function readMachineLimits(read: ReadText, machine: Machine): MachineLimits {
  const groups = read('/proc/self/cgroup') ?? '';
  const processorLimit = least([...quotas2(read, groups), ...quotas1(read, groups)]);
  const bytes = least([...memory2(read, groups), ...memory1(read, groups)]);
  const memoryLimitBytes = bytes !== undefined && bytes < machine.memoryBytes ? bytes : undefined;
  return {
    processors: Math.max(1, Math.floor(Math.min(machine.processors, processorLimit ?? Infinity))),
    memoryBytes: memoryLimitBytes ?? machine.memoryBytes,
    processorLimit,
    memoryLimitBytes,
  };
}

function least(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : Math.min(...values);
}

/** Returns the folders of a group and of those above it. */
function foldersOf(root: string, group: string | undefined): readonly string[] {
  const names = (group ?? '').split('/').filter((name) => name !== '' && name !== '..');
  return [...names.keys(), names.length].map((count) => path.join(root, ...names.slice(0, count)));
}

/** Returns the folders of a controller in version 1, whose hierarchy may be shared: `cpu,cpuacct`. */
function controllerFolders(groups: string, controller: string): readonly string[] {
  for (const line of groups.split('\n')) {
    const [, names = '', ...group] = line.split(':');
    if (!names.split(',').includes(controller)) continue;
    return [names, controller].flatMap((name) =>
      foldersOf(path.join(CGROUP_ROOT, name), group.join(':')),
    );
  }
  return [];
}

/** Returns the positive numbers in files of folders; `max` is none. */
function numbersIn(read: ReadText, folders: readonly string[], file: string): number[] {
  return folders
    .map((folder) => Number(read(path.join(folder, file)) ?? NaN))
    .filter((value) => value > 0);
}

/** Limits of processors in version 2: `cpu.max` has a quota and a period, in microseconds. */
function quotas2(read: ReadText, groups: string): number[] {
  return foldersOf(CGROUP_ROOT, cgroupIn(groups)).flatMap((folder) => {
    const [quota, period] = (read(path.join(folder, 'cpu.max')) ?? '').split(' ').map(Number);
    return quota! > 0 && period! > 0 ? [quota! / period!] : [];
  });
}

function quotas1(read: ReadText, groups: string): number[] {
  return controllerFolders(groups, 'cpu').flatMap((folder) => {
    const [quota] = numbersIn(read, [folder], 'cpu.cfs_quota_us');
    const [period] = numbersIn(read, [folder], 'cpu.cfs_period_us');
    return quota === undefined || period === undefined ? [] : [quota / period];
  });
}

function memory2(read: ReadText, groups: string): number[] {
  return numbersIn(read, foldersOf(CGROUP_ROOT, cgroupIn(groups)), 'memory.max');
}

function memory1(read: ReadText, groups: string): number[] {
  const folders = controllerFolders(groups, 'memory');
  return numbersIn(read, folders, 'memory.limit_in_bytes').filter(
    (bytes) => bytes < UNLIMITED_BYTES,
  );
}
