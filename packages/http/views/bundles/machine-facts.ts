/** Facts of the machine and the process for bundles: what an answer to "why is it slow" depends on outside the server. */

import { promises as fs } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { CGROUP_ROOT, cgroupIn, machineLimits } from '#base';

/** Most characters of one file of the system. */
const TEXT_CHARS_MAX = 4_096;

const PRESSURES = ['cpu', 'memory', 'io'] as const;
/** Files of the process' cgroup, the second version's. */
const CGROUP_FILES = [
  ...['cpu.max', 'cpu.weight', 'cpu.stat', 'cpu.pressure', 'cpuset.cpus.effective', 'pids.max'],
  ...[
    'memory.max',
    'memory.high',
    'memory.current',
    'memory.events',
    'memory.pressure',
    'io.pressure',
  ],
] as const;

/** Lines of /proc/meminfo that are shown. */
const MEMORY_LINES =
  /^(MemTotal|MemFree|MemAvailable|SwapTotal|SwapFree|Dirty|AnonHugePages|Committed_AS):/;

/** Reads the facts; what the system does not have is null. `dataFolder` need not exist. */
export async function machineFacts(dataFolder: string): Promise<unknown> {
  return {
    node_version: process.version,
    node_options: process.execArgv,
    v8_version: process.versions.v8,
    libuv_version: process.versions.uv,
    platform: process.platform,
    architecture: process.arch,
    kernel: `${os.type()} ${os.release()} ${os.version()}`,
    machine_uptime_seconds: Math.floor(os.uptime()),
    processors: processorFacts(),
    load_averages: os.loadavg(),
    memory: await memoryFacts(),
    pressure: await textsOf('/proc/pressure', PRESSURES),
    cgroup: await cgroupFacts(),
    disk: await diskFacts(dataFolder),
    process: await processFacts(),
  };
}

function processorFacts(): unknown {
  const processors = os.cpus();
  return {
    online: processors.length,
    usable: machineLimits().processors,
    limit: machineLimits().processorLimit ?? null,
    model: processors[0]?.model ?? null,
    mhz: processors.map(({ speed }) => speed),
  };
}

async function memoryFacts(): Promise<unknown> {
  const lines = (await textOf('/proc/meminfo'))
    ?.split('\n')
    .filter((line) => MEMORY_LINES.test(line));
  return {
    total_bytes: os.totalmem(),
    free_bytes: os.freemem(),
    limit_bytes: machineLimits().memoryLimitBytes ?? null,
    details: lines ?? null,
    transparent_huge_pages: (await textOf('/sys/kernel/mm/transparent_hugepage/enabled')) ?? null,
    overcommit: (await textOf('/proc/sys/vm/overcommit_memory')) ?? null,
  };
}

async function cgroupFacts(): Promise<unknown> {
  const group = cgroupIn((await textOf('/proc/self/cgroup')) ?? '');
  if (group === undefined) return null;
  return { path: group, ...(await textsOf(path.join(CGROUP_ROOT, group), CGROUP_FILES)) };
}

async function diskFacts(folder: string): Promise<unknown> {
  try {
    const { bsize, blocks, bavail, files, ffree, type } = await fs.statfs(folder);
    return {
      folder: path.resolve(folder),
      size_bytes: bsize * blocks,
      free_bytes: bsize * bavail,
      files,
      free_files: ffree,
      type: `0x${type.toString(16)}`,
    };
  } catch (error) {
    return { folder: path.resolve(folder), error: (error as Error).message };
  }
}

async function processFacts(): Promise<unknown> {
  const open = await fs.readdir('/proc/self/fd').catch(() => undefined);
  const limits = await textOf('/proc/self/limits');
  return {
    pid: process.pid,
    open_files: open?.length ?? null,
    limits: limits?.split('\n').map((line) => line.trim()) ?? null,
    status: (await textOf('/proc/self/status'))?.split('\n') ?? null,
    niceness: os.getPriority(),
    threads: await threadFacts(),
  };
}

/** Time on a processor, time of waiting for one, and turns of each thread, by its id: /proc/self/task/TID/schedstat. */
async function threadFacts(): Promise<unknown> {
  const ids = await fs.readdir('/proc/self/task').catch(() => []);
  return Promise.all(
    ids.map(async (id) => {
      const text = (await textOf(`/proc/self/task/${id}/schedstat`)) ?? '';
      const [run, wait, turns] = text.split(' ').map(Number);
      const name = (await textOf(`/proc/self/task/${id}/comm`)) ?? null;
      return {
        id: Number(id),
        name,
        ran_us: Math.round((run ?? 0) / 1_000),
        waited_us: Math.round((wait ?? 0) / 1_000),
        turns: turns ?? 0,
      };
    }),
  );
}

async function textsOf(
  folder: string,
  names: readonly string[],
): Promise<Record<string, string | null>> {
  const texts = await Promise.all(names.map((name) => textOf(path.join(folder, name))));
  return Object.fromEntries(names.map((name, index) => [name, texts[index] ?? null]));
}

/** Undefined where there is no such file, or where it may not be read. */
async function textOf(file: string): Promise<string | undefined> {
  try {
    return (await fs.readFile(file, 'utf8')).trimEnd().slice(0, TEXT_CHARS_MAX);
  } catch {
    return undefined;
  }
}
