/** Metrics of scripts and functions. */

import { SCRIPT_QUANTITIES } from '#quantities';
import type { MetricDefinition } from '../definition.ts';
import { metricsOf } from '../quantities.ts';

export const scriptMetrics: readonly MetricDefinition[] = metricsOf(
  ...Object.values(SCRIPT_QUANTITIES),
);
