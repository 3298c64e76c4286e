/** Scripts, as commands on main and the ops thread see them, as a module of main. */

import { setTimeout } from 'node:timers/promises';
import { systemClock } from '#base';
import type { ScriptsPort } from '#commands';
import type { Router } from '#router';
import { collectScripts, scriptsDocument } from '#diagnostics';
import type { MetricsReader } from '#info';
import { type Composed, MainModule } from '#main';

interface ScriptsModuleOptions {
  readonly router: Router;
  readonly metricsReader: MetricsReader;
}

export function scriptsModule(
  options: ScriptsModuleOptions,
): Composed<object, 'scripts', 'scripts'> {
  const module = new MainModule({
    name: 'scripts',
    ports: { scripts: scriptsPort(options) },
    answers: { scripts: (question) => scriptsDocument(options.router, question) },
  });
  return { module, parts: {} };
}

function scriptsPort({ router, metricsReader }: ScriptsModuleOptions): ScriptsPort {
  const { scripts } = router;
  return {
    has: (digest) => scripts.cache.byDigest(digest.toLowerCase()) !== undefined,
    flush: () => {
      scripts.flush();
    },
    kill: (isFunction) => untilEnded(scripts.busy.kill(isFunction)),
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
