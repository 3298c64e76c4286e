/** Metrics that modules of main contribute, as definitions. */

import type { ModuleMetric } from '#link';
import { metric, type MetricDefinition } from './definition.ts';

export function moduleMetrics(metrics: readonly ModuleMetric[]): MetricDefinition[] {
  return metrics.map(({ label, values, kind, ...rest }) => {
    const head = { ...rest, labels: label === undefined ? [] : [label.name] };
    return metric(kind, head, 'a module of main', (_source, samples) => {
      for (const [index, value] of values.entries()) {
        samples.value(value, ...(label?.values.slice(index, index + 1) ?? []));
      }
    });
  });
}
