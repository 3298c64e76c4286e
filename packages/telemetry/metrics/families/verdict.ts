/** Metrics of health and of what limits the server. */

import { CAUSES, HEALTH_CODES } from '#stats';
import { metric, type MetricDefinition } from '../definition.ts';

const SECONDS_PER_US = 1e-6;
const MS_PER_SECOND = 1_000;

export const verdictMetrics: readonly MetricDefinition[] = [
  metric(
    'gauge',
    {
      name: 'svc_limited_by',
      help: '1 while the server is limited by this cause.',
      labels: ['cause'],
    },
    'verdict of the ops thread',
    ({ health }, samples) => {
      const causes = new Set<string>(health.limited_by.map(({ cause }) => cause));
      for (const cause of Object.keys(CAUSES)) samples.value(Number(causes.has(cause)), cause);
    },
  ),
  metric(
    'gauge',
    { name: 'svc_health', help: '1 while health has an issue of this code.', labels: ['code'] },
    'pages of all threads; verdict of the ops thread',
    ({ health }, samples) => {
      const codes = new Set(health.issues.map(({ code }) => code));
      for (const code of HEALTH_CODES) samples.value(Number(codes.has(code)), code);
    },
  ),
  metric(
    'counter',
    {
      name: 'svc_thread_run_queue_seconds_total',
      help: 'Time for which each thread was runnable but had no processor.',
      unit: 'seconds',
      labels: ['thread'],
    },
    '/proc/self/task/*/schedstat',
    ({ verdict }, samples) => {
      for (const [thread, { waitUs }] of verdict.threadTimes) {
        samples.value(waitUs * SECONDS_PER_US, thread);
      }
    },
  ),
  metric(
    'counter',
    {
      name: 'svc_thread_stalled_seconds_total',
      help: 'Time for which each thread was stuck: in one command, or without a sign of life.',
      unit: 'seconds',
      labels: ['thread'],
    },
    'ops thread',
    ({ threads, verdict }, samples) => {
      for (const [thread] of threads) {
        samples.value((verdict.stalledUs.get(thread) ?? 0) * SECONDS_PER_US, thread);
      }
    },
  ),
  metric(
    'gauge',
    {
      name: 'svc_data_disk_free_bytes',
      help: 'Free bytes on the disk of the data folder; only with persistence.',
      unit: 'bytes',
    },
    'statfs of persistence.data-dir',
    ({ verdict: { room } }, samples) => {
      if (room !== undefined) samples.value(room.freeBytes);
    },
  ),
  metric(
    'gauge',
    {
      name: 'svc_data_disk_free_ratio',
      help: 'Free share of the disk of the data folder; only with persistence.',
    },
    'statfs of persistence.data-dir',
    ({ verdict: { room } }, samples) => {
      if (room !== undefined) samples.value(room.freeShare);
    },
  ),
  metric(
    'gauge',
    {
      name: 'svc_tls_certificate_end_timestamp_seconds',
      help: 'Unix time at which the TLS certificate of client connections expires; only with TLS.',
      unit: 'seconds',
    },
    'main page: tlsCertificateEndMs',
    ({ main }, samples) => {
      const endMs = main.get('tlsCertificateEndMs');
      if (endMs > 0) samples.value(endMs / MS_PER_SECOND);
    },
  ),
];
