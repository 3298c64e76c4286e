/** For tests: a disk in memory that records calls, delays syncs, and injects failures. */

import fs from 'node:fs';
import path from 'node:path';
import type { Bytes } from '#base';
import type { Disk } from './disk.ts';

/** Calls that can fail. */
type DiskCall =
  | 'makeFolder'
  | 'create'
  | 'append'
  | 'rewrite'
  | 'truncate'
  | 'sync'
  | 'syncNow'
  | 'remove'
  | 'syncFolder';

interface Fault {
  readonly code: string;
  /** Bytes that an append writes before it fails. */
  readonly bytes: number;
}

export class FakeDisk implements Disk {
  readonly files = new Map<string, Buffer>();
  /** Every call with the file that it was for, in order. */
  readonly calls: (readonly [call: string, file: string])[] = [];
  /** True when syncs wait for `endSync`. */
  holdsSyncs = false;
  readonly #open = new Map<number, string>();
  readonly #faults = new Map<DiskCall, Fault>();
  readonly #held: (() => void)[] = [];
  #nextFd = 3;

  /** The next call of that kind fails. */
  fail(call: DiskCall, code: string, bytes = 0): void {
    this.#faults.set(call, { code, bytes });
  }

  /** Ends the oldest sync that is under way. */
  endSync(): void {
    this.#held.shift()?.();
  }

  get syncsUnderWay(): number {
    return this.#held.length;
  }

  /** Puts a file into a folder that is really there; returns its name. */
  survive(file: string, folder: string, bytes = this.files.get(file)!): string {
    const name = path.join(folder, path.basename(file));
    fs.writeFileSync(name, bytes);
    return name;
  }

  makeFolder(folder: string): void {
    this.#check('makeFolder', folder);
  }

  create(file: string): number {
    this.#check('create', file);
    if (this.files.has(file)) throw errorOf('EEXIST');
    this.files.set(file, Buffer.alloc(0));
    const fd = this.#nextFd;
    this.#nextFd += 1;
    this.#open.set(fd, file);
    return fd;
  }

  append(fd: number, pieces: readonly Bytes[]): void {
    const file = this.#fileOf(fd);
    const fault = this.#faults.get('append');
    const all = Buffer.concat(pieces);
    const taken = fault === undefined ? all : all.subarray(0, fault.bytes);
    this.files.set(file, Buffer.concat([this.files.get(file)!, taken]));
    this.#check('append', file);
  }

  rewrite(file: string, bytes: number, change: (was: Buffer) => Bytes): void {
    this.#check('rewrite', file);
    const was = this.files.get(file);
    if (was === undefined) throw errorOf('ENOENT');
    const now = Buffer.from(was);
    now.set(change(Buffer.from(was.subarray(0, bytes))));
    this.files.set(file, now);
  }

  truncate(fd: number, bytes: number): void {
    const file = this.#fileOf(fd);
    this.#check('truncate', file);
    this.files.set(file, this.files.get(file)!.subarray(0, bytes));
  }

  sync(fd: number, done: (error: Error | null) => void): void {
    let outcome: Error | null = null;
    try {
      this.#check('sync', this.#fileOf(fd));
    } catch (error) {
      outcome = error as Error;
    }
    this.#held.push(() => {
      done(outcome);
    });
    if (!this.holdsSyncs) this.endSync();
  }

  syncNow(fd: number): void {
    this.#check('syncNow', this.#fileOf(fd));
  }

  close(fd: number): void {
    this.calls.push(['close', this.#fileOf(fd)]);
    this.#open.delete(fd);
  }

  rename(from: string, to: string): void {
    for (const [file, bytes] of [...this.files]) {
      if (!file.startsWith(from)) continue;
      this.files.delete(file);
      this.files.set(to + file.slice(from.length), bytes);
    }
  }

  remove(target: string): void {
    this.#check('remove', target);
    for (const file of [...this.files.keys()]) {
      if (file === target || file.startsWith(`${target}/`)) this.files.delete(file);
    }
  }

  list(folder: string): readonly string[] {
    const inside = [...this.files.keys()].filter((file) => file.startsWith(`${folder}/`));
    return [...new Set(inside.map((file) => file.slice(folder.length + 1).split('/')[0]!))].sort();
  }

  isAt(fd: number, file: string): boolean {
    return this.files.has(file) && this.#open.get(fd) === file;
  }

  syncFolder(folder: string): void {
    this.#check('syncFolder', folder);
  }

  #check(call: DiskCall, file: string): void {
    this.calls.push([call, file]);
    const fault = this.#faults.get(call);
    if (fault === undefined) return;
    this.#faults.delete(call);
    throw errorOf(fault.code);
  }

  #fileOf(fd: number): string {
    const file = this.#open.get(fd);
    if (file === undefined) throw errorOf('EBADF');
    return file;
  }
}

function errorOf(code: string): Error {
  return Object.assign(new Error(`${code}: the disk was told to fail`), { code });
}
