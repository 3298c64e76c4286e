/**
 * Metric that a module of main contributes. Its values are in shared memory: main writes them, and the ops thread reads them
 * without asking main, which may be busy.
 */

const VALUE_BYTES = Float64Array.BYTES_PER_ELEMENT;

/** Name and meaning of a module's metric. */
interface ModuleMetricHead {
  readonly kind: 'counter' | 'gauge';
  readonly name: string;
  /** One sentence. */
  readonly help: string;
  readonly unit?: 'seconds' | 'bytes' | 'ratio';
  /** Name of the label and its values; a metric without has one value. */
  readonly label?: { readonly name: string; readonly values: readonly string[] };
}

export interface ModuleMetric extends ModuleMetricHead {
  /** One for each value of the label, in their order. */
  readonly values: Float64Array;
}

/** Makes a metric of which all values are 0. */
export function moduleMetric(head: ModuleMetricHead): ModuleMetric {
  const count = head.label?.values.length ?? 1;
  return { ...head, values: new Float64Array(new SharedArrayBuffer(count * VALUE_BYTES)) };
}
