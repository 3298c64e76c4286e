/**
 * The log file as a transport of winston: opens the rotating file in the background, keeps lines meanwhile, and tries a
 * file that has failed again after a pause.
 */

import type { LogFile, LogFileOptions } from './log-file.ts';
import { lineOf, recordOf } from './log-format.ts';
import { Transport } from './transport.ts';

/** Lines that are kept while the file is being opened. */
const EARLY_LINES_MAX = 10_000;
/** Milliseconds of log time after a failure in which the file is not tried again. */
const FILE_PAUSE_MS = 30_000;

interface FileTransportOptions {
  readonly file: LogFileOptions;
  /** Called once for a file that fails, until it is reopened; `nowMs` is the time of its opening. */
  readonly failed: (error: Error, nowMs: number) => void;
}

export class FileTransport extends Transport {
  readonly #options: FileTransportOptions;
  /** Lines kept while the file is being opened; undefined at other times. */
  #early: string[] | undefined;
  /** Settles when no file is being opened. */
  #opening: Promise<void> = Promise.resolve();
  #file: LogFile | undefined;
  #failedAtMs: number | undefined;
  #isFailureReported = false;
  #dropped = 0;

  constructor(options: FileTransportOptions, nowMs: number) {
    super();
    this.#options = options;
    this.#open(nowMs);
  }

  /** Lines lost because the disk was too slow, or took too long to open. */
  get droppedLines(): number {
    return this.#dropped;
  }

  /** Takes a line, or drops it when too much is on its way to the disk: winston never has to hold lines back. */
  override log(info: object, next: () => void): void {
    const { time } = recordOf(info);
    if (this.#failedAtMs !== undefined && time - this.#failedAtMs >= FILE_PAUSE_MS) {
      this.#open(time);
    }
    const line = lineOf(info);
    if (this.#early === undefined) this.#write(line);
    else if (this.#early.length < EARLY_LINES_MAX) this.#early.push(line);
    else this.#dropped += 1;
    next();
  }

  /** Closes and reopens the file under the same name. Earlier lines are still written. */
  reopen(nowMs: number): void {
    // It ends when its pending lines are written.
    void this.#file?.close();
    this.#file = undefined;
    this.#failedAtMs = undefined;
    this.#isFailureReported = false;
    this.#open(nowMs);
  }

  /** Settles when all lines are written and the file is closed, or cannot be. */
  async ended(): Promise<void> {
    await this.#opening;
    await this.#file?.close();
    this.#file = undefined;
  }

  #write(line: string): void {
    if (this.#file?.write(line) === false) this.#dropped += 1;
  }

  /** Opens the file. The rotation takes long to load, and nothing waits for it. */
  #open(nowMs: number): void {
    // One that is being opened takes these lines too.
    if (this.#early !== undefined) return;
    this.#early = [];
    this.#opening = this.#openLater(nowMs);
  }

  async #openLater(nowMs: number): Promise<void> {
    let failure: Error | undefined;
    try {
      const { LogFile } = await import('./log-file.ts');
      const opened = new LogFile(this.#options.file, (error) => {
        if (this.#file === opened) this.#fail(error, nowMs);
      });
      this.#file = opened;
      this.#failedAtMs = undefined;
    } catch (error) {
      failure = error as Error;
    }
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const line of early) this.#write(line);
    if (failure !== undefined) this.#fail(failure, nowMs);
  }

  #fail(error: Error, nowMs: number): void {
    this.#failedAtMs = nowMs;
    this.#file = undefined;
    if (this.#isFailureReported) return;
    this.#isFailureReported = true;
    this.#options.failed(error, nowMs);
  }
}
