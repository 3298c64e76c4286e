/**
 * The part of OTLP 1.x that tests look at: names, numbers and types of fields as
 * github.com/open-telemetry/opentelemetry-proto gives them (common, resource, trace, metrics, collector).
 */

type Field = readonly [id: number, type: string] | readonly [id: number, type: string, 'repeated'];

interface Message {
  readonly fields: Record<string, { id: number; type: string; rule?: string }>;
  readonly oneofs?: Record<string, { oneof: string[] }>;
}

function message(fields: Readonly<Record<string, Field>>, ...oneof: readonly string[]): Message {
  const entries = Object.entries(fields).map(([name, [id, type, rule]]) => [
    name,
    { id, type, ...(rule === undefined ? {} : { rule }) },
  ]);
  const made = { fields: Object.fromEntries(entries) as Message['fields'] };
  return oneof.length === 0 ? made : { ...made, oneofs: { which: { oneof: [...oneof] } } };
}

const exporting = (request: string): object => ({
  methods: { Export: { requestType: request, responseType: 'Response' } },
});

const KeyValue = 'opentelemetry.proto.common.v1.KeyValue';
const Resource = 'opentelemetry.proto.resource.v1.Resource';
const Scope = 'opentelemetry.proto.common.v1.InstrumentationScope';

const inPackage =
  (...path: readonly string[]) =>
  (nested: object): object =>
    path.reduceRight<object>((inner, name) => ({ nested: { [name]: inner } }), { nested });

const common = {
  AnyValue: message(
    {
      stringValue: [1, 'string'],
      boolValue: [2, 'bool'],
      intValue: [3, 'int64'],
      doubleValue: [4, 'double'],
    },
    ...['stringValue', 'boolValue', 'intValue', 'doubleValue'],
  ),
  KeyValue: message({ key: [1, 'string'], value: [2, 'AnyValue'] }),
  InstrumentationScope: message({ name: [1, 'string'], version: [2, 'string'] }),
};

const trace = {
  ResourceSpans: message({ resource: [1, Resource], scopeSpans: [2, 'ScopeSpans', 'repeated'] }),
  ScopeSpans: message({ scope: [1, Scope], spans: [2, 'Span', 'repeated'] }),
  Status: message({ message: [2, 'string'], code: [3, 'int32'] }),
  Span: message({
    traceId: [1, 'bytes'],
    spanId: [2, 'bytes'],
    parentSpanId: [4, 'bytes'],
    name: [5, 'string'],
    kind: [6, 'int32'],
    startTimeUnixNano: [7, 'fixed64'],
    endTimeUnixNano: [8, 'fixed64'],
    attributes: [9, KeyValue, 'repeated'],
    status: [15, 'Status'],
  }),
};

const metrics = {
  ResourceMetrics: message({
    resource: [1, Resource],
    scopeMetrics: [2, 'ScopeMetrics', 'repeated'],
  }),
  ScopeMetrics: message({ scope: [1, Scope], metrics: [2, 'Metric', 'repeated'] }),
  Metric: message(
    {
      name: [1, 'string'],
      description: [2, 'string'],
      unit: [3, 'string'],
      gauge: [5, 'Gauge'],
      sum: [7, 'Sum'],
      histogram: [9, 'Histogram'],
    },
    ...['gauge', 'sum', 'histogram'],
  ),
  Gauge: message({ dataPoints: [1, 'NumberDataPoint', 'repeated'] }),
  Sum: message({
    dataPoints: [1, 'NumberDataPoint', 'repeated'],
    aggregationTemporality: [2, 'int32'],
    isMonotonic: [3, 'bool'],
  }),
  Histogram: message({
    dataPoints: [1, 'HistogramDataPoint', 'repeated'],
    aggregationTemporality: [2, 'int32'],
  }),
  NumberDataPoint: message({
    attributes: [7, KeyValue, 'repeated'],
    startTimeUnixNano: [2, 'fixed64'],
    timeUnixNano: [3, 'fixed64'],
    asDouble: [4, 'double'],
  }),
  HistogramDataPoint: message({
    attributes: [9, KeyValue, 'repeated'],
    startTimeUnixNano: [2, 'fixed64'],
    timeUnixNano: [3, 'fixed64'],
    count: [4, 'fixed64'],
    sum: [5, 'double'],
    bucketCounts: [6, 'fixed64', 'repeated'],
    explicitBounds: [7, 'double', 'repeated'],
  }),
};

const collector = {
  trace: inPackage('v1')({
    Response: message({}),
    Request: message({
      resourceSpans: [1, 'opentelemetry.proto.trace.v1.ResourceSpans', 'repeated'],
    }),
    TraceService: exporting('Request'),
  }),
  metrics: inPackage('v1')({
    Response: message({}),
    Request: message({
      resourceMetrics: [1, 'opentelemetry.proto.metrics.v1.ResourceMetrics', 'repeated'],
    }),
    MetricsService: exporting('Request'),
  }),
};

/** As protobufjs reads a schema from JSON. */
export const otlpSchema: object = inPackage(
  'opentelemetry',
  'proto',
)({
  common: inPackage('v1')(common),
  resource: inPackage('v1')({
    Resource: message({ attributes: [1, KeyValue, 'repeated'] }),
  }),
  trace: inPackage('v1')(trace),
  metrics: inPackage('v1')(metrics),
  collector: { nested: collector },
});
