/** Metrics of the ops thread's own work. */

import { metric, type MetricDefinition } from '../definition.ts';

export const opsMetrics: readonly MetricDefinition[] = [
  metric(
    'counter',
    {
      name: 'svc_http_requests_total',
      help: 'HTTP requests answered, by the class of their status.',
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
      help: 'HTTP connections closed because there were too many.',
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
      help: 'Time that the last rendering of the metrics took.',
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
      help: 'Log lines lost because nobody read them in time.',
    },
    'ops thread',
    ({ ops }, samples) => {
      samples.value(ops.logLinesDropped);
    },
  ),
];
