/** Modules that report on the server: latency, traces, hot keys, figures. */

import { followTracing, HotKeysSession, LatencyMonitor, Traces } from '#diagnostics';
import { MetricsReader } from '#info';
import type { DataModules } from './data-modules.ts';
import type { Kernel } from './kernel.ts';
import type { Routing } from './routing.ts';

export interface DiagnosticModules {
  readonly latencyMonitor: LatencyMonitor;
  readonly hotKeys: HotKeysSession;
  readonly traces: Traces;
  readonly metricsReader: MetricsReader;
}

export function newDiagnosticModules(parts: Kernel & Routing & DataModules): DiagnosticModules {
  const { settings, clock, router, page, cluster, clients } = parts;
  followTracing(settings, router.tracing);
  const latencyMonitor = new LatencyMonitor({
    ...parts,
    wallMs: () => clock.wallMs(),
    refused: () => parts.access.refused,
  });
  const hotKeys = new HotKeysSession({
    settings,
    ...clock,
    shardCalls: router.shardCalls,
    servesSlot: (slot) => cluster?.servesSlot(slot) === true,
  });
  const metricsReader = new MetricsReader({
    ...parts,
    sweepClients: () => {
      clients.memory.sweep();
    },
  });
  parts.modules.add(
    {
      tick: () => {
        latencyMonitor.look(clock.nowUs());
      },
      worked: () => {
        latencyMonitor.worked();
      },
      start: () => {
        latencyMonitor.start();
      },
      stop: () => {
        latencyMonitor.stop();
      },
    },
    {
      tick: () => {
        metricsReader.sample(clock.nowUs());
      },
    },
  );
  return { latencyMonitor, hotKeys, traces: new Traces(settings, page, parts.ops), metricsReader };
}
