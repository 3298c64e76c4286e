/** The settings of the status document. */

import type { Settings } from '#config';
import type { StatusSettings } from '#observer';
import { refusesUnsaved } from './save-points.ts';

export function statusSettings(settings: Settings): StatusSettings {
  return {
    maxClients: settings.number('server.max-clients'),
    durabilityMode: settings.string('persistence.durability-mode'),
    memoryLimitBytes: settings.number('memory.maxmemory'),
    evicts: settings.string('memory.maxmemory-policy') !== 'noeviction',
    isTiered: settings.boolean('tiered.enabled'),
    refusesUnsaved: refusesUnsaved(settings),
    refusesUnlogged: settings.string('persistence.wal-failure-policy') === 'readonly',
    snapshotIntervalMs: settings.number('snapshot.interval-secs') * 1_000,
    dataFolder: settings.string('persistence.data-dir'),
    limits: {
      memoryWarningPercent: settings.number('status.memory-warning-percent'),
      connectionWarningPercent: settings.number('status.connection-warning-percent'),
      durabilityLagWarningMs: settings.number('status.durability-lag-warning-ms'),
      durabilityLagCriticalMs: settings.number('status.durability-lag-critical-ms'),
      replicationLagWarningMs: settings.number('status.replication-lag-warning-ms'),
      queueWarningMs: settings.number('status.queue-latency-warning-ms'),
      executionWarningMs: settings.number('status.execution-latency-warning-ms'),
      diskFreeWarningPercent: settings.number('status.disk-free-warning-percent'),
      certificateWarningDays: settings.number('status.certificate-warning-days'),
    },
  };
}
