/**
 * Renders the metrics for Prometheus with prom-client's registry. That registry cannot take existing counts, so the
 * registered objects are our own, whose `get` reads the pages. Label objects are kept: prom-client renders each of them
 * once.
 */

import { Registry, type Metric, type RegistryContentType } from 'prom-client';
import type { Counts } from '#stats';
import { BUCKET_LABELS, cumulativeCounts } from './buckets.ts';
import type { Exemplar } from '../traces/exemplars.ts';
import type { BucketExemplars, MetricDefinition, MetricSource, Samples } from './definition.ts';

export type ExpositionFormat = 'text' | 'openmetrics';

type Labels = Readonly<Record<string, string>>;

interface PromValue {
  readonly value: number;
  readonly metricName?: string;
  readonly sharedLabels: Labels;
  /** Shown in OpenMetrics only. */
  readonly exemplar?: Exemplar;
}

/** One format of one table. */
export class Exposition {
  readonly contentType: string;
  readonly #registry: Registry<RegistryContentType>;
  readonly #take: () => MetricSource;
  /** One reading for all metrics of a scrape. */
  #source: MetricSource | undefined;

  constructor(
    metrics: readonly MetricDefinition[],
    format: ExpositionFormat,
    take: () => MetricSource,
  ) {
    this.#take = take;
    this.contentType =
      format === 'text' ? Registry.PROMETHEUS_CONTENT_TYPE : Registry.OPENMETRICS_CONTENT_TYPE;
    this.#registry = new Registry<RegistryContentType>();
    this.#registry.setContentType(this.contentType as RegistryContentType);
    for (const definition of metrics) this.#register(definition, format);
  }

  async render(): Promise<string> {
    this.#source = this.#take();
    return this.#registry.metrics();
  }

  #register(definition: MetricDefinition, format: ExpositionFormat): void {
    const { kind, help } = definition;
    // OpenMetrics names a counter without its ending, and prom-client puts that after each sample.
    const isBare = format === 'openmetrics' && kind === 'counter';
    const name = isBare ? definition.name.replace(/_total$/, '') : definition.name;
    const series = new PromSeries(name, definition.labels);
    const registered = {
      name,
      help,
      type: kind,
      get: () => {
        series.begin();
        definition.read(this.#source ?? this.#take(), series);
        return { name, help, type: kind, values: series.values };
      },
    };
    this.#registry.registerMetric(registered as unknown as Metric);
  }
}

class PromSeries implements Samples {
  values: PromValue[] = [];
  readonly #name: string;
  readonly #labels: readonly string[];
  readonly #kept = new Map<string, Labels>();
  #exemplars: BucketExemplars;

  constructor(name: string, labels: readonly string[]) {
    this.#name = name;
    this.#labels = labels;
  }

  begin(): void {
    this.values = [];
    this.#exemplars = undefined;
  }

  exemplars(exemplars: BucketExemplars): void {
    this.#exemplars = exemplars;
  }

  value(value: number, ...labels: readonly string[]): void {
    this.values.push({ value, sharedLabels: this.#sharedLabels(labels) });
  }

  histogram(counts: Counts, sumSeconds: number, ...labels: readonly string[]): void {
    const cumulative = cumulativeCounts(counts);
    for (const [index, le] of BUCKET_LABELS.entries()) {
      const value = cumulative[index]!;
      const exemplar = this.#exemplars?.[index];
      const head = { metricName: `${this.#name}_bucket`, value };
      const sharedLabels = this.#sharedLabels(labels, le);
      this.values.push({ ...head, sharedLabels, ...(exemplar === undefined ? {} : { exemplar }) });
    }
    this.#exemplars = undefined;
    this.#part('_sum', sumSeconds, this.#sharedLabels(labels));
    this.#part('_count', cumulative.at(-1)!, this.#sharedLabels(labels));
  }

  #part(ending: string, value: number, sharedLabels: Labels): void {
    this.values.push({ metricName: this.#name + ending, value, sharedLabels });
  }

  #sharedLabels(values: readonly string[], le?: string): Labels {
    const key = values.length === 1 ? `${values[0]!}\n${le ?? ''}` : [...values, le].join('\n');
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const labels: Record<string, string> = {};
    for (const [index, name] of this.#labels.entries()) labels[name] = values[index]!;
    if (le !== undefined) labels['le'] = le;
    this.#kept.set(key, labels);
    return labels;
  }
}
