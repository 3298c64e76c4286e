/** The folder of bundles: which there are, and which must go. Only files with such a name are ever touched. */

import { createReadStream, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { BundleReport } from '#api-types';

const ID = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-[0-9a-f]{6}$/;
/** Age in milliseconds at which an incomplete file counts as abandoned. */
const ABANDONED_MS = 3_600_000;

interface Retention {
  readonly countMax: number;
  readonly ageSecondsMax: number;
}

/** Returns the time at which the bundle of an id was made, in Unix milliseconds; undefined when that is no id. */
export function createdMs(id: string): number | undefined {
  const parts = ID.exec(id);
  if (parts === null) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1).map(Number);
  const ms = Date.UTC(year!, month! - 1, day, hour, minute, second);
  return Number.isNaN(ms) ? undefined : ms;
}

export function newId(nowMs: number, random: string): string {
  const stamp = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `${stamp}-${random}`;
}

export function bundleName(id: string): string {
  return `svc-bundle-${id}.tar.gz`;
}

interface FoundBundle {
  readonly id: string;
  readonly ms: number;
  readonly writtenMs: number;
}

export class BundleStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Removes bundles that exceed the limits of age or number, and lists the rest, newest first. */
  list(nowMs: number, { countMax, ageSecondsMax }: Retention): BundleReport[] {
    const ageMsMax = ageSecondsMax * 1_000;
    const kept: BundleReport[] = [];
    for (const { id, ms } of this.#found(nowMs)) {
      const file = this.#file(id);
      if (kept.length >= countMax || ms + ageMsMax <= nowMs) {
        rmSync(file, { force: true });
        continue;
      }
      const size = statSync(file, { throwIfNoEntry: false })?.size;
      if (size === undefined) continue;
      kept.push({
        id,
        created_at: new Date(ms).toISOString(),
        size_bytes: size,
        expires_at: new Date(ms + ageMsMax).toISOString(),
      });
    }
    return kept;
  }

  open(id: string): Readable {
    return createReadStream(this.#file(id));
  }

  /** Newest first. */
  #found(nowMs: number): FoundBundle[] {
    if (!isFolder(this.#folder)) return [];
    const found: FoundBundle[] = [];
    for (const name of readdirSync(this.#folder)) {
      const [, dot, id = '', ending] = /^(\.?)svc-bundle-(.+)\.tar\.gz(\.part)?$/.exec(name) ?? [];
      const ms = createdMs(id);
      if (ms === undefined) continue;
      if (dot === '' && ending === undefined) found.push(this.#whole(id, ms));
      else if (dot === '.' && ending !== undefined) this.#removeAbandoned(name, ms, nowMs);
    }
    // Ids contain the second; within one second the modification time decides.
    return found.sort((a, b) => b.ms - a.ms || b.writtenMs - a.writtenMs);
  }

  #whole(id: string, ms: number): FoundBundle {
    const written = statSync(this.#file(id), { throwIfNoEntry: false });
    return { id, ms, writtenMs: written?.mtimeMs ?? ms };
  }

  /** A file that was being written when its server ended. */
  #removeAbandoned(name: string, ms: number, nowMs: number): void {
    if (ms + ABANDONED_MS > nowMs) return;
    rmSync(path.join(this.#folder, name), { force: true });
  }

  #file(id: string): string {
    return path.join(this.#folder, bundleName(id));
  }
}

function isFolder(name: string): boolean {
  return statSync(name, { throwIfNoEntry: false })?.isDirectory() === true;
}
