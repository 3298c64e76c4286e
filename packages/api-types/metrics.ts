/** The metrics as JSON. */

export type MetricKind = 'counter' | 'gauge' | 'histogram';
export type Unit = 'seconds' | 'bytes' | 'ratio' | '';

export interface MetricJson {
  readonly name: string;
  readonly kind: MetricKind;
  readonly unit: Unit;
  readonly help: string;
  readonly samples: readonly MetricSampleJson[];
}

export interface MetricSampleJson {
  readonly labels: Readonly<Record<string, string>>;
  readonly value?: number;
  readonly count?: number;
  readonly sum?: number;
  /** Cumulative; an object would not keep their order. */
  readonly buckets?: readonly { readonly le: string; readonly count: number }[];
}

export interface MetricsDocument {
  readonly metrics: readonly MetricJson[];
}
