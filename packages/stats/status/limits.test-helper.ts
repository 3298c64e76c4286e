/** Limits of health, for tests. */
import type { HealthLimits } from './vitals.ts';

export const limits: HealthLimits = {
  memoryWarningPercent: 90,
  connectionWarningPercent: 80,
  durabilityLagWarningMs: 5_000,
  durabilityLagCriticalMs: 30_000,
  replicationLagWarningMs: 10_000,
  queueWarningMs: 500,
  executionWarningMs: 500,
  diskFreeWarningPercent: 3,
  certificateWarningDays: 14,
};
