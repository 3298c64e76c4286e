/** Health and verdict as numbers, as the history keeps them. */

import type { Health } from '#api-types';
import type { Judgement } from '#history';
import { statusDocument } from '#observer';
import type { OpsContext } from '../ops/ops-context.ts';

const LEVELS = { healthy: 0, degraded: 1, unhealthy: 2 } as const satisfies Record<
  Health['status'],
  number
>;

/** Judges the server now, without a request to any thread. */
export function judgementOf(opsContext: OpsContext): Judgement {
  const { observer, live, version, mainRates, shardRates, clock } = opsContext;
  const { health } = statusDocument({
    observer,
    version,
    mainRates,
    shardRates,
    settings: live.status,
    nowUs: clock.nowUs(),
    wallMs: clock.wallMs(),
    clientId: () => null,
  });
  return { health: LEVELS[health.status], limitedBy: 0 };
}
