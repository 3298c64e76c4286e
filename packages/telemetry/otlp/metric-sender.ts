/** Sends readings of the metrics by OTLP over gRPC. Loaded only where that is wanted: gRPC is large. */

import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-grpc';
import type { Resource } from '@opentelemetry/resources';
import type { MetricDefinition, MetricSource } from '../metrics/definition.ts';
import { EXPORT_MS_MAX, exportTo } from './exporting.ts';
import { MetricReadings } from './metric-readings.ts';
import { serviceResource, type ServiceIdentity } from './resource.ts';

interface MetricSenderOptions {
  readonly endpoint: string;
  readonly identity: ServiceIdentity;
  readonly definitions: readonly MetricDefinition[];
  /** Since when everything is counted, in unix milliseconds. */
  readonly startMs: number;
}

export class MetricSender {
  readonly #exporter: OTLPMetricExporter;
  readonly #resource: Resource;
  readonly #readings: MetricReadings;
  readonly #scope: { readonly name: string; readonly version: string };

  constructor({ endpoint, identity, definitions, startMs }: MetricSenderOptions) {
    this.#exporter = new OTLPMetricExporter({ url: endpoint, timeoutMillis: EXPORT_MS_MAX });
    this.#resource = serviceResource(identity);
    this.#scope = { name: 'svc', version: identity.version };
    this.#readings = new MetricReadings(definitions, startMs);
  }

  /** Rejects with the reason when the collector has not taken it. */
  async send(source: MetricSource): Promise<void> {
    const scopeMetrics = [{ scope: this.#scope, metrics: this.#readings.read(source) }];
    await exportTo(this.#exporter, { resource: this.#resource, scopeMetrics });
  }

  async close(): Promise<void> {
    await this.#exporter.shutdown();
  }
}
