/** An OpenTelemetry collector for tests: takes spans and metrics by OTLP over gRPC, and can be slow or refuse. */

import type {
  sendUnaryData,
  Server,
  ServerUnaryCall,
  ServiceClientConstructor,
} from '@grpc/grpc-js';
import { otlpSchema } from './otlp-schema.ts';

type OtlpAttributes = Readonly<Record<string, string | number | boolean>>;

export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a root. */
  readonly parentId: string;
  readonly name: string;
  readonly kind: number;
  /** Nanoseconds since 1970. */
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly attributes: OtlpAttributes;
  /** 0 unset, 1 good, 2 an error. */
  readonly statusCode: number;
  readonly resource: OtlpAttributes;
}

interface OtlpPoint {
  readonly attributes: OtlpAttributes;
  readonly startNs: bigint;
  readonly timeNs: bigint;
  readonly value?: number;
  readonly count?: number;
  readonly sum?: number;
  readonly bucketCounts?: readonly number[];
  readonly bounds?: readonly number[];
}

export interface OtlpMetric {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  readonly kind: 'gauge' | 'sum' | 'histogram';
  /** Temporality of sums and histograms; 2 is cumulative. */
  readonly temporality?: number;
  readonly isMonotonic?: boolean;
  readonly points: readonly OtlpPoint[];
  readonly resource: OtlpAttributes;
}

/** Treatment of what is sent to the collector; `hold` leaves it without an answer. */
export type CollectorMode = 'take' | 'refuse' | 'hold';

export class Collector {
  mode: CollectorMode = 'take';
  readonly spans: OtlpSpan[] = [];
  /** Each push is one list. */
  readonly pushes: OtlpMetric[][] = [];
  /** Number of exports received, regardless of the response. */
  requests = 0;
  readonly port: number;
  readonly #server: Server;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  /** On a free port, or on one that an earlier collector has left. */
  static async start(port = 0): Promise<Collector> {
    // Loading gRPC takes longer than most tests do, which do without.
    const { Server, ServerCredentials } = await import('@grpc/grpc-js');
    const server = new Server({ 'grpc.max_receive_message_length': -1 });
    const chosen = await new Promise<number>((resolve, reject) => {
      const address = `127.0.0.1:${String(port)}`;
      server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) => {
        if (error === null) resolve(bound);
        else reject(error);
      });
    });
    const collector = new Collector(server, chosen);
    await collector.#serve();
    return collector;
  }

  stop(): void {
    this.#server.forceShutdown();
  }

  async #serve(): Promise<void> {
    const { loadPackageDefinition, status } = await import('@grpc/grpc-js');
    const { fromJSON } = await import('@grpc/proto-loader');
    const root = loadPackageDefinition(fromJSON(otlpSchema, { longs: String }));
    const service = (signal: string, name: string): ServiceClientConstructor['service'] =>
      (
        at(root, [
          'opentelemetry',
          'proto',
          'collector',
          signal,
          'v1',
          name,
        ]) as ServiceClientConstructor
      ).service;
    const exporting = (take: (request: unknown) => void): Handlers => ({
      Export: (call, answer) => {
        this.requests += 1;
        if (this.mode === 'hold') return;
        if (this.mode === 'refuse') {
          answer({ code: status.INVALID_ARGUMENT, details: 'refused by the test' });
          return;
        }
        take(call.request);
        answer(null, {});
      },
    });
    this.#server.addService(
      service('trace', 'TraceService'),
      exporting((request) => {
        this.spans.push(...spansOf(request as TraceRequest));
      }),
    );
    this.#server.addService(
      service('metrics', 'MetricsService'),
      exporting((request) => {
        this.pushes.push(metricsOf(request as MetricsRequest));
      }),
    );
  }
}

interface Handlers {
  [name: string]: (call: ServerUnaryCall<unknown, unknown>, answer: sendUnaryData<unknown>) => void;
}

interface RawAttribute {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly boolValue?: boolean;
    readonly intValue?: string;
    readonly doubleValue?: number;
  };
}

interface RawResource {
  readonly resource?: { readonly attributes?: readonly RawAttribute[] };
}

interface RawSpan {
  readonly traceId: Buffer;
  readonly spanId: Buffer;
  readonly parentSpanId?: Buffer;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly RawAttribute[];
  readonly status?: { readonly code?: number };
}

interface TraceRequest {
  readonly resourceSpans?: readonly (RawResource & {
    readonly scopeSpans?: readonly { readonly spans?: readonly RawSpan[] }[];
  })[];
}

interface RawPoint {
  readonly attributes?: readonly RawAttribute[];
  readonly startTimeUnixNano?: string;
  readonly timeUnixNano: string;
  readonly asDouble?: number;
  readonly count?: string;
  readonly sum?: number;
  readonly bucketCounts?: readonly string[];
  readonly explicitBounds?: readonly number[];
}

interface RawData {
  readonly dataPoints?: readonly RawPoint[];
  readonly aggregationTemporality?: number;
  readonly isMonotonic?: boolean;
}

interface RawMetric {
  readonly name: string;
  readonly description?: string;
  readonly unit?: string;
  readonly gauge?: RawData;
  readonly sum?: RawData;
  readonly histogram?: RawData;
}

interface MetricsRequest {
  readonly resourceMetrics?: readonly (RawResource & {
    readonly scopeMetrics?: readonly { readonly metrics?: readonly RawMetric[] }[];
  })[];
}

function at(root: unknown, path: readonly string[]): unknown {
  return path.reduce((inner, name) => (inner as Record<string, unknown>)[name], root);
}

function attributesOf(list: readonly RawAttribute[] = []): OtlpAttributes {
  return Object.fromEntries(
    list.map(({ key, value: { stringValue, boolValue, intValue, doubleValue } }) => [
      key,
      stringValue ?? boolValue ?? (intValue === undefined ? (doubleValue ?? '') : Number(intValue)),
    ]),
  );
}

function spansOf({ resourceSpans = [] }: TraceRequest): OtlpSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans = [] }) =>
    scopeSpans
      .flatMap(({ spans = [] }) => spans)
      .map((span) => ({
        traceId: span.traceId.toString('hex'),
        spanId: span.spanId.toString('hex'),
        parentId: span.parentSpanId?.toString('hex') ?? '',
        name: span.name,
        kind: span.kind,
        statusCode: span.status?.code ?? 0,
        startNs: BigInt(span.startTimeUnixNano),
        endNs: BigInt(span.endTimeUnixNano),
        attributes: attributesOf(span.attributes),
        resource: attributesOf(resource?.attributes),
      })),
  );
}

function metricsOf({ resourceMetrics = [] }: MetricsRequest): OtlpMetric[] {
  return resourceMetrics.flatMap(({ resource, scopeMetrics = [] }) =>
    scopeMetrics
      .flatMap(({ metrics = [] }) => metrics)
      .map((metric) => ({ ...metricOf(metric), resource: attributesOf(resource?.attributes) })),
  );
}

function metricOf(metric: RawMetric): Omit<OtlpMetric, 'resource'> {
  const { name, description = '', unit = '', gauge, sum, histogram } = metric;
  const kind = gauge !== undefined ? 'gauge' : sum !== undefined ? 'sum' : 'histogram';
  const data = gauge ?? sum ?? histogram ?? {};
  const { aggregationTemporality: temporality, isMonotonic } = data;
  return {
    name,
    description,
    unit,
    kind,
    ...(temporality === undefined ? {} : { temporality }),
    ...(isMonotonic === undefined ? {} : { isMonotonic }),
    points: (data.dataPoints ?? []).map((point) => pointOf(point)),
  };
}

function pointOf(point: RawPoint): OtlpPoint {
  const { asDouble, count, sum, bucketCounts, explicitBounds } = point;
  return {
    attributes: attributesOf(point.attributes),
    startNs: BigInt(point.startTimeUnixNano ?? 0),
    timeNs: BigInt(point.timeUnixNano),
    ...(asDouble === undefined ? {} : { value: asDouble }),
    ...(count === undefined ? {} : { count: Number(count), sum: sum ?? 0 }),
    ...(bucketCounts === undefined ? {} : { bucketCounts: bucketCounts.map(Number) }),
    ...(explicitBounds === undefined ? {} : { bounds: explicitBounds }),
  };
}
