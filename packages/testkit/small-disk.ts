/** Disks of a test's own, which get full, fail and go away: they need a user who may mount. */

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { needs } from './needs.ts';

function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { stdio: 'pipe' });
}

/** Runs what mounts; false where that is not permitted, which the output says. */
function mounts(act: () => void): boolean {
  try {
    act();
    return true;
  } catch (error) {
    const reason = (error as Error).message.trim().replaceAll(/\s+/g, ' ');
    process.stdout.write(`left out: needs to mount a disk (${reason})\n`);
    return false;
  }
}

/** A file system in memory, of a size that can be changed. */
export class SmallDisk {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Mounts it on a folder, which is made; undefined where that is not permitted. */
  static mount(folder: string, megabytes: number): SmallDisk | undefined {
    fs.mkdirSync(folder, { recursive: true });
    const size = `size=${String(megabytes)}m`;
    const isMounted =
      needs('mount') && mounts(() => run('mount', '-t', 'tmpfs', '-o', size, 'tmpfs', folder));
    return isMounted ? new SmallDisk(folder) : undefined;
  }

  resize(megabytes: number): void {
    run('mount', '-o', `remount,size=${String(megabytes)}m`, this.folder);
  }

  unmount(): void {
    run('umount', '--lazy', this.folder);
  }
}

/** A file system in a file, on a disk that has not all the room which that file system believes to have. */
export class ThinDisk {
  readonly folder: string;
  readonly #below: SmallDisk;

  private constructor(folder: string, below: SmallDisk) {
    this.folder = folder;
    this.#below = below;
  }

  /** Mounts it on a folder, which is made, with room for so much beneath; undefined where that is not permitted. */
  static mount(folder: string, megabytes: number, roomMegabytes: number): ThinDisk | undefined {
    if (!needs('mkfs.ext4')) return undefined;
    const below = SmallDisk.mount(`${folder}-below`, roomMegabytes);
    if (below === undefined) return undefined;
    fs.mkdirSync(folder, { recursive: true });
    const disk = new ThinDisk(folder, below);
    const isMounted = mounts(() => {
      fs.writeFileSync(disk.#file, '');
      fs.truncateSync(disk.#file, megabytes * 2 ** 20);
      run('mkfs.ext4', '-q', disk.#file);
      disk.mountAgain();
    });
    if (isMounted) return disk;
    below.unmount();
    return undefined;
  }

  get #file(): string {
    return path.join(this.#below.folder, 'disk');
  }

  /** Gives it all the room that it believes to have. */
  mend(megabytes: number): void {
    this.#below.resize(megabytes);
  }

  /** Has the kernel meet an error of the file system, which can only be read from then on. */
  makeReadOnly(): void {
    const { dev } = fs.statSync(this.folder);
    const device = `/sys/dev/block/${String(dev >> 8)}:${String(dev & 0xff)}`;
    const name = path.basename(fs.realpathSync(device));
    fs.writeFileSync(`/sys/fs/ext4/${name}/trigger_fs_error`, '1');
  }

  mountAgain(): void {
    run('mount', '-o', 'loop,errors=remount-ro', this.#file, this.folder);
  }

  unmount(): void {
    run('umount', this.folder);
  }

  /** Unmounts it, and the disk beneath. */
  remove(): void {
    run('umount', '--lazy', this.folder);
    this.#below.unmount();
  }
}
