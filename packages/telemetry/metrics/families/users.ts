/** Metrics of users. They add up to those of the server; the default user's are the rest. */

import { USER_QUANTITIES } from '#quantities';
import { headOf, reported } from '../quantities.ts';
import { metric, type MetricDefinition } from '../definition.ts';

/** Names of the metrics, each once. */
const NAMES = [...new Set(USER_QUANTITIES.map(({ metric: name }) => name))];

export const userMetrics: readonly MetricDefinition[] = NAMES.map((name) => {
  const rows = USER_QUANTITIES.filter((row) => row.metric === name);
  const first = rows[0]!;
  const head = { ...headOf(first), labels: ['user', ...labelOf(first).slice(0, 1)] };
  return metric(first.kind, head, 'main and shard pages: rows of users', ({ users }, samples) => {
    for (const { user, counts } of users) {
      for (const row of rows) {
        samples.value(reported(row, counts[row.field]), user, ...labelOf(row).slice(1));
      }
    }
  });
});

function labelOf(row: (typeof USER_QUANTITIES)[number]): readonly string[] {
  return 'label' in row ? row.label : [];
}
