/** A chosen script, from its statistics and from its run. */

import type { Scripts } from '../api.ts';

export interface ShownScript {
  readonly name: string;
  readonly kind: 'script' | 'function';
  readonly source: string | null;
  /** Null of a script that has no statistics yet. */
  readonly sourceBytes: number | null;
  /** Line that it executes; null while it does not run, or where it is not known. */
  readonly line: number | null;
}

/** Returns the script of that name; undefined if it neither runs nor has statistics. */
export function shownScript(
  { scripts, running }: Pick<Scripts, 'scripts' | 'running'>,
  name: string | null,
): ShownScript | undefined {
  const script = scripts.find((each) => each.name === name);
  const run = running.find((each) => each.name === name);
  const known = script ?? run;
  if (name === null || known === undefined) return undefined;
  const source = known.source ?? run?.source ?? null;
  const line = run === undefined ? null : run.line;
  return { name, kind: known.kind, source, sourceBytes: script?.source_bytes ?? null, line };
}
