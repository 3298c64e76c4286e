/**
 * One server per data folder. The lock is a file that names its owner; a dead owner's is taken over.
 *
 * Who wants it puts a claim of its own into the folder, and then looks for those of others. Of two that want
 * it at the same time, one at least sees the other's claim, since each stands there before its owner looks: so
 * never do two think that they are alone. Only who is alone makes the lock or removes a dead one. Whoever ends in
 * between leaves a claim, which names a process that runs no more, and counts no more.
 */

import fs from 'node:fs';
import path from 'node:path';
import { systemClock } from '#base';
import { DataFolderError } from './data-folder.ts';

const LOCK_FILE = 'lock';
const ENDED = 'ended';
/** Fields of /proc/<pid>/stat behind the command's name; the start time is the 20th of them. */
const START_TIME_FIELD = 19;
/** Others give way within microseconds; one that does not was stopped. */
const OTHERS_US_MAX = 2_000_000;
const FILE_MODE = 0o600;

interface Owner {
  readonly pid: number;
  /** What the system says of when it was started, so that a number that is given again is not taken for it. */
  readonly started: string;
}

export class FolderLock {
  readonly #folder: string;
  readonly #file: string;
  /** The name of the own claim. */
  readonly #claim: string;

  /** Throws a DataFolderError when a running process holds the folder. */
  constructor(folder: string) {
    const own: Owner = { pid: process.pid, started: startOf(process.pid) ?? '' };
    this.#folder = folder;
    this.#file = path.join(folder, LOCK_FILE);
    this.#claim = `${LOCK_FILE}.${own.pid}.${own.started}`;
    const claim = path.join(folder, this.#claim);
    try {
      fs.writeFileSync(claim, '', { mode: FILE_MODE });
      this.#waitUntilAlone();
      this.#take(own);
    } catch (error) {
      if (error instanceof DataFolderError) throw error;
      const { code } = error as NodeJS.ErrnoException;
      throw new DataFolderError(`${this.#file} cannot be written: ${code ?? String(error)}`);
    } finally {
      fs.rmSync(claim, { force: true });
    }
  }

  release(): void {
    fs.rmSync(this.#file, { force: true });
  }

  /** Of those that want it at the same time, the one whose claim has the first name waits for the others to give way. */
  #waitUntilAlone(): void {
    const giveUpUs = systemClock.nowUs() + OTHERS_US_MAX;
    for (;;) {
      const [first] = this.#claimsOfOthers();
      if (first === undefined) return;
      if (first.name < this.#claim || systemClock.nowUs() > giveUpUs) this.#refuse(first.owner);
    }
  }

  /** Only who is alone comes here. */
  #take(own: Owner): void {
    const owner = this.#owner();
    if (owner !== undefined && isAlive(owner)) this.#refuse(owner);
    fs.rmSync(this.#file, { force: true });
    fs.writeFileSync(this.#file, `${JSON.stringify(own)}\n`, { flag: 'wx', mode: FILE_MODE });
  }

  #refuse({ pid }: Owner): never {
    const folder = path.resolve(this.#folder);
    throw new DataFolderError(`the data folder ${folder} is in use by process ${pid}`);
  }

  /** Claims of running processes, the first name first. Those of dead ones are removed. */
  #claimsOfOthers(): { readonly name: string; readonly owner: Owner }[] {
    const claims = [];
    for (const name of fs.readdirSync(this.#folder).sort()) {
      const [, pid, started] = /^lock\.(\d+)\.(\d*)$/.exec(name) ?? [];
      if (pid === undefined || started === undefined || name === this.#claim) continue;
      const owner = { pid: Number(pid), started };
      if (isAlive(owner)) claims.push({ name, owner });
      else fs.rmSync(path.join(this.#folder, name), { force: true });
    }
    return claims;
  }

  /** Undefined where there is no lock, or none that can be read: its owner has ended before it was written. */
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
