/** Scripts and functions with their figures over all shards, and those that run now. */

import type { RunningScriptReport, ScriptReport as ScriptEntry, ScriptsDocument } from '#api-types';
import type { RunningScript } from '#commands';
import type { Router } from '#router';
import { mergeScripts, SCRIPT_STATS, type ScriptReport, lateShards } from '#stats';
import { beginningAsText } from '#main';

/** Maximum number of characters of a source in reports, and of bytes that are read for them. */
const SOURCE_CHARACTERS_MAX = 4_096;
const SOURCE_BYTES_MAX = 4 * SOURCE_CHARACTERS_MAX;

interface CollectedScripts {
  /** The script that has run longest, all runs together, first. */
  readonly scripts: readonly ScriptReport[];
  /** Shards that did not answer in time: their runs are not counted. */
  readonly missingShards: readonly number[];
}

export async function collectScripts({ shardCalls }: Router): Promise<CollectedScripts> {
  const reports = await shardCalls.ask(SCRIPT_STATS, null, { acceptsPublished: true });
  return {
    scripts: mergeScripts(reports.map((report) => (report.missing ? [] : report.answer))),
    missingShards: lateShards(reports),
  };
}

/** Returns the document for the ops thread. */
export async function scriptsDocument(
  router: Router,
  { count }: { readonly count: number },
): Promise<ScriptsDocument> {
  const { scripts, missingShards } = await collectScripts(router);
  return {
    scripts: scripts.slice(0, count).map((script) => entryOf(script, router)),
    kept: scripts.length,
    running: runningIn(router),
    missing_shards: missingShards,
  };
}

function entryOf(script: ScriptReport, router: Router): ScriptEntry {
  return {
    name: script.name,
    kind: script.isFunction ? 'function' : 'script',
    calls: script.calls,
    errors: script.errors,
    time_us: script.us,
    p50_us: script.usP50,
    p99_us: script.usP99,
    max_us: script.usMax,
    keys: script.keys,
    commands: script.commands,
    calls_on_main: script.callsOnMain,
    barrier_runs: script.barrierRuns,
    killed: script.killed,
    source_bytes: script.sourceBytes,
    source: script.isFunction ? null : sourceOf(script.name, router),
  };
}

/** The beginning of a source; null of a script that was forgotten. */
function sourceOf(digest: string, { scripts }: Router): string | null {
  const source = scripts.cache.sourceOf(digest);
  if (source === undefined) return null;
  const { key: text } = beginningAsText(source.subarray(0, SOURCE_BYTES_MAX));
  return text.slice(0, SOURCE_CHARACTERS_MAX);
}

function runningIn(router: Router): readonly RunningScriptReport[] {
  return router.scripts.busy.running.map((running) => ({
    shard: running.shard,
    name: running.name === '' ? null : running.name,
    kind: running.isFunction ? 'function' : 'script',
    command: running.command[0]?.toLowerCase() ?? null,
    duration_ms: running.durationMs,
    run: running.run,
    line: running.line > 0 ? running.line : null,
    has_written: running.hasWritten,
    source: runningSource(running, router),
  }));
}

/** The beginning of the source of a running script: of one that was never cached, the argument of its EVAL. */
function runningSource(
  { name, isFunction, command }: RunningScript,
  router: Router,
): string | null {
  if (isFunction) return null;
  const cached = sourceOf(name, router);
  if (cached !== null) return cached;
  const isEval = /^eval(_ro)?$/i.test(command[0] ?? '');
  return isEval ? (command[1]?.slice(0, SOURCE_CHARACTERS_MAX) ?? null) : null;
}
