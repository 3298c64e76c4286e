export { infoModule } from './info-module.ts';
export type { MetricsReader } from './metrics-reader.ts';
