/** The table of metrics as OTLP has it: the same names and meanings as /metrics, at one moment. */

import { ValueType, type HrTime } from '@opentelemetry/api';
import {
  AggregationTemporality,
  DataPointType,
  type DataPoint,
  type Histogram,
  type MetricData,
} from '@opentelemetry/sdk-metrics';
import type { MetricJson, MetricSampleJson, Unit } from '#api-types';
import { BUCKET_SECONDS } from '../metrics/buckets.ts';
import type { MetricDefinition, MetricSource } from '../metrics/definition.ts';
import { metricsJson } from '../metrics/metrics-json.ts';

/** Units as UCUM writes them. */
const UNITS: Readonly<Record<Unit, string>> = { seconds: 's', bytes: 'By', ratio: '1', '': '' };

interface Since {
  total: number;
  /** Unix milliseconds. */
  startMs: number;
}

/** Makes OTLP's form of readings that follow each other. */
export class MetricReadings {
  readonly #definitions: readonly MetricDefinition[];
  /** Value of each sum, and the start of its interval: a counter that was reset starts over. */
  readonly #since = new Map<string, Since>();
  readonly #startMs: number;
  #lastMs: number;

  /** `startMs`: since when everything is counted, in unix milliseconds. */
  constructor(definitions: readonly MetricDefinition[], startMs: number) {
    this.#definitions = definitions;
    this.#startMs = startMs;
    this.#lastMs = startMs;
  }

  read(source: MetricSource): MetricData[] {
    const nowMs = source.wallMs;
    const data = metricsJson(this.#definitions, source)
      .filter(({ samples }) => samples.length > 0)
      .map((metric) => this.#dataOf(metric, nowMs));
    this.#lastMs = nowMs;
    return data;
  }

  #dataOf(metric: MetricJson, nowMs: number): MetricData {
    const { name, kind, unit, help, samples } = metric;
    const head = {
      descriptor: { name, description: help, unit: UNITS[unit], valueType: ValueType.DOUBLE },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
    };
    const point = <T>(sample: MetricSampleJson, total: number, value: T): DataPoint<T> => ({
      startTime: timeOf(kind === 'gauge' ? nowMs : this.#startOf(name, sample, total)),
      endTime: timeOf(nowMs),
      attributes: sample.labels,
      value,
    });
    if (kind === 'histogram') {
      const dataPoints = samples.map((sample) =>
        point(sample, sample.count ?? 0, histogramOf(sample)),
      );
      return { ...head, dataPointType: DataPointType.HISTOGRAM, dataPoints };
    }
    const dataPoints = samples.map((sample) => point(sample, sample.value ?? 0, sample.value ?? 0));
    if (kind === 'gauge') return { ...head, dataPointType: DataPointType.GAUGE, dataPoints };
    return { ...head, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
  }

  #startOf(name: string, { labels }: MetricSampleJson, total: number): number {
    const key = [name, ...Object.values(labels)].join('\n');
    const since = this.#since.get(key);
    if (since === undefined) {
      this.#since.set(key, { total, startMs: this.#startMs });
      return this.#startMs;
    }
    if (total < since.total) since.startMs = this.#lastMs;
    since.total = total;
    return since.startMs;
  }
}

function histogramOf({ buckets = [], count = 0, sum = 0 }: MetricSampleJson): Histogram {
  let below = 0;
  const counts = buckets.map((bucket) => {
    const within = bucket.count - below;
    below = bucket.count;
    return within;
  });
  return { buckets: { boundaries: [...BUCKET_SECONDS], counts }, count, sum };
}

function timeOf(unixMs: number): HrTime {
  const seconds = Math.floor(unixMs / 1_000);
  return [seconds, Math.round((unixMs - seconds * 1_000) * 1e6)];
}
