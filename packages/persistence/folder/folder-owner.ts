/**
 * Owner of a folder, and whether its process still runs, in whatever container or on whatever machine.
 *
 * An owner listens on a socket in the folder: the kernel refuses a connection as soon as the owner has ended, and
 * takes one while it is merely stopped, whatever namespaces the two are in. Where a folder can have no sockets, a
 * process of the same namespace is looked up by its number; any other, such as that of another machine, is alive
 * while its file beats.
 */

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '#base';

/** Between two beats. */
const BEAT_MS = 1_000;
/** A file that has not beaten for so long is of no living process. */
const SILENT_US_MAX = 5_000_000;
const BEAT_POLL_MS = 100;
const ID_BYTES = 6;
const ENDED = 'ended';
/** Fields of /proc/<pid>/stat behind the command's name; the start time is the 20th of them. */
const START_TIME_FIELD = 19;

export interface Owner {
  readonly pid: number;
  /** Start time of the process as the system reports it, so that a reused process number is not taken for it. */
  readonly started: string;
  /** Names it among all processes of all machines; like what follows, not told by versions before this one. */
  readonly id?: string;
  /** The namespace that has its number. */
  readonly space?: string;
  /** The run of the machine's kernel. */
  readonly boot?: string;
  /** True when the owner listens in the folder. */
  readonly listens?: boolean;
}

/** This process as an owner. */
export function ownOwner(listens: boolean, id: string): Owner {
  const { pid } = process;
  return { pid, started: startOf(pid) ?? '', id, space: spaceOf(), boot: bootOf(), listens };
}

export function newOwnerId(): string {
  return `${process.pid}.${randomBytes(ID_BYTES).toString('hex')}`;
}

/** The owner that a file names; undefined where it names none. */
export function readOwner(file: string): Owner | undefined {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as Owner;
  } catch {
    return undefined;
  }
}

/** True when the owner that `file` names runs. */
export async function isAlive(folder: string, file: string, owner: Owner): Promise<boolean> {
  const { id, boot, space, listens } = owner;
  const isHere = boot === undefined || boot === bootOf();
  if (isHere && listens === true) return isListening(folder, socketOf(id ?? ''));
  if (isHere && (space === undefined || space === spaceOf())) return isRunning(owner);
  return beats(file);
}

/** The name of an owner's socket. */
export function socketOf(id: string): string {
  return `lock.${id}.sock`;
}

/** True when a process listens there; also where that cannot be told. */
export async function isListening(folder: string, name: string): Promise<boolean> {
  return withPlace(folder, name, (place) => {
    return new Promise((resolve) => {
      const socket = net.connect({ path: place });
      socket.on('connect', () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', ({ code }: NodeJS.ErrnoException) => {
        resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT');
      });
    });
  });
}

/** Listens in the folder; answers what ends that, or undefined where the folder can have no sockets. */
export async function listenIn(folder: string, name: string): Promise<(() => void) | undefined> {
  return withPlace(folder, name, (place) => {
    const server = net.createServer((socket) => socket.destroy());
    server.unref();
    return new Promise((resolve) => {
      server.on('error', () => {
        resolve(undefined);
      });
      server.listen({ path: place }, () => {
        resolve(() => server.close());
      });
    });
  });
}

/** The name of a socket has 107 bytes at the most: by way of the open folder that is enough. */
async function withPlace<T>(
  folder: string,
  name: string,
  use: (place: string) => Promise<T>,
): Promise<T> {
  const fd = fs.openSync(folder, 'r');
  try {
    const short = `/proc/self/fd/${fd}`;
    return await use(path.join(fs.existsSync(short) ? short : folder, name));
  } finally {
    fs.closeSync(fd);
  }
}

/** Lets a file beat until it is called. */
export function beat(fd: number): () => void {
  const timer = setInterval(() => {
    const now = new Date();
    fs.futimes(fd, now, now, () => undefined);
  }, BEAT_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    fs.closeSync(fd);
  };
}

/** True when the file beats while it is looked at; false at once where it goes away. */
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

/** Returns the time of the last beat, by an open file, which a disk over the network looks up anew. */
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
    // One that has ended, and whose parent has not looked yet, runs no more.
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
