/** Scripts, as commands on main and the ops thread see them, as a module of main. */

import { setTimeout } from 'node:timers/promises';
import { CommandError, LineLimit, type LogFields, type Logger, systemClock } from '#base';
import type { RunningScript, ScriptsPort } from '#commands';
import type { Router } from '#router';
import { collectScripts, scriptsDocument } from '#diagnostics';
import type { ActionAnswer } from '#http';
import type { MetricsReader } from '#info';
import { type Composed, MainModule } from '#main';

interface ScriptsModuleOptions {
  readonly router: Router;
  readonly metricsReader: MetricsReader;
  readonly log: Pick<Logger, 'warn'>;
}

export function scriptsModule(
  options: ScriptsModuleOptions,
): Composed<object, 'scripts', 'scripts' | 'kill-script'> {
  const module = new MainModule({
    name: 'scripts',
    ports: { scripts: scriptsPort(options) },
    answers: {
      scripts: (question) => scriptsDocument(options.router, question),
      'kill-script': (question) => killScript(options, question),
    },
  });
  return { module, parts: {} };
}

async function killScript(
  { router, log }: ScriptsModuleOptions,
  { shard, run }: { readonly shard: number; readonly run: number },
): Promise<ActionAnswer> {
  try {
    const hasEnded = await untilEnded(router.scripts.busy.killRun(shard, run));
    log.warn('script-killed', 'Script killed over HTTP', { shard });
    return hasEnded ? null : 'the script has not ended yet';
  } catch (error) {
    if (error instanceof CommandError) return error.text;
    throw error;
  }
}

function scriptsPort({ router, metricsReader, log }: ScriptsModuleOptions): ScriptsPort {
  const { scripts } = router;
  const limit = new LineLimit();
  return {
    has: (digest) => scripts.cache.byDigest(digest.toLowerCase()) !== undefined,
    flush: () => {
      scripts.flush();
    },
    kill: (isFunction, by) => {
      const { script, hasEnded } = scripts.busy.kill(isFunction);
      if (limit.take(systemClock.wallMs())) logKill(log, script, by);
      return untilEnded(hasEnded);
    },
    figures: async () => (await collectScripts(router)).scripts,
    get running() {
      return scripts.busy.running;
    },
    get libraryCount() {
      return metricsReader.firstShard('libraries');
    },
    get functionCount() {
      return metricsReader.firstShard('functions');
    },
  };
}

function logKill(log: Pick<Logger, 'warn'>, script: RunningScript, by: LogFields): void {
  const { shard, name, isFunction, durationMs } = script;
  const kind = isFunction ? 'function' : 'script';
  const message = `${isFunction ? 'Function' : 'Script'} killed by a client`;
  log.warn(`${kind}-killed`, message, { shard, [kind]: name, ms: durationMs, ...by });
}

/** Between two looks whether a script that is stopped has ended. */
const LOOK_MS = 2;
/** A script that has not ended by then is in the midst of something that cannot be interrupted. */
const END_MS_MAX = 1_000;

async function untilEnded(hasEnded: () => boolean): Promise<boolean> {
  const endMs = systemClock.nowUs() / 1_000 + END_MS_MAX;
  while (!hasEnded()) {
    if (systemClock.nowUs() / 1_000 > endMs) return false;
    await setTimeout(LOOK_MS);
  }
  return true;
}
