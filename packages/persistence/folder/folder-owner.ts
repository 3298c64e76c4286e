/**
 * Owner of a folder, and whether its process is still running, in any container or on any machine. An owner holds the
 * kernel's lock of its file, which ends with the process and persists while it is stopped, in any namespace. If such
 * locks are not available, a process of the same namespace is looked up by its number; any other, such as one of
 * another machine, is alive while its file gets heartbeats.
 */

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { everySecond, type FileLock, loadFileLock, systemClock } from '#base';

/** Age of the last heartbeat from which the owner is dead, in microseconds. */
const SILENT_US_MAX = 5_000_000;
const BEAT_POLL_MS = 100;
const ID_BYTES = 6;
const ENDED = 'ended';
/** Index of the start time among the fields of /proc/<pid>/stat after the command's name. */
const START_TIME_FIELD = 19;

export interface Owner {
  readonly pid: number;
  /** Start time of the process as the system reports it, so that a reused process number is not taken for it. */
  readonly started: string;
  /** Unique id among all processes of all machines; like the following fields, absent in files of older versions. */
  readonly id?: string;
  /** The namespace that has its number. */
  readonly space?: string;
  /** The run of the machine's kernel. */
  readonly boot?: string;
  /** True when the owner holds the kernel's lock of the file that names it. */
  readonly locks?: boolean;
}

/** This process as an owner. */
export function ownOwner(locks: boolean, id: string): Owner {
  const { pid } = process;
  return { pid, started: startOf(pid) ?? '', id, space: spaceOf(), boot: bootOf(), locks };
}

export function newOwnerId(): string {
  return `${process.pid}.${randomBytes(ID_BYTES).toString('hex')}`;
}

/** Returns the owner that a file names; undefined if it names none. */
export function readOwner(file: string): Owner | undefined {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as Owner;
  } catch {
    return undefined;
  }
}

/** True when the owner that `file` names runs. */
export async function isAlive(file: string, owner: Owner): Promise<boolean> {
  const { boot, space, locks } = owner;
  const isHere = boot === undefined || boot === bootOf();
  if (locks === true) {
    const state = await stateOfLock(file);
    // A lock of another machine may be kept there alone.
    if (state === 'held' || (state === 'free' && isHere)) return state === 'held';
  }
  if (isHere && (space === undefined || space === spaceOf())) return isRunning(owner);
  return beats(file);
}

/** Takes the kernel's lock of the open file until it is closed; false where that is not to be had. */
export async function lockFile(fd: number): Promise<boolean> {
  return (await loadLock())?.(fd, 'exclusive') === 'free';
}

/** Returns 'held' while another holds the lock of the file; 'unknown' where that is not to be found out. */
async function stateOfLock(file: string): Promise<'free' | 'held' | 'unknown'> {
  const lock = await loadLock();
  if (lock === undefined) return 'unknown';
  let fd: number;
  try {
    fd = fs.openSync(file, 'r');
  } catch {
    return 'unknown';
  }
  try {
    return lock(fd, 'shared');
  } finally {
    fs.closeSync(fd);
  }
}

let loading: Promise<FileLock | undefined> | undefined;

async function loadLock(): Promise<FileLock | undefined> {
  loading ??= loadFileLock().catch(() => undefined);
  return loading;
}

/** Lets a file beat until it is called. */
export function beat(fd: number): () => void {
  const stop = everySecond(() => {
    const now = new Date();
    fs.futimes(fd, now, now, () => undefined);
  });
  return () => {
    stop();
    fs.closeSync(fd);
  };
}

/** True when the file gets a heartbeat while this polls it; false as soon as it is removed. */
async function beats(file: string): Promise<boolean> {
  const first = lastBeat(file);
  const giveUpUs = systemClock.nowUs() + SILENT_US_MAX;
  while (systemClock.nowUs() < giveUpUs) {
    await sleep(BEAT_POLL_MS);
    const last = lastBeat(file);
    if (last === undefined) return false;
    if (last !== first) return true;
  }
  return false;
}

/** Returns the time of the last heartbeat, through an open file, so that a network disk does not return a cached one. */
function lastBeat(file: string): number | undefined {
  try {
    const fd = fs.openSync(file, 'r');
    try {
      return fs.fstatSync(fd).mtimeMs;
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

function isRunning({ pid, started }: Owner): boolean {
  if (pid === process.pid) return startOf(pid) === started;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const start = startOf(pid);
  return start === undefined || started === '' || start === started;
}

/** Returns the start time of a process, in ticks since the machine was started; undefined where it is not available. */
function startOf(pid: number): string | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie process has ended.
    return fields[0] === 'Z' || fields[0] === 'X' ? ENDED : fields[START_TIME_FIELD];
  } catch {
    return undefined;
  }
}

function spaceOf(): string {
  try {
    return fs.readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

function bootOf(): string {
  try {
    return fs.readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return '';
  }
}
