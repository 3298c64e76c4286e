/** The metrics as JSON, for the debug API. */

import type { Counts } from '#stats';
import type { MetricJson, MetricSampleJson } from '#api-types';
import { BUCKET_LABELS, cumulativeCounts } from './buckets.ts';
import type { MetricDefinition, MetricSource } from './definition.ts';

export function metricsJson(
  metrics: readonly MetricDefinition[],
  source: MetricSource,
): MetricJson[] {
  return metrics.map((definition) => {
    const { name, kind, unit, help, labels: names } = definition;
    const samples: MetricSampleJson[] = [];
    const labelsOf = (values: readonly string[]): Record<string, string> =>
      Object.fromEntries(names.map((label, index) => [label, values[index]!]));
    definition.read(source, {
      value(value, ...labels) {
        samples.push({ labels: labelsOf(labels), value });
      },
      exemplars() {
        // Traces have a document of their own.
      },
      histogram(counts: Counts, sum, ...labels) {
        const cumulative = cumulativeCounts(counts);
        const buckets = BUCKET_LABELS.map((le, index) => ({ le, count: cumulative[index]! }));
        samples.push({ labels: labelsOf(labels), count: cumulative.at(-1)!, sum, buckets });
      },
    });
    return { name, kind, unit, help, samples };
  });
}
