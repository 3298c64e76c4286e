/** Metrics of exports: traces, and the metrics themselves if they are pushed. */

import { COMMAND_QUANTITIES } from '#quantities';
import { metric, type MetricDefinition } from './definition.ts';
import { metricsOf } from './quantities.ts';

export const exportMetrics: readonly MetricDefinition[] = [
  ...metricsOf(COMMAND_QUANTITIES.traces),
  metric(
    'counter',
    {
      name: 'svc_traces_dropped_total',
      help: 'Dropped traced requests: too many at a time (busy), queue to the collector full (queue), or refused by the collector (collector).',
      labels: ['reason'],
    },
    'main page: tracesDropped; ops thread',
    ({ main, ops: { traces } }, samples) => {
      samples.value(main.get('tracesDropped'), 'busy');
      samples.value(traces.queueDropped, 'queue');
      samples.value(traces.failedTraces, 'collector');
    },
  ),
  metric(
    'counter',
    { name: 'svc_trace_spans_exported_total', help: 'Spans accepted by the collector.' },
    'ops thread',
    ({ ops: { traces } }, samples) => {
      samples.value(traces.exportedSpans);
    },
  ),
  metric(
    'gauge',
    { name: 'svc_trace_queue_traces', help: 'Traces queued for the collector.' },
    'ops thread',
    ({ ops: { traces } }, samples) => {
      samples.value(traces.queued);
    },
  ),
  metric(
    'counter',
    {
      name: 'svc_metrics_pushes_total',
      help: 'Pushes of metrics to a collector, by result.',
      labels: ['result'],
    },
    'ops thread',
    ({ ops: { metricPushes } }, samples) => {
      samples.value(metricPushes.exported, 'taken');
      samples.value(metricPushes.failed, 'failed');
    },
  ),
];
