/** Metrics of commands: how many, how they ended, how long they took. */

import { COMMAND_QUANTITIES } from '#quantities';
import {
  bandCounts,
  bandLabels,
  Bands,
  type CommandField,
  type Counts,
  errorCounts,
  HISTOGRAM_BUCKETS,
  mergeExecutions,
  type Page,
  TICKS_PER_US,
} from '#stats';
import { metric, sumOf, type MetricDefinition, type MetricSource } from '../definition.ts';
import { metricsOf } from '../quantities.ts';

const TICKS_PER_SECOND = TICKS_PER_US * 1_000_000;

export const pagesOf = ({ main, shards }: MetricSource): readonly Page[] => [main, ...shards];

/** Calls `take` with the sum over all pages of a field, for each command that was called. */
export function eachCommand(
  source: MetricSource,
  field: keyof typeof CommandField,
  take: (name: string, count: number, id: number) => void,
): void {
  const pages = pagesOf(source);
  for (const [id, name] of source.commandNames.entries()) {
    const calls = sumOf(pages, (page) => page.command(id, 'calls') + page.command(id, 'rejected'));
    if (calls > 0)
      take(
        name,
        sumOf(pages, (page) => page.command(id, field)),
        id,
      );
  }
}

/** Seconds that a command's executions have taken. */
export const secondsOf = (ticks: number): number => ticks / TICKS_PER_SECOND;

function perCommand(
  name: string,
  help: string,
  field: keyof typeof CommandField,
): MetricDefinition {
  const head = { name, help, labels: ['command'] };
  return metric('counter', head, `all pages: ${field} of each command`, (source, samples) => {
    eachCommand(source, field, (command, count) => {
      samples.value(count, command);
    });
  });
}

const merged: Counts = new Float64Array(HISTOGRAM_BUCKETS);

const duration = metric(
  'histogram',
  {
    name: 'svc_commands_duration_seconds',
    help: 'Execution time of commands, without waits in queues or for the disk.',
    unit: 'seconds',
    labels: ['command'],
  },
  'all pages: histogram of each command',
  (source, samples) => {
    if (!source.settings.tracksLatency) return;
    eachCommand(source, 'ticks', (command, ticks, id) => {
      mergeExecutions(pagesOf(source), id, merged);
      samples.exemplars(source.exemplarsOf(id));
      samples.histogram(merged, secondsOf(ticks), command);
    });
  },
);

const bandRequests = metric(
  'gauge',
  {
    name: 'svc_latency_band_requests_total',
    help: 'Requests by upper bound of their time in the server, cumulative, and those over the last band; a gauge, not usable with rate().',
    labels: ['le'],
  },
  'all pages: bands',
  ({ shards, main, settings }, samples) => {
    const bands = new Bands(settings.bands.isEnabled, settings.bands.thresholdsMs);
    if (!bands.enabled) return;
    const counts = bandCounts(bands, main.get('bandsGeneration'), [main, ...shards]);
    for (const [index, label] of bandLabels(bands).entries()) {
      // The sum of all is not a band.
      if (label !== 'total') samples.value(counts[index]!, label);
    }
  },
);

const errors = metric(
  'counter',
  { name: 'svc_errors_total', help: 'Error replies, by error code.', labels: ['code'] },
  'all pages: errors by code',
  (source, samples) => {
    for (const [code, count] of errorCounts(pagesOf(source))) samples.value(count, code);
  },
);

export const commandMetrics: readonly MetricDefinition[] = [
  perCommand('svc_commands_total', 'Executed commands.', 'calls'),
  perCommand('svc_commands_failed_total', 'Commands that ended with an error.', 'failed'),
  perCommand('svc_commands_rejected_total', 'Commands refused before execution.', 'rejected'),
  duration,
  bandRequests,
  errors,
  ...metricsOf(
    COMMAND_QUANTITIES.processed,
    COMMAND_QUANTITIES.slow,
    COMMAND_QUANTITIES.reports,
    COMMAND_QUANTITIES.scatter,
  ),
  metric(
    'histogram',
    {
      name: 'svc_scatter_gather_duration_seconds',
      help: 'Time from sending a command split over shards to its last partial reply.',
      unit: 'seconds',
    },
    'main page: histogram of scatter-gather',
    ({ main }, samples) => {
      samples.histogram(main.scatterHistogram, main.get('scatterUs') / 1e6);
    },
  ),
  ...metricsOf(COMMAND_QUANTITIES.barriers, COMMAND_QUANTITIES.lending),
];
