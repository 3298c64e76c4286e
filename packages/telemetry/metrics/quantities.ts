/** Metrics of the table of quantities: values that stand on pages, or among the figures of logs, as they are. */

import type { LogQuantity, PageQuantity, Quantity } from '#quantities';
import { type LogFigure, type Page, readQuantity } from '#stats';
import { metric, type Head, type MetricDefinition, type MetricSource } from './definition.ts';

const US_PER_SECOND = 1_000_000;

type Meaning = Pick<Quantity, 'metric' | 'help' | 'unit'>;

/** Name and meaning of a metric as its row has them. */
export function headOf({ metric: name = '', help = '', unit }: Meaning): Head {
  return { name, help, unit: unit === 'us' ? 'seconds' : (unit ?? '') };
}

/** Returns the value of a page in the unit of metrics. */
export function reported({ unit }: Meaning, value: number): number {
  return unit === 'us' ? value / US_PER_SECOND : value;
}

/** Metrics of rows that have one, but for those by shard or by thread. */
export function metricsOf(...lists: readonly (readonly PageQuantity[])[]): MetricDefinition[] {
  return definitions(lists, ({ by, perShard }) => by !== 'each' && perShard !== true, {
    labels: [],
    source: (counters, { by }) =>
      by === 'shards'
        ? `shard pages: ${counters}, summed`
        : `${by} page${by === 'all' ? 's' : ''}: ${counters}`,
    samples: ({ main, shards }) => [[[], (row) => readQuantity(row, main, shards)]],
  });
}

/** Metrics of rows that have one by shard. */
export function shardMetricsOf(...lists: readonly (readonly PageQuantity[])[]): MetricDefinition[] {
  return definitions(lists, ({ perShard }) => perShard === true, {
    labels: ['shard'],
    source: (counters) => `shard page: ${counters}`,
    samples: ({ shards }) => shards.map((page, index) => [[String(index)], onPage(page)]),
  });
}

/** Metrics of rows that have one by thread. */
export function threadMetricsOf(
  ...lists: readonly (readonly PageQuantity[])[]
): MetricDefinition[] {
  return definitions(lists, ({ by }) => by === 'each', {
    labels: ['thread'],
    source: (counters) => `page of each thread: ${counters}`,
    samples: ({ threads }) => threads.map(([thread, page]) => [[thread], onPage(page)]),
  });
}

/** Metrics of rows that only front threads have. */
export function frontMetricsOf(...lists: readonly (readonly PageQuantity[])[]): MetricDefinition[] {
  return definitions(lists, ({ by }) => by === 'each', {
    labels: ['thread'],
    source: (counters) => `page of each front thread: ${counters}`,
    samples: ({ fronts }) => fronts.map(([thread, page]) => [[thread], onPage(page)]),
  });
}

/** Returns metrics of rows without a definition: so new lists of the table are reported as well. */
export function restOf(
  known: readonly MetricDefinition[],
  rows: readonly PageQuantity[],
): readonly MetricDefinition[] {
  const names = new Set(known.map(({ name }) => name));
  const rest = rows.filter(({ metric: name }) => name !== undefined && !names.has(name));
  return [...metricsOf(rest), ...shardMetricsOf(rest), ...threadMetricsOf(rest)];
}

/** Metrics of figures of each shard's log, where there are logs. */
export function logMetricsOf(
  rows: readonly (LogQuantity & { readonly figure: LogFigure })[],
): MetricDefinition[] {
  return rows
    .filter(({ metric: name }) => name !== undefined)
    .map((row) => {
      const head = { ...headOf(row), labels: ['shard'] };
      return metric(
        row.kind,
        head,
        `log figures: ${row.figure}`,
        ({ logs, durability }, samples) => {
          if (!durability.isEnabled) return;
          for (const [shard, log] of logs.entries())
            samples.value(reported(row, log.get(row.figure)), String(shard));
        },
      );
    });
}

type Reader = (row: PageQuantity) => number;

const onPage =
  (page: Page): Reader =>
  ({ counter }) =>
    page.get(counter);

interface Form {
  /** Labels before those of the rows. */
  readonly labels: readonly string[];
  readonly source: (counters: string, row: PageQuantity) => string;
  /** Values of those labels, and how a row is read then. */
  readonly samples: (source: MetricSource) => readonly (readonly [readonly string[], Reader])[];
}

/** Rows with the same metric are samples of it. */
function definitions(
  lists: readonly (readonly PageQuantity[])[],
  isWanted: (row: PageQuantity) => boolean,
  { labels, source, samples: samplesOf }: Form,
): MetricDefinition[] {
  const byName = new Map<string, PageQuantity[]>();
  for (const row of lists.flat().filter(isWanted)) {
    if (row.metric === undefined) continue;
    const others = byName.get(row.metric);
    if (others === undefined) byName.set(row.metric, [row]);
    else others.push(row);
  }
  return [...byName.values()].map((rows) => {
    const first = rows[0]!;
    const head = { ...headOf(first), labels: [...labels, ...(first.label?.slice(0, 1) ?? [])] };
    const counters = rows.map(({ counter }) => counter).join(', ');
    return metric(first.kind, head, source(counters, first), (from, samples) => {
      for (const [values, read] of samplesOf(from)) {
        for (const row of rows) {
          samples.value(reported(row, read(row)), ...values, ...(row.label?.slice(1) ?? []));
        }
      }
    });
  });
}
