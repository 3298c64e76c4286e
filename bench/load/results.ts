/** Results of a run on disk, and the baseline, in which parts that were not measured stay as they were. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

interface Results {
  readonly report: Readonly<Record<string, unknown>>;
  /** Time at which each part was measured. */
  readonly measured: Readonly<Record<string, string>>;
  /** The baseline gets them as well. */
  readonly isBaseline: boolean;
}

/** Writes a file of this run below `folder`, and into its baseline where that is wanted. */
export function writeResults(folder: string, { report, measured, isBaseline }: Results): void {
  const runs = path.join(folder, 'results');
  mkdirSync(runs, { recursive: true });
  const written = (figures: object): string => `${JSON.stringify(figures, null, 2)}\n`;
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
  writeFileSync(path.join(runs, `${stamp}.json`), written({ ...report, measured }));
  if (!isBaseline) return;
  const baseline = path.join(folder, 'baseline.json');
  const before = JSON.parse(readFileSync(baseline, 'utf8')) as { measured: object };
  const merged = { ...before, ...report, measured: { ...before.measured, ...measured } };
  writeFileSync(baseline, written(merged));
}
