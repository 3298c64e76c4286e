/**
 * The log file, with rotation by time and by size.
 *
 * The rotating stream tells nobody how much it has yet to write and takes everything it is given, so
 * the bytes on their way are counted here, at the file system's own functions.
 */
import fs from 'node:fs';
import path from 'node:path';
import DailyRotateFile from 'winston-daily-rotate-file';

/** Bytes that may be on their way to the disk. */
const WAITING_BYTES_MAX = 16 * 1024 * 1024;

/** Where the log file is and when a new one is begun. */
export interface LogFileOptions {
  readonly path: string;
  /** 0 for never. */
  readonly sizeMbMax: number;
  readonly frequency: 'daily' | 'hourly' | 'never';
  /** 0 keeps all. */
  readonly filesMax: number;
}

type WriteCallback = (error: NodeJS.ErrnoException | null, written: number) => void;

/** A rotating file that winston writes to. */
export class LogFile {
  readonly transport: DailyRotateFile;
  #waitingBytes = 0;

  /** Throws when the folder cannot be made; later failures go to `onError`, at most once. */
  constructor(options: LogFileOptions, onError: (error: Error) => void) {
    this.transport = new DailyRotateFile(this.#rotation(options));
    let isTold = false;
    const tell = (error: Error): void => {
      this.#waitingBytes = 0;
      if (!isTold) onError(error);
      isTold = true;
    };
    this.transport.on('error', tell);
    // The transport does not listen to its own stream: unheard, the error would end the thread.
    (this.transport.logStream as fs.WriteStream).on('error', tell);
  }

  get hasRoom(): boolean {
    return this.#waitingBytes < WAITING_BYTES_MAX;
  }

  /** Counts a line that winston is about to write. */
  expect(line: string): void {
    this.#waitingBytes += Buffer.byteLength(line) + 1;
  }

  /** Settles when everything is written and the file closed, or cannot be. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      const stream = this.transport.logStream as fs.WriteStream;
      stream.once('finish', resolve);
      stream.once('error', () => {
        resolve();
      });
      stream.end();
    });
  }

  #rotation(options: LogFileOptions): DailyRotateFile.DailyRotateFileTransportOptions {
    const folder = path.dirname(path.resolve(options.path));
    const name = path.basename(options.path);
    const datePatterns = { daily: 'YYYY-MM-DD', hourly: 'YYYY-MM-DD-HH' };
    return {
      dirname: folder,
      filename: name,
      // What may be deleted is known only from this file. Its standard name depends on the options,
      // so that a changed option would leave the old log files behind for ever.
      auditFile: path.join(folder, `.${name}.audit.json`),
      // Only the pattern steers how often; the frequency switches it off.
      ...(options.frequency === 'never'
        ? { frequency: 'never' }
        : { datePattern: datePatterns[options.frequency] }),
      ...(options.sizeMbMax > 0 ? { maxSize: `${options.sizeMbMax}m` } : {}),
      ...(options.filesMax > 0 ? { maxFiles: options.filesMax } : {}),
      options: { flags: 'a', mode: 0o640, fs: this.#countingFunctions() },
    };
  }

  #countingFunctions(): Record<string, unknown> {
    const counted =
      (callback: WriteCallback): WriteCallback =>
      (error, written) => {
        this.#waitingBytes = Math.max(0, this.#waitingBytes - written);
        callback(error, written);
      };
    return {
      open: fs.open,
      close: fs.close,
      write: (
        descriptor: number,
        bytes: Buffer,
        ...[offset, length, position, callback]: [number, number, number | null, WriteCallback]
      ) => {
        fs.write(descriptor, bytes, offset, length, position, counted(callback));
      },
      writev: (
        descriptor: number,
        pieces: NodeJS.ArrayBufferView[],
        position: number | null,
        callback: WriteCallback,
      ) => {
        // `null` appends, but the types know only of a number.
        fs.writev(descriptor, pieces, position as number, counted(callback));
      },
    };
  }
}
