/** Metrics of the ops thread's own work. */

import { metric, type MetricDefinition } from '../definition.ts';

export const opsMetrics: readonly MetricDefinition[] = [
  metric(
    'counter',
    {
      name: 'svc_http_requests_total',
      help: 'HTTP requests, by class of the status code.',
      labels: ['status'],
    },
    'ops thread',
    ({ ops }, samples) => {
      for (const [status, count] of Object.entries(ops.answered)) samples.value(count, status);
    },
  ),
  metric(
    'gauge',
    { name: 'svc_http_connections', help: 'Open HTTP connections.' },
    'ops thread',
    ({ ops }, samples) => {
      samples.value(ops.connections);
    },
  ),
  metric(
    'counter',
    {
      name: 'svc_http_connections_refused_total',
      help: 'HTTP connections closed because of too many connections.',
    },
    'ops thread',
    ({ ops }, samples) => {
      samples.value(ops.connectionsRefused);
    },
  ),
  metric(
    'gauge',
    {
      name: 'svc_scrape_duration_seconds',
      help: 'Duration of the last rendering of the metrics.',
      unit: 'seconds',
    },
    'ops thread',
    ({ ops }, samples) => {
      samples.value(ops.scrapeSeconds);
    },
  ),
  metric(
    'counter',
    {
      name: 'svc_log_lines_dropped_total',
      help: 'Dropped log lines.',
    },
    'ops thread',
    ({ ops }, samples) => {
      samples.value(ops.logLinesDropped);
    },
  ),
];
