/** The disk, as far as durability needs it: so that a test can put one in its place that tears, fills up and fails. */

import fs from 'node:fs';
import path from 'node:path';
import { type Bytes, makeFolders } from '#base';

export interface Disk {
  makeFolder(folder: string): void;
  /** Makes a file that must not be there yet; returns a number for it. */
  create(file: string): number;
  /** Writes pieces one after the other, from `at` on, or without it after the last write. */
  append(fd: number, pieces: readonly Bytes[], at?: number): void;
  /** Puts other bytes in the place of a file's first ones, made from those; they are on disk when it returns. */
  rewrite(file: string, bytes: number, change: (was: Buffer) => Bytes): void;
  /** Cuts a file that is open. */
  truncate(fd: number, bytes: number): void;
  /** Syncs the file; what was appended is on disk when `done` is called without an error. */
  sync(fd: number, done: (error: Error | null) => void): void;
  syncNow(fd: number): void;
  close(fd: number): void;
  rename(from: string, to: string): void;
  /** A file, or a folder with all that is in it; nothing when there is none. */
  remove(target: string): void;
  /** Names in a folder, in order; none when there is no folder. */
  list(folder: string): readonly string[];
  /** True unless a file that is open is not found by its name any more. */
  isAt(fd: number, file: string): boolean;
  /** Makes names in a folder last. */
  syncFolder(folder: string): void;
}

/** One piece is written without a list of them. */
function writeOnce(fd: number, pieces: readonly Bytes[], at: number | undefined): number {
  const [first] = pieces;
  if (pieces.length > 1 || first === undefined) return fs.writevSync(fd, pieces, at);
  return fs.writeSync(fd, first, 0, first.length, at);
}

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

export const realDisk: Disk = {
  makeFolder(folder) {
    makeFolders(folder, FOLDER_MODE);
  },
  create: (file) => fs.openSync(file, 'wx', FILE_MODE),
  append(fd, pieces, at) {
    let rest = pieces.filter(({ length }) => length > 0);
    let position = at;
    while (rest.length > 0) {
      let written = writeOnce(fd, rest, position);
      if (position !== undefined) position += written;
      // A write may be short: at a signal, and before the disk is full.
      rest = rest.flatMap((piece) => {
        const taken = Math.min(written, piece.length);
        written -= taken;
        return taken === piece.length ? [] : [piece.subarray(taken)];
      });
    }
  },
  rewrite(file, bytes, change) {
    const fd = fs.openSync(file, 'r+');
    try {
      const was = Buffer.alloc(bytes);
      fs.readSync(fd, was, 0, bytes, 0);
      realDisk.append(fd, [change(was)], 0);
      fs.fdatasyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  },
  truncate(fd, bytes) {
    fs.ftruncateSync(fd, bytes);
  },
  sync(fd, done) {
    fs.fdatasync(fd, done);
  },
  syncNow(fd) {
    fs.fdatasyncSync(fd);
  },
  close(fd) {
    fs.closeSync(fd);
  },
  rename(from, to) {
    fs.renameSync(from, to);
  },
  remove(target) {
    fs.rmSync(target, { recursive: true, force: true });
  },
  list(folder) {
    try {
      return fs.readdirSync(folder).sort();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  },
  isAt(fd, file) {
    try {
      const open = fs.fstatSync(fd);
      const named = fs.statSync(file, { throwIfNoEntry: false });
      return named !== undefined && named.ino === open.ino && named.dev === open.dev;
    } catch {
      // If the disk does not report it, the file is assumed to exist.
      return true;
    }
  },
  syncFolder(folder) {
    const fd = fs.openSync(path.resolve(folder), 'r');
    try {
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  },
};

/** Returns the error that a call of the disk throws; null when it throws none. */
export function outcomeOf(call: () => void): Error | null {
  try {
    call();
    return null;
  } catch (error) {
    return error as Error;
  }
}

/** The file was closed, and synced before, while the sync was under way. */
export function isClosed(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EBADF';
}
