export { renderInfo } from './info.ts';
export { allocatorReport, memoryDiagnosis } from './memory-report.ts';
export { memoryStats } from './memory-stats.ts';
export { MetricsReader } from './metrics-reader.ts';
export type { ServerMetrics } from './server-metrics.ts';
