/** Memory of the process for MEMORY, and MEMORY PURGE. */

import { type MemoryMap, readMemoryMap } from '#base';
import type { MemoryPort } from '#commands';
import { PURGE } from '#stats';
import type { Router } from '#router';
import type { OpsLink } from '#main';
import { allocatorReport, memoryDiagnosis } from './memory-report.ts';
import { memoryStats } from './memory-stats.ts';
import type { MetricsReader } from './metrics-reader.ts';
import type { ServerMetrics } from './server-metrics.ts';

export interface MemoryPortOptions {
  readonly measure: () => ServerMetrics;
  readonly metricsReader: MetricsReader;
  readonly ops: OpsLink;
  readonly router: Router;
  readonly persistence: { purge(): Promise<void> };
}

export function memoryPort(options: MemoryPortOptions): MemoryPort {
  const { measure, metricsReader, ops, router, persistence } = options;
  return {
    stats: () => memoryStats(measure(), readMemoryMap(metricsReader.linkBytes)),
    statsLater: async () => {
      // A server whose ops thread has died serves on.
      const map = await ops.ask('memory-map').catch(() => null);
      return memoryStats(measure(), (map as MemoryMap | null) ?? undefined);
    },
    latencyMonitor: () => memoryDiagnosis(measure()),
    allocator: () => allocatorReport(measure()),
    purge: async () => {
      await router.shardCalls.ask(PURGE, null);
      metricsReader.memory.purge();
      await persistence.purge();
      // What the threads have dropped is malloc's by then.
      await ops.purge();
    },
  };
}
