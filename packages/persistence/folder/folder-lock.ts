/**
 * One server per data folder. The lock is a file that names its owner; a dead owner's lock is taken over. A candidate
 * puts a claim of its own into the folder, and then looks for those of others. Of two candidates at the same time, at
 * least one sees the other's claim, since each is written before its owner looks: so two never both find themselves
 * alone. Only a candidate that is alone turns its claim into the lock. A candidate that dies in between leaves a claim
 * of a dead process, which does not count.
 */

import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { everySecond, systemClock } from '#base';
import { DataFolderError } from './data-folder.ts';
import {
  beat,
  isAlive,
  lockFile,
  newOwnerId,
  ownOwner,
  readOwner,
  type Owner,
} from './folder-owner.ts';

/** Name of the lock in its folder. */
export const LOCK_FILE = 'lock';
/** Others give way within microseconds; one that does not was stopped. */
const OTHERS_US_MAX = 2_000_000;
const OTHERS_POLL_MS = 1;
const FILE_MODE = 0o600;

export class FolderLock {
  readonly #folder: string;
  readonly #file: string;
  readonly #id = newOwnerId();
  /** The own claim. */
  readonly #claim: string;
  #stopBeat: (() => void) | undefined;
  #stopWatch: (() => void) | undefined;
  #isRestoring = false;
  #isReleased = false;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#file = path.join(folder, LOCK_FILE);
    this.#claim = `${LOCK_FILE}.${this.#id}`;
  }

  /** Throws a DataFolderError when a running process holds the folder. */
  static async take(folder: string): Promise<FolderLock> {
    const lock = new FolderLock(folder);
    try {
      await lock.#stakeClaim();
      await lock.#waitForOwnership();
      await lock.#take();
      lock.#clear();
      lock.#stopWatch = everySecond(() => {
        lock.#restore().catch(() => undefined);
      });
      return lock;
    } catch (error) {
      lock.release();
      if (error instanceof DataFolderError) throw error;
      const { code } = error as NodeJS.ErrnoException;
      throw new DataFolderError(`${lock.#file} cannot be written: ${code ?? String(error)}`);
    }
  }

  release(): void {
    this.#isReleased = true;
    this.#stopWatch?.();
    this.#endBeat();
    if (readOwner(this.#file)?.id === this.#id) fs.rmSync(this.#file, { force: true });
    for (const name of [`${this.#claim}.new`, this.#claim]) this.#remove(name);
  }

  #endBeat(): void {
    this.#stopBeat?.();
    this.#stopBeat = undefined;
  }

  /** Takes the folder again where it was removed and is there again without a lock. */
  async #restore(): Promise<void> {
    if (this.#isRestoring) return;
    this.#isRestoring = true;
    try {
      const isLost = !(await isThere(this.#file)) && (await isThere(this.#folder));
      if (isLost) await this.#takeAgain();
    } finally {
      this.#isRestoring = false;
      if (this.#isReleased) this.release();
    }
  }

  async #takeAgain(): Promise<void> {
    if (this.#isReleased) return;
    this.#endBeat();
    try {
      await this.#stakeClaim();
      await this.#waitForOwnership();
      await this.#take();
    } catch (error) {
      this.#endBeat();
      this.#remove(this.#claim);
      throw error;
    }
  }

  /** Locks the claim first, and shows it when all of it is there: none takes it for a dead one's. */
  async #stakeClaim(): Promise<void> {
    const claim = path.join(this.#folder, this.#claim);
    const fd = fs.openSync(`${claim}.new`, 'wx', FILE_MODE);
    this.#stopBeat = beat(fd);
    const owner = ownOwner(await lockFile(fd), this.#id);
    fs.writeSync(fd, `${JSON.stringify(owner)}\n`);
    fs.renameSync(`${claim}.new`, claim);
  }

  /** Waits to be alone: of claims made at the same time, the one with the first name waits for the rest to give way. */
  async #waitForOwnership(): Promise<void> {
    const giveUpUs = systemClock.nowUs() + OTHERS_US_MAX;
    for (;;) {
      const [first] = await this.#claimsOfOthers();
      if (first === undefined) return;
      if (first.name < this.#claim || systemClock.nowUs() > giveUpUs) this.#refuse(first.owner);
      await sleep(OTHERS_POLL_MS);
    }
  }

  /** Only who is alone comes here. */
  async #take(): Promise<void> {
    const owner = readOwner(this.#file);
    if (owner !== undefined && (await isAlive(this.#file, owner))) {
      this.#refuse(owner);
    }
    fs.renameSync(path.join(this.#folder, this.#claim), this.#file);
  }

  /** Removes the sockets that versions before 0.3 listened on. */
  #clear(): void {
    for (const name of fs.readdirSync(this.#folder)) {
      if (/^lock\..+\.sock$/.test(name)) this.#remove(name);
    }
  }

  #refuse({ pid }: Owner): never {
    const folder = path.resolve(this.#folder);
    throw new DataFolderError(`the data folder ${folder} is in use by process ${pid}`);
  }

  /** Claims of running processes, the first name first. Those of dead ones are removed. */
  async #claimsOfOthers(): Promise<{ readonly name: string; readonly owner: Owner }[]> {
    const claims = [];
    for (const name of fs.readdirSync(this.#folder).sort()) {
      if (!/^lock\.\d+\.[0-9a-f]*$/.test(name) || name === this.#claim) continue;
      const file = path.join(this.#folder, name);
      const owner = readOwner(file);
      if (owner !== undefined && (await isAlive(file, owner))) {
        claims.push({ name, owner });
      } else {
        this.#remove(name);
      }
    }
    return claims;
  }

  #remove(name: string): void {
    fs.rmSync(path.join(this.#folder, name), { force: true });
  }
}

/** False where there is none; true where the disk does not say. */
async function isThere(file: string): Promise<boolean> {
  return fs.promises.access(file).then(
    () => true,
    (error: unknown) => (error as NodeJS.ErrnoException).code !== 'ENOENT',
  );
}
