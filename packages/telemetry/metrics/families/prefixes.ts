/** Metrics of keys by configured prefix. The label of the keys with none of the prefixes is empty. */

import { type PrefixReport, prefixReports } from '#stats';
import type { Unit } from '#api-types';
import { metric, type MetricDefinition, type MetricSource } from '../definition.ts';

const reportsOf = ({ settings, shards }: MetricSource): readonly PrefixReport[] =>
  prefixReports(settings.prefixes, shards);

function perPrefix(
  kind: 'counter' | 'gauge',
  head: { readonly name: string; readonly help: string; readonly unit?: Unit },
  field: Exclude<keyof PrefixReport, 'prefix'>,
): MetricDefinition {
  const labelled = { ...head, labels: ['prefix'] };
  return metric(kind, labelled, `shard pages: ${field} of each prefix`, (source, samples) => {
    for (const report of reportsOf(source)) {
      const value = report[field];
      if (value !== null) samples.value(value, report.prefix);
    }
  });
}

export const prefixMetrics: readonly MetricDefinition[] = [
  perPrefix(
    'counter',
    { name: 'svc_prefix_ops_total', help: 'Keys named by commands, by prefix.' },
    'ops',
  ),
  perPrefix(
    'counter',
    { name: 'svc_prefix_hits_total', help: 'Key look-ups that found their key, by prefix.' },
    'hits',
  ),
  perPrefix(
    'counter',
    { name: 'svc_prefix_misses_total', help: 'Key look-ups that found no key, by prefix.' },
    'misses',
  ),
  perPrefix(
    'counter',
    {
      name: 'svc_prefix_input_bytes_total',
      help: 'Requests with keys, by prefix.',
      unit: 'bytes',
    },
    'inputBytes',
  ),
  perPrefix(
    'counter',
    {
      name: 'svc_prefix_output_bytes_total',
      help: 'Replies to commands with keys, by prefix.',
      unit: 'bytes',
    },
    'outputBytes',
  ),
  perPrefix(
    'gauge',
    { name: 'svc_prefix_keys', help: 'Keys by prefix, as of the last scan of the keyspace.' },
    'keys',
  ),
  perPrefix(
    'gauge',
    {
      name: 'svc_prefix_memory_bytes',
      help: 'Memory of keys by prefix, as of the last scan of the keyspace.',
      unit: 'bytes',
    },
    'memoryBytes',
  ),
];
