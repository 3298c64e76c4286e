export { LogWriter, type LogWriterOptions } from './log-writer.ts';
export type { MetricDefinition, MetricSource } from './metrics/definition.ts';
export { Exposition, type ExpositionFormat } from './metrics/exposition.ts';
export { metricsJson } from './metrics/metrics-json.ts';
export { metricsReference } from './metrics/reference.ts';
export { metrics, redisMetrics } from './metrics/table.ts';
export { MetricsPush } from './otlp/metrics-push.ts';
export { type ServiceIdentity } from './otlp/resource.ts';
export { TraceStore, type TraceFigures, type TraceSettings } from './traces/trace-store.ts';
