/**
 * The folder `history` of the data folder. A full, read-only or failing disk costs history only: the failure is logged once, and
 * writing is tried again after a while, later each time.
 */

import { promises as fs } from 'node:fs';
import path from 'node:path';
import { makeFolder, RetryDelay } from '#base';
import type { HistoryLog } from './history-log.ts';

/** Milliseconds until writing is tried again after the first failure, and at most. */
const RETRY_MS = 10_000;
const RETRY_MS_MAX = 600_000;
const FILE_MODE = 0o640;
const PART = '.part';

export class HistoryFolder {
  readonly path: string;
  readonly #nowMs: () => number;
  readonly #log: HistoryLog;
  readonly #delay = new RetryDelay(RETRY_MS, RETRY_MS_MAX);
  /** Milliseconds for which nothing is tried after the last failure; 0 after a success. */
  #retryMs = 0;
  #failedAtMs = -Infinity;
  /** Damaged files are reported once each. */
  readonly #reported = new Set<string>();

  constructor(folder: string, nowMs: () => number, log: HistoryLog) {
    this.path = folder;
    this.#nowMs = nowMs;
    this.#log = log;
  }

  /** True while a failure is recent: nothing is written. */
  get isResting(): boolean {
    return this.#nowMs() - this.#failedAtMs < this.#retryMs;
  }

  /** Returns the names of its files; none where there is no such folder. Removes files that were not completed. */
  async names(): Promise<string[]> {
    try {
      const names = await fs.readdir(this.path);
      await Promise.all(
        names.filter((name) => name.endsWith(PART)).map((name) => this.remove(name)),
      );
      return names.filter((name) => !name.endsWith(PART)).sort();
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT') this.skip('', message);
      return [];
    }
  }

  async read(name: string): Promise<Buffer> {
    return fs.readFile(path.join(this.path, name));
  }

  /** Reads the first bytes of a file, and its size. */
  async head(
    name: string,
    bytes: number,
  ): Promise<{ readonly head: Buffer; readonly size: number }> {
    const file = await fs.open(path.join(this.path, name), 'r');
    try {
      const head = Buffer.alloc(bytes);
      const { bytesRead } = await file.read(head, 0, bytes, 0);
      return { head: head.subarray(0, bytesRead), size: (await file.stat()).size };
    } finally {
      await file.close();
    }
  }

  /** Writes a file whole, or not at all; returns whether it is written. */
  write(name: string, bytes: Uint8Array): Promise<boolean> {
    return this.#attempt(async () => {
      const part = path.join(this.path, `.${name}${PART}`);
      await fs.writeFile(part, bytes, { mode: FILE_MODE });
      await fs.rename(part, path.join(this.path, name));
    });
  }

  /** Appends to a file; returns whether it is written. */
  append(name: string, text: string): Promise<boolean> {
    return this.#attempt(async () => {
      await fs.appendFile(path.join(this.path, name), text, { mode: FILE_MODE });
    });
  }

  /** Removes a file, if it is there. */
  async remove(name: string): Promise<void> {
    try {
      await fs.rm(path.join(this.path, name), { force: true });
    } catch {
      // It is tried again at the next start.
    }
  }

  /** Logs that a file is not used, once. */
  skip(name: string, reason: string): void {
    if (this.#reported.has(name)) return;
    this.#reported.add(name);
    const file = path.join(this.path, name);
    this.#log('warn', 'history-skipped', `History file skipped: ${reason}`, { file });
  }

  async #attempt(work: () => Promise<void>): Promise<boolean> {
    if (this.isResting) return false;
    try {
      // Not the data folder: a missing one may be that of a disk that was unmounted.
      makeFolder(this.path, 0o750);
      await work();
    } catch (error) {
      this.#fail(error as Error);
      return false;
    }
    if (this.#retryMs > 0) {
      this.#log('info', 'history-written', 'History is written to disk again', {});
    }
    this.#delay.reset();
    this.#retryMs = 0;
    return true;
  }

  #fail(error: Error): void {
    const isFirst = this.#retryMs === 0;
    this.#retryMs = this.#delay.next();
    this.#failedAtMs = this.#nowMs();
    if (!isFirst) return;
    const fields = { folder: this.path, reason: error.message };
    this.#log(
      'warn',
      'history-failed',
      'History cannot be written to disk: kept in memory',
      fields,
    );
  }
}
