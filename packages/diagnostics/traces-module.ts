/** Traces as a module of main. */

import type { Settings } from '#config';
import { type Composed, MainModule, type OpsLink } from '#main';
import type { Router } from '#router';
import type { Page } from '#stats';
import { followTracing, Traces } from './traces.ts';

interface TracesModuleOptions {
  readonly settings: Settings;
  readonly router: Pick<Router, 'tracing'>;
  readonly page: Page;
  readonly ops: OpsLink;
}

export function tracesModule({
  settings,
  router,
  page,
  ops,
}: TracesModuleOptions): Composed<object, 'traces'> {
  followTracing(settings, router.tracing);
  const traces = new Traces(settings, page, ops);
  return { module: new MainModule({ name: 'traces', ports: { traces } }), parts: {} };
}
