/**
 * Turns planned traces into spans of the OpenTelemetry SDK, and sends them by OTLP over gRPC.
 *
 * Loaded with the first trace that is to be sent: the SDK and gRPC take 0.2 s and some 20 MB.
 */

import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type HrTime,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import {
  AlwaysOnSampler,
  NodeTracerProvider,
  type IdGenerator,
  type ReadableSpan,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import type { PlannedSpan, PlannedTrace } from '../traces/spans.ts';
import { EXPORT_MS_MAX, exportTo } from './exporting.ts';
import { serviceResource, type ServiceIdentity } from './resource.ts';

export class SpanSender {
  readonly #exporter: OTLPTraceExporter;
  readonly #tracer: Tracer;
  readonly #ids = new GivenIds();
  readonly #spans = new EndedSpans();

  constructor(endpoint: string, identity: ServiceIdentity) {
    this.#exporter = new OTLPTraceExporter({ url: endpoint, timeoutMillis: EXPORT_MS_MAX });
    const provider = new NodeTracerProvider({
      resource: serviceResource(identity),
      // What comes here was sampled long ago.
      sampler: new AlwaysOnSampler(),
      idGenerator: this.#ids,
      spanProcessors: [this.#spans],
    });
    this.#tracer = provider.getTracer('svc', identity.version);
  }

  /** Rejects with the reason when the collector has not taken them; returns how many spans there were. */
  async send(traces: readonly PlannedTrace[]): Promise<number> {
    for (const planned of traces) this.#make(planned);
    const spans = this.#spans.take();
    await exportTo(this.#exporter, spans);
    return spans.length;
  }

  async close(): Promise<void> {
    await this.#exporter.shutdown();
  }

  #make({ id, isRemote, spans }: PlannedTrace): void {
    for (const [index, span] of spans.entries()) {
      const made = this.#tracer.startSpan(
        span.name,
        {
          kind: index === 0 ? SpanKind.SERVER : SpanKind.INTERNAL,
          startTime: timeOf(span.startUs),
          attributes: span.attributes,
        },
        this.#contextOf(id, span, isRemote && index === 0),
      );
      if (span.error !== null) made.setStatus({ code: SpanStatusCode.ERROR, message: span.error });
      made.end(timeOf(span.endUs));
    }
  }

  #contextOf(traceId: string, { id, parentId }: PlannedSpan, isRemote: boolean): Context {
    this.#ids.traceId = traceId;
    this.#ids.spanId = id;
    if (parentId === null) return ROOT_CONTEXT;
    const parent = { traceId, spanId: parentId, traceFlags: TraceFlags.SAMPLED, isRemote };
    return trace.setSpanContext(ROOT_CONTEXT, parent);
  }
}

/** Gives the SDK the ids that were chosen when the request was taken up. */
class GivenIds implements IdGenerator {
  traceId = '';
  spanId = '';

  generateTraceId(): string {
    return this.traceId;
  }

  generateSpanId(): string {
    return this.spanId;
  }
}

class EndedSpans implements SpanProcessor {
  #spans: ReadableSpan[] = [];

  take(): ReadableSpan[] {
    const spans = this.#spans;
    this.#spans = [];
    return spans;
  }

  onStart(): void {
    // Nothing is known yet that would be kept.
  }

  onEnd(span: ReadableSpan): void {
    this.#spans.push(span);
  }

  forceFlush(): Promise<void> {
    return Promise.resolve();
  }

  shutdown(): Promise<void> {
    return Promise.resolve();
  }
}

/** Seconds and nanoseconds: unix microseconds in a double are exact to an eighth. */
function timeOf(unixUs: number): HrTime {
  const seconds = Math.floor(unixUs / 1e6);
  return [seconds, Math.round((unixUs - seconds * 1e6) * 1e3)];
}
