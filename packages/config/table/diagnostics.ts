import { KEY_PREFIX_BYTES_MAX, KEY_PREFIXES_MAX } from '#base';
import { address, bytes, collectorUrl, float, integer, LONG_MAX, text, yesOrNo } from '../kinds.ts';
import { distinctWords, floats, hostNames, risingIntegers } from '../list-kinds.ts';
import { token } from '../name-kinds.ts';
import { rows } from '../setting.ts';

const percent = integer({ least: 1, most: 100, unit: 'percent' });
const milliseconds = integer({ most: LONG_MAX, unit: 'milliseconds' });
const KIB = 1024;
const MIB = 1024 ** 2;
const collector = 'http://localhost:4317';

/** Settings of diagnostics: keys, latency, metrics, traces, HTTP. */
export const diagnosticsSettings = rows({
  'keyfate.max-len': {
    kind: integer({ most: 100_000 }),
    default: 128,
    effect: 'live',
    meaning: 'Maximum number of recorded key removals, over all shards; 0 records none.',
  },
  'keyfate.overwritten': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    meaning: 'Records overwritten values as well; they are always counted.',
  },
  'hotkeys.window-enabled': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    meaning: 'Continuously samples the most used keys, in consecutive windows.',
  },
  'hotkeys.window-top-k': {
    kind: integer({ least: 1, most: 100 }),
    default: 16,
    effect: 'live',
    meaning: 'Number of keys that HOTKEYS WINDOW returns.',
  },
  'hotkeys.window-seconds': {
    kind: integer({ least: 1, most: 3_600, unit: 'seconds' }),
    default: 10,
    effect: 'live',
    meaning: 'Length of the windows of HOTKEYS WINDOW.',
  },
  'hotkeys.window-sample': {
    kind: integer({ least: 1, most: 1_000_000 }),
    default: 100,
    effect: 'live',
    meaning: 'Sampling ratio of HOTKEYS WINDOW: one command in this many is sampled at random.',
  },
  'key-prefixes.prefixes': {
    kind: distinctWords(KEY_PREFIXES_MAX, KEY_PREFIX_BYTES_MAX),
    default: [],
    effect: 'live',
    config: 'key-prefixes',
    meaning:
      'Prefixes of keys for which usage and size are counted; of several matching prefixes the longest counts.',
  },
  'latency-bands.enabled': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    meaning: 'Counts requests in latency bands.',
  },
  'latency-bands.bands': {
    kind: risingIntegers(1, 3_600_000, 32),
    default: [1, 5, 10, 50, 100, 500],
    effect: 'live',
    config: 'latency-bands',
    meaning: 'Upper bounds of the latency bands, in milliseconds.',
  },
  'latency.monitor-threshold-ms': {
    kind: milliseconds,
    default: 10,
    effect: 'live',
    config: 'latency-monitor-threshold',
    meaning: 'Latency events that take at least this long are recorded; 0 records none.',
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
    meaning: 'Measures the intrinsic latency of the machine before accepting connections.',
  },
  'latency.startup-test-duration-secs': {
    kind: integer({ least: 1, most: 3600, unit: 'seconds' }),
    default: 5,
    effect: 'start',
    meaning: 'Duration of the latency measurement at the start.',
  },
  'latency.warning-threshold-us': {
    kind: integer({ unit: 'microseconds' }),
    default: 2000,
    effect: 'start',
    meaning: 'Intrinsic latency above which a warning is logged.',
  },
  'status.memory-warning-percent': {
    kind: percent,
    default: 90,
    effect: 'live',
    meaning: 'Usage of maxmemory from which the status is degraded.',
  },
  'status.connection-warning-percent': {
    kind: percent,
    default: 90,
    effect: 'live',
    meaning: 'Usage of max-clients from which the status is degraded.',
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
  'status.queue-latency-warning-ms': {
    kind: milliseconds,
    default: 500,
    effect: 'live',
    meaning:
      "Time that the slowest 1 % of a shard's requests wait in its queue from which the status is degraded; 0 means never.",
  },
  'status.execution-latency-warning-ms': {
    kind: milliseconds,
    default: 500,
    effect: 'live',
    meaning:
      'Execution time of the slowest 1 % of commands from which the status is degraded; 0 means never.',
  },
  'status.disk-free-warning-percent': {
    kind: percent,
    default: 3,
    effect: 'live',
    meaning: 'Free space on the disk of the data below which the status is degraded.',
  },
  'status.certificate-warning-days': {
    kind: integer({ least: 0, most: 3650, unit: 'days' }),
    default: 14,
    effect: 'live',
    meaning: 'Days before the end of the TLS certificate from which the status is degraded.',
  },
  'status.main-stuck-liveness-secs': {
    kind: integer({ unit: 'seconds' }),
    default: 10,
    effect: 'live',
    meaning:
      'Time without a heartbeat of main after which the liveness probe fails; 0 means never.',
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
      'Host names under which /debug and /admin may be requested without a token, as a proxy sends them; *.example.com for all subdomains.',
  },
  'http.token': {
    kind: token,
    default: '',
    effect: 'start',
    isSecret: true,
    isMasked: true,
    meaning: 'Bearer token required for /debug and /admin; empty for none.',
  },
  'http.viewer-token': {
    kind: token,
    default: '',
    effect: 'start',
    isSecret: true,
    isMasked: true,
    meaning:
      'Bearer token that allows reading /debug only: no bundles, no actions, no /admin; empty for none. It requires http.token.',
  },
  'http.ready-requires-sync': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    meaning: 'Reports a replica as ready only while the link to its primary is up.',
  },
  'http.redis-exporter-names': {
    kind: yesOrNo,
    default: false,
    effect: 'start',
    meaning: 'Adds the metric names of redis_exporter, for common Redis dashboards.',
  },
  'history.enabled': {
    kind: yesOrNo,
    default: true,
    effect: 'live',
    meaning:
      'Keeps the history of all figures: a sample a second for 15 minutes, every 10 seconds for 6 hours, every minute for 14 days.',
  },
  'history.max-bytes': {
    kind: bytes({ least: 64 * KIB }),
    default: 64 * MIB,
    effect: 'live',
    meaning:
      'Maximum size of the history: in the folder history of the data folder, or in memory without persistence. The oldest samples are removed first.',
  },
  'debug-bundle.directory': {
    kind: text,
    default: 'svc-data/bundles',
    effect: 'start',
    meaning: 'Folder for diagnostic bundles; empty for the folder bundles in the data folder.',
  },
  'debug-bundle.max-bundles': {
    kind: integer({ least: 1 }),
    default: 10,
    effect: 'live',
    meaning: 'Maximum number of diagnostic bundles.',
  },
  'debug-bundle.bundle-ttl-secs': {
    kind: integer({ least: 1, unit: 'seconds' }),
    default: 3600,
    effect: 'live',
    meaning: 'Age at which a diagnostic bundle is removed.',
  },
  'debug-bundle.max-slowlog-entries': {
    kind: integer(),
    default: 256,
    effect: 'live',
    meaning: 'Number of slow commands in a diagnostic bundle.',
  },
  'debug-bundle.max-trace-entries': {
    kind: integer({ most: 10_000 }),
    default: 100,
    effect: 'live',
    meaning: 'Number of traces in a diagnostic bundle.',
  },
  'metrics.max-users': {
    kind: integer({ least: 1, most: 1_000 }),
    default: 100,
    effect: 'start',
    meaning:
      'Maximum number of users with their own svc_user_ metrics, including the default user; further users are counted as other.',
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
    meaning: 'URL of the OpenTelemetry collector for metrics.',
  },
  'metrics.otlp-interval-secs': {
    kind: integer({ least: 1, most: 86_400, unit: 'seconds' }),
    default: 15,
    effect: 'live',
    meaning: 'Interval of metric pushes.',
  },
  'tracing.enabled': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    meaning: 'Traces commands with OpenTelemetry.',
  },
  'tracing.otlp-endpoint': {
    kind: collectorUrl,
    default: collector,
    effect: 'start',
    meaning: 'URL of the OpenTelemetry collector for traces.',
  },
  'tracing.sampling-rate': {
    kind: float(0, 1),
    default: 1,
    effect: 'live',
    meaning:
      'Share of commands that are traced, unless an application decides by CLIENT TRACEPARENT.',
  },
  'tracing.keep-slow-ms': {
    kind: integer({ unit: 'milliseconds' }),
    default: 0,
    effect: 'live',
    meaning:
      'Keeps the trace of each command that took at least this long, sampled or not, except of blocking commands; 0 = off. Every command is recorded for it.',
  },
  'tracing.keep-failed': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    meaning:
      'Keeps the trace of each command that replied an error, sampled or not. Every command is recorded for it.',
  },
  'tracing.service-name': {
    kind: text,
    default: 'svc',
    effect: 'start',
    meaning: 'Service name in traces and pushed metrics.',
  },
  'tracing.scatter-gather-spans': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    meaning:
      'Creates a span for each shard of a command over several shards, instead of one for the slowest shard.',
  },
  'tracing.shard-spans': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    meaning: 'Creates spans for work of a shard around a command: queueing and eviction.',
  },
  'tracing.persistence-spans': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    meaning: 'Creates spans for writes to the log.',
  },
  'tracing.recent-traces-max': {
    kind: integer({ most: 10_000 }),
    default: 100,
    effect: 'live',
    meaning: 'Number of traces kept in memory for the debug pages.',
  },
});
