import { KEY_PREFIX_BYTES_MAX, KEY_PREFIXES_MAX } from '#base';
import { address, collectorUrl, float, integer, LONG_MAX, text, yesOrNo } from '../kinds.ts';
import { distinctWords, floats, hostNames, risingIntegers } from '../list-kinds.ts';
import { rows } from '../setting.ts';

const percent = integer({ least: 1, most: 100, unit: 'percent' });
const milliseconds = integer({ most: LONG_MAX, unit: 'milliseconds' });
const count = integer({ most: LONG_MAX });
const collector = 'http://localhost:4317';

/** Settings of what is measured, and how it is shown. */
export const diagnosticsSettings = rows({
  'slowlog.log-slower-than': {
    kind: integer({ least: -1, most: LONG_MAX, unit: 'microseconds' }),
    default: 10_000,
    effect: 'live',
    meaning: 'Commands that run at least this long are logged; 0 logs all, -1 none.',
  },
  'slowlog.max-len': {
    kind: count,
    default: 128,
    effect: 'live',
    meaning: 'Entries kept, over all shards.',
  },
  'slowlog.max-arg-len': {
    kind: integer(),
    default: 128,
    effect: 'live',
    meaning: 'Bytes kept of one argument of a logged command.',
  },
  'keyfate.max-len': {
    kind: integer({ most: 100_000 }),
    default: 128,
    effect: 'live',
    meaning: 'Removed keys that are remembered, over all shards; 0 remembers none.',
  },
  'keyfate.overwritten': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    meaning: 'Remembers values that were overwritten, too; they are counted in any case.',
  },
  'hotkeys.window-enabled': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    meaning: 'Watches all the time which keys are used most, in one window after the other.',
  },
  'hotkeys.window-top-k': {
    kind: integer({ least: 1, most: 100 }),
    default: 16,
    effect: 'live',
    meaning: 'Keys that HOTKEYS WINDOW shows.',
  },
  'hotkeys.window-seconds': {
    kind: integer({ least: 1, most: 3_600, unit: 'seconds' }),
    default: 10,
    effect: 'live',
    meaning: 'Length of a window of HOTKEYS WINDOW.',
  },
  'hotkeys.window-sample': {
    kind: integer({ least: 1, most: 1_000_000 }),
    default: 100,
    effect: 'live',
    meaning: 'One command in so many is looked at, by chance.',
  },
  'key-prefixes.prefixes': {
    kind: distinctWords(KEY_PREFIXES_MAX, KEY_PREFIX_BYTES_MAX),
    default: [],
    effect: 'live',
    config: 'key-prefixes',
    meaning: 'Prefixes of keys whose use and size are counted; of two that fit, the longer counts.',
  },
  'latency-bands.enabled': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    meaning: 'Counts requests by how long they took.',
  },
  'latency-bands.bands': {
    kind: risingIntegers(1, 3_600_000, 32),
    default: [1, 5, 10, 50, 100, 500],
    effect: 'live',
    config: 'latency-bands',
    meaning: 'Upper bounds of the bands, in milliseconds.',
  },
  'latency.monitor-threshold-ms': {
    kind: milliseconds,
    default: 10,
    effect: 'live',
    config: 'latency-monitor-threshold',
    meaning: 'Events that take at least this long are recorded; 0 records none.',
  },
  'latency.tracking': {
    kind: yesOrNo,
    default: true,
    effect: 'live',
    meaning: 'Keeps a latency histogram per command.',
  },
  'latency.tracking-info-percentiles': {
    kind: floats('latency-tracking-info-percentiles', 0, 100),
    default: [50, 99, 99.9],
    effect: 'live',
    meaning: 'Percentiles that INFO latencystats shows.',
  },
  'latency.startup-test': {
    kind: yesOrNo,
    default: false,
    effect: 'start',
    meaning: 'Measures what latency the machine itself causes, before accepting connections.',
  },
  'latency.startup-test-duration-secs': {
    kind: integer({ least: 1, most: 3600, unit: 'seconds' }),
    default: 5,
    effect: 'start',
    meaning: 'Duration of the latency test at the start.',
  },
  'latency.warning-threshold-us': {
    kind: integer({ unit: 'microseconds' }),
    default: 2000,
    effect: 'start',
    meaning: 'Warns when the machine alone causes more than this.',
  },
  'status.memory-warning-percent': {
    kind: percent,
    default: 90,
    effect: 'live',
    meaning: 'Use of maxmemory from which the status is degraded.',
  },
  'status.connection-warning-percent': {
    kind: percent,
    default: 90,
    effect: 'live',
    meaning: 'Use of max-clients from which the status is degraded.',
  },
  'status.replication-lag-warning-ms': {
    kind: milliseconds,
    default: 10_000,
    effect: 'live',
    meaning: 'Lag of a replica from which the status is degraded.',
  },
  'status.durability-lag-warning-ms': {
    kind: milliseconds,
    default: 5000,
    effect: 'live',
    meaning: 'Age of unsynced writes from which the status is degraded.',
  },
  'status.durability-lag-critical-ms': {
    kind: milliseconds,
    default: 30_000,
    effect: 'live',
    meaning: 'Age of unsynced writes from which the status is unhealthy.',
  },
  'status.main-stuck-liveness-secs': {
    kind: integer({ unit: 'seconds' }),
    default: 10,
    effect: 'live',
    meaning:
      'Standstill of main after which the liveness probe fails; 0 means it never does for that.',
  },
  'http.enabled': {
    kind: yesOrNo,
    default: true,
    effect: 'start',
    meaning: 'Serves probes, metrics, status and the debug pages over HTTP.',
  },
  'http.bind': {
    kind: address,
    default: '127.0.0.1',
    effect: 'start',
    meaning: 'Address of the HTTP listener.',
  },
  'http.port': {
    kind: integer({ most: 65_535 }),
    default: 9090,
    effect: 'start',
    meaning: 'Port of the HTTP listener.',
  },
  'http.tls': {
    kind: yesOrNo,
    default: false,
    effect: 'start',
    meaning: 'Serves HTTPS in place of HTTP, with the certificate of [tls].',
  },
  'http.allowed-hosts': {
    kind: hostNames(64),
    default: [],
    effect: 'live',
    meaning:
      'Names by which /debug and /admin may be asked for without a token, as a proxy sends them; *.example.com for all below.',
  },
  'http.token': {
    kind: text,
    default: '',
    effect: 'start',
    isSecret: true,
    isMasked: true,
    meaning: 'Bearer token that /debug and /admin ask for; empty for none.',
  },
  'http.viewer-token': {
    kind: text,
    default: '',
    effect: 'start',
    isSecret: true,
    isMasked: true,
    meaning:
      'Bearer token with which /debug can be read and nothing else: no bundle, no action, no /admin; empty for none. The token is heeded only where http.token is set, too.',
  },
  'http.ready-requires-sync': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    meaning: 'Has a replica be ready only while the link to its primary is up.',
  },
  'http.redis-exporter-names': {
    kind: yesOrNo,
    default: false,
    effect: 'start',
    meaning: 'Adds the metric names that common Redis dashboards ask for.',
  },
  'debug-bundle.directory': {
    kind: text,
    default: 'svc-data/bundles',
    effect: 'start',
    meaning:
      'Folder in which diagnostic bundles are kept; the folder bundles in the data folder, unless set.',
  },
  'debug-bundle.max-bundles': {
    kind: integer({ least: 1 }),
    default: 10,
    effect: 'live',
    meaning: 'Bundles kept.',
  },
  'debug-bundle.bundle-ttl-secs': {
    kind: integer({ least: 1, unit: 'seconds' }),
    default: 3600,
    effect: 'live',
    meaning: 'Age at which a bundle is removed.',
  },
  'debug-bundle.max-slowlog-entries': {
    kind: integer(),
    default: 256,
    effect: 'live',
    meaning: 'Slow commands put into a bundle.',
  },
  'debug-bundle.max-trace-entries': {
    kind: integer({ most: 10_000 }),
    default: 100,
    effect: 'live',
    meaning: 'Traces put into a bundle.',
  },
  'metrics.max-users': {
    kind: integer({ least: 1, most: 1_000 }),
    default: 100,
    effect: 'start',
    meaning:
      'Users that have svc_user_ metrics of their own, the default user among them; those that come later are counted as other.',
  },
  'metrics.otlp-enabled': {
    kind: yesOrNo,
    default: false,
    effect: 'start',
    meaning: 'Pushes metrics to an OpenTelemetry collector.',
  },
  'metrics.otlp-endpoint': {
    kind: collectorUrl,
    default: collector,
    effect: 'start',
    meaning: 'The collector for metrics.',
  },
  'metrics.otlp-interval-secs': {
    kind: integer({ least: 1, most: 86_400, unit: 'seconds' }),
    default: 15,
    effect: 'live',
    meaning: 'Time between two pushes.',
  },
  'tracing.enabled': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    meaning: 'Makes traces of commands.',
  },
  'tracing.otlp-endpoint': {
    kind: collectorUrl,
    default: collector,
    effect: 'start',
    meaning: 'The collector for traces.',
  },
  'tracing.sampling-rate': {
    kind: float(0, 1),
    default: 1,
    effect: 'live',
    meaning:
      'Share of commands that are traced, where no application has said by CLIENT TRACEPARENT.',
  },
  'tracing.service-name': {
    kind: text,
    default: 'svc',
    effect: 'start',
    meaning: 'Name of this service in traces.',
  },
  'tracing.scatter-gather-spans': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    meaning:
      'A span for each shard of a command that several shards answer, not for the slowest alone.',
  },
  'tracing.shard-spans': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    meaning: 'Spans of what a shard does around a command: its wait in the queue, making room.',
  },
  'tracing.persistence-spans': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    meaning: 'Spans of what commands put into the log.',
  },
  'tracing.recent-traces-max': {
    kind: integer({ most: 10_000 }),
    default: 100,
    effect: 'live',
    meaning: 'Traces kept in memory for the debug pages.',
  },
});
