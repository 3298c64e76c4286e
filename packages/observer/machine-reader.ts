/**
 * Counters of the machine beneath the process: pressure stalls, the cgroup's processor limit, network interfaces,
 * segments sent again, free space of the data folder. Everything is cumulative, and undefined where the system lacks it.
 */

import { statfsSync } from 'node:fs';
import path from 'node:path';
import { CGROUP_ROOT, cgroupIn, type ReadText, systemText } from '#base';

export interface MachineReading {
  readonly memoryStallUs: number | undefined;
  readonly ioStallUs: number | undefined;
  readonly throttledUs: number | undefined;
  readonly segmentsOut: number;
  readonly segmentsAgain: number;
  /** Bytes of each interface whose speed is known, the larger direction. */
  readonly interfaces: readonly InterfaceReading[];
}

interface InterfaceReading {
  readonly name: string;
  readonly bytes: number;
  readonly bytesPerSecondMax: number;
}

export interface DiskRoom {
  readonly freeBytes: number;
  readonly freeShare: number;
}

const MEGABIT_BYTES = 125_000;

export class MachineReader {
  readonly #read: ReadText;
  readonly #cgroup: string;

  /** `read` is replaced by tests. */
  constructor(read: ReadText = systemText) {
    this.#read = read;
    this.#cgroup = path.join(CGROUP_ROOT, cgroupIn(read('/proc/self/cgroup') ?? '') ?? '/');
  }

  read(): MachineReading {
    const [segmentsOut, segmentsAgain] = this.#segments();
    return {
      memoryStallUs: this.#stall('/proc/pressure/memory', 'full'),
      ioStallUs: this.#stall('/proc/pressure/io', 'some'),
      throttledUs: this.#throttled(),
      segmentsOut,
      segmentsAgain,
      interfaces: this.#interfaces(),
    };
  }

  #stall(file: string, row: string): number | undefined {
    const total = new RegExp(`^${row} .*total=(\\d+)`, 'm').exec(this.#read(file) ?? '')?.[1];
    return total === undefined ? undefined : Number(total);
  }

  #throttled(): number | undefined {
    const text = this.#read(path.join(this.#cgroup, 'cpu.stat')) ?? '';
    const us = /^throttled_usec (\d+)/m.exec(text)?.[1];
    return us === undefined ? undefined : Number(us);
  }

  #segments(): readonly [out: number, again: number] {
    const rows = (this.#read('/proc/net/snmp') ?? '')
      .split('\n')
      .filter((row) => row.startsWith('Tcp:'))
      .map((row) => row.split(' '));
    const [names = [], values = []] = rows;
    const of = (name: string): number => Number(values[names.indexOf(name)] ?? 0);
    return [of('OutSegs'), of('RetransSegs')];
  }

  #interfaces(): readonly InterfaceReading[] {
    const rows = (this.#read('/proc/net/dev') ?? '').split('\n').slice(2);
    return rows.flatMap((row) => {
      const [name = '', ...fields] = row.trim().split(/[:\s]+/);
      if (name === '' || name === 'lo') return [];
      const megabits = Number(this.#read(`/sys/class/net/${name}/speed`) ?? -1);
      if (!(megabits > 0)) return [];
      const bytes = Math.max(Number(fields[0]), Number(fields[8]));
      return [{ name, bytes, bytesPerSecondMax: megabits * MEGABIT_BYTES }];
    });
  }
}

/** Room on the disk of a folder, for a user without rights; undefined where there is no such folder. */
export function diskRoom(folder: string): DiskRoom | undefined {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder);
    return { freeBytes: bavail * bsize, freeShare: blocks === 0 ? 1 : bavail / blocks };
  } catch {
    return undefined;
  }
}
