/** Durations of test runs, kept from one run of the tests to the next so that the longest start first. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { TestRun } from './test-files.ts';
import { nameOf } from './test-files.ts';

/** Estimate for a file that was never run, by what is known of it: milliseconds a byte of source. */
const MS_PER_BYTE_PROCESS = 2;
const MS_PER_BYTE_UNIT = 0.05;

/** Kept durations, in milliseconds by the name of the run. */
export class TestTimes {
  readonly #file: string | undefined;
  readonly #ms: Map<string, number>;

  /** Reads the file; without a file, or where it is damaged, nothing is known. */
  constructor(file?: string) {
    this.#file = file;
    this.#ms = new Map(Object.entries(file === undefined ? {} : readTimes(file)));
  }

  /** Expected duration of a run, in milliseconds. */
  expectedMs(run: TestRun): number {
    const kept = this.#ms.get(nameOf(run));
    if (kept !== undefined) return kept;
    return run.sourceBytes * (run.isUnit ? MS_PER_BYTE_UNIT : MS_PER_BYTE_PROCESS);
  }

  note(name: string, ms: number): void {
    this.#ms.set(name, Math.round(ms));
  }

  /** Writes what is known. A folder that cannot be written costs only the order of the next run. */
  save(): void {
    if (this.#file === undefined) return;
    try {
      writeFileSync(this.#file, JSON.stringify(Object.fromEntries(this.#ms), null, 1));
    } catch {
      // The next run starts with estimates.
    }
  }
}

function readTimes(file: string): Record<string, number> {
  if (!existsSync(file)) return {};
  try {
    const times = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    return Object.fromEntries(
      Object.entries(times).filter(
        (entry): entry is [string, number] => typeof entry[1] === 'number',
      ),
    );
  } catch {
    return {};
  }
}
