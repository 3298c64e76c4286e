/** Health and verdict as numbers, as the history keeps them. */

import type { Health, LimitCause } from '#api-types';
import type { Judgement } from '#history';
import { healthNow } from '#observer';
import type { OpsContext } from '../../ops/ops-context.ts';

const LEVELS = { healthy: 0, degraded: 1, unhealthy: 2 } as const satisfies Record<
  Health['status'],
  number
>;

/** Bit of each cause. Files have these numbers: a cause keeps its own, and a new one gets the next. */
const CAUSE_BITS: Readonly<Record<LimitCause, number>> = {
  machine: 0,
  main: 1,
  front: 2,
  shard: 3,
  key: 4,
  command: 5,
  client: 6,
  garbage: 7,
  disk: 8,
  memory: 9,
  network: 10,
  replication: 11,
  barrier: 12,
  tier: 13,
};

/** Names of causes, in the order of their bits. */
export const CAUSE_NAMES = Object.entries(CAUSE_BITS)
  .sort(([, a], [, b]) => a - b)
  .map(([cause]) => cause);

/** Judges the server now, without a request to any thread. */
export function judgementOf(opsContext: OpsContext): Judgement {
  const { clock, healthOptions } = opsContext;
  const { status, limited_by: limits } = healthNow({
    ...healthOptions,
    nowUs: clock.nowUs(),
    wallMs: clock.wallMs(),
  });
  const limitedBy = limits.reduce((bits, { cause }) => bits | (1 << CAUSE_BITS[cause]), 0);
  return { health: LEVELS[status], limitedBy };
}
