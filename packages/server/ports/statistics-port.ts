/** CONFIG RESETSTAT: resets the counters of every thread. */

import type { StatisticsPort } from '#commands';
import { resetStatisticsCall } from '#stats';
import type { Router } from '#router';
import type { Access } from '#access';
import type { OpsLink, ServerMemory } from '#main';

export interface StatisticsOptions {
  readonly serverMemory: ServerMemory;
  readonly ops: OpsLink;
  readonly router: Router;
  readonly access: Access;
}

export function statisticsPort({
  serverMemory,
  ops,
  router,
  access,
}: StatisticsOptions): StatisticsPort {
  return {
    async reset() {
      const { mainPage, usedBytes } = serverMemory;
      // Bytes of before would be some user's afterwards.
      access.count();
      mainPage.resetStatistics();
      mainPage.set('peakBytes', usedBytes);
      // A server whose ops thread has died serves on.
      const answered = ops.ask('reset-statistics').catch(() => null);
      await Promise.all([router.shardCalls.ask(resetStatisticsCall, null), answered]);
    },
  };
}
