/** One server per data folder. The lock is a file that names its owner; a dead owner's is taken over. */

import fs from 'node:fs';
import path from 'node:path';
import { DataFolderError } from './data-folder.ts';

const LOCK_FILE = 'lock';
const ENDED = 'ended';
/** Fields of /proc/<pid>/stat behind the command's name; the start time is the 20th of them. */
const START_TIME_FIELD = 19;

interface Owner {
  readonly pid: number;
  /** What the system says of when it was started, so that a number that is given again is not taken for it. */
  readonly started: string;
}

export class FolderLock {
  readonly #file: string;

  /** Throws a DataFolderError when a running process holds the folder. */
  constructor(folder: string) {
    this.#file = path.join(folder, LOCK_FILE);
    const own: Owner = { pid: process.pid, started: startOf(process.pid) ?? '' };
    for (let attempt = 0; ; attempt += 1) {
      try {
        fs.writeFileSync(this.#file, `${JSON.stringify(own)}\n`, { flag: 'wx', mode: 0o600 });
        return;
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== 'EEXIST') {
          throw new DataFolderError(`${this.#file} cannot be written: ${code ?? String(error)}`);
        }
      }
      const owner = this.#owner();
      if (attempt > 1 || (owner !== undefined && isAlive(owner))) {
        const who = owner === undefined ? 'another process' : `process ${owner.pid}`;
        throw new DataFolderError(`the data folder ${path.resolve(folder)} is in use by ${who}`);
      }
      fs.rmSync(this.#file, { force: true });
    }
  }

  release(): void {
    fs.rmSync(this.#file, { force: true });
  }

  #owner(): Owner | undefined {
    try {
      return JSON.parse(fs.readFileSync(this.#file, 'utf8')) as Owner;
    } catch {
      return undefined;
    }
  }
}

function isAlive({ pid, started }: Owner): boolean {
  if (pid === process.pid) return startOf(pid) === started;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const start = startOf(pid);
  return start === undefined || started === '' || start === started;
}

/** When a process was started, in ticks since the machine was; undefined where that is not to be had. */
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
