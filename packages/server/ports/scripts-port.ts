/** Scripts, as commands on main see them. */

import type { ScriptsPort } from '#commands';
import type { Router } from '#router';
import { collectScripts } from '../diagnostics/script-reports.ts';
import type { MetricsReader } from '../info/metrics-reader.ts';

interface ScriptsPortOptions {
  readonly router: Router;
  readonly metricsReader: MetricsReader;
}

export function scriptsPort({ router, metricsReader }: ScriptsPortOptions): ScriptsPort {
  const { scripts } = router;
  return {
    has: (digest) => scripts.cache.byDigest(digest.toLowerCase()) !== undefined,
    flush: () => {
      scripts.flush();
    },
    kill: (isFunction) => {
      scripts.busy.kill(isFunction);
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
