/**
 * The log file, with rotation by time and by size. The configured name always refers to the file being written: with
 * rotation it is a symbolic link to the newest one. The rotating stream reports no queue length and accepts all data,
 * so the bytes in flight are counted here, at the file system's functions.
 */
import fs from 'node:fs';
import path from 'node:path';
import DailyRotateFile from 'winston-daily-rotate-file';

/** Bytes that may be on their way to the disk. */
const WAITING_BYTES_MAX = 16 * 1024 * 1024;

/** Path of the log file, and the rules for beginning a new one. */
export interface LogFileOptions {
  readonly path: string;
  /** 0 for never. */
  readonly sizeMbMax: number;
  readonly frequency: 'daily' | 'hourly' | 'never';
  /** 0 keeps all. */
  readonly filesMax: number;
}

/** The ends of rotated files' names, behind the configured one, as patterns of moment. */
const DATE_PATTERNS = { daily: 'YYYY-MM-DD', hourly: 'YYYY-MM-DD-HH', never: '[part]' };

type WriteCallback = (error: NodeJS.ErrnoException | null, written: number) => void;

/** The property of a record that holds its line, for transports of winston. */
const MESSAGE = Symbol.for('message');

/** A rotating file, written by winston's transport for such files. */
export class LogFile {
  readonly #transport: DailyRotateFile;
  #waitingBytes = 0;

  /** Throws when the folder cannot be made; later failures go to `onError`, at most once. */
  constructor(options: LogFileOptions, onError: (error: Error) => void) {
    makeWayForName(options);
    this.#transport = new DailyRotateFile(this.#rotation(options));
    let isReported = false;
    const report = (error: Error): void => {
      this.#waitingBytes = 0;
      if (!isReported) onError(error);
      isReported = true;
    };
    this.#transport.on('error', report);
    // The transport does not listen to its own stream: unheard, the error would end the thread.
    (this.#transport.logStream as fs.WriteStream).on('error', report);
  }

  /** Takes a line without its end; false when too much is on its way to the disk, and the line is lost. */
  write(line: string): boolean {
    if (this.#waitingBytes >= WAITING_BYTES_MAX) return false;
    this.#waitingBytes += Buffer.byteLength(line) + 1;
    this.#transport.log?.({ [MESSAGE]: line }, () => undefined);
    return true;
  }

  /** Settles when everything is written and the file closed, or cannot be. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      const stream = this.#transport.logStream as fs.WriteStream;
      stream.once('finish', resolve);
      stream.once('error', () => {
        resolve();
      });
      stream.end();
    });
  }

  #rotation(options: LogFileOptions): DailyRotateFile.DailyRotateFileTransportOptions {
    const { dir: folder, base: name } = path.parse(path.resolve(options.path));
    return {
      dirname: folder,
      filename: name,
      // What may be deleted is known only from this file. Its standard name depends on the options,
      // so that old log files would stay for ever after a change of the option.
      auditFile: path.join(folder, `.${name}.audit.json`),
      // Only the pattern steers how often; the frequency switches it off.
      ...(isRotated(options)
        ? { datePattern: DATE_PATTERNS[options.frequency], createSymlink: true, symlinkName: name }
        : { frequency: 'never' }),
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

function isRotated({ frequency, sizeMbMax }: LogFileOptions): boolean {
  return frequency !== 'never' || sizeMbMax > 0;
}

/**
 * Clears the configured name of what other settings of rotation have left there: a file is kept under another name
 * before a link takes its place, and a link to a rotated file is removed before a file does.
 */
function makeWayForName(options: LogFileOptions): void {
  const found = fs.lstatSync(options.path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (isRotated(options)) {
    const when = found.mtime.toISOString().replaceAll(/[-:]|\.\d+/g, '');
    if (found.isFile()) fs.renameSync(options.path, `${options.path}.${when}`);
  } else if (found.isSymbolicLink()) {
    const target = fs.readlinkSync(options.path);
    if (target.startsWith(`${path.basename(options.path)}.`)) fs.unlinkSync(options.path);
  }
}
