/** Settings that are sent to the ops thread: the ones it needs, and of the secrets only its own tokens. */

import path from 'node:path';
import { type LogThreshold, byLogKind } from '#base';
import { rowOf, settingNames, type Settings, VERSION } from '#config';
import type { SettingFacts } from '#api-types';
import type { HttpFixedSettings, HttpLiveSettings } from '#http';
import { contextOptions, type TlsOptions } from '#net';
import type { TracingSettings } from '#router';
import { COMMAND_LOG_SETTINGS } from '#stats';
import type { LogWriterOptions } from '#telemetry';
import { statusSettings } from './status-settings.ts';

export function loggingOptions(settings: Settings): LogWriterOptions {
  const path = settings.string('logging.file-path');
  const file = {
    path,
    sizeMbMax: settings.number('logging.rotation.max-size-mb'),
    frequency: settings.string('logging.rotation.frequency') as 'daily' | 'hourly' | 'never',
    filesMax: settings.number('logging.rotation.max-files'),
  };
  return {
    ...logLines(settings),
    format: settings.string('logging.format') as LogWriterOptions['format'],
    output: settings.string('logging.output') as LogWriterOptions['output'],
    ...(path === '' ? {} : { file }),
  };
}

/** Returns the settings of log lines that change while the server runs. */
export function logLines(settings: Settings): Pick<LogWriterOptions, 'level' | 'hidesUserData'> {
  return {
    level: settings.string('logging.level') as LogThreshold,
    hidesUserData: settings.boolean('logging.hide-user-data'),
  };
}

export function httpFixedSettings(
  settings: Settings,
  instanceId: string,
  tls: TlsOptions | undefined,
): HttpFixedSettings {
  const isSecure = settings.boolean('http.tls') && tls !== undefined;
  return {
    secure: isSecure ? contextOptions(tls) : undefined,
    isEnabled: settings.boolean('http.enabled'),
    bind: settings.string('http.bind'),
    port: settings.number('http.port'),
    token: settings.string('http.token'),
    viewerToken: settings.string('http.viewer-token'),
    hasRedisNames: settings.boolean('http.redis-exporter-names'),
    metricFeatures: [
      ...(settings.boolean('cluster.enabled') ? (['cluster'] as const) : []),
      ...(settings.boolean('tiered.enabled') ? (['tier'] as const) : []),
    ],
    bundleFolder: settings.string('debug-bundle.directory'),
    redisVersion: settings.string('server.reported-redis-version'),
    traceEndpoint: settings.string('tracing.otlp-endpoint'),
    metricsEndpoint: settings.boolean('metrics.otlp-enabled')
      ? settings.string('metrics.otlp-endpoint')
      : undefined,
    metricUsersMax: settings.number('metrics.max-users'),
    identity: {
      serviceName: settings.string('tracing.service-name'),
      version: VERSION,
      instanceId,
    },
    settingFacts: settingFacts(),
    defaults: Object.fromEntries(
      settingNames.map((name) => [name, rowOf(name).kind.format(rowOf(name).default)]),
    ),
  };
}

function settingFacts(): readonly SettingFacts[] {
  return settingNames.map((name) => {
    const { kind, default: standard, config } = rowOf(name);
    const [section = ''] = name.split('.');
    return {
      name,
      config_name: config ?? name.replaceAll('.', '-'),
      section,
      allowed: kind.allowed,
      unit: kind.unit ?? null,
      default: kind.format(standard),
    };
  });
}

/** Returns the settings that decide on traces. */
export function traceSettings(settings: Settings): TracingSettings {
  return {
    isEnabled: settings.boolean('tracing.enabled'),
    samplingRate: settings.number('tracing.sampling-rate'),
    reportsAll: settings.boolean('logging.per-request-spans'),
    keepSlowUs: keepSlowMs(settings) * 1_000,
    keepsFailed: settings.boolean('tracing.keep-failed'),
    spans: {
      scatterGather: settings.boolean('tracing.scatter-gather-spans'),
      shard: settings.boolean('tracing.shard-spans'),
      persistence: settings.boolean('tracing.persistence-spans'),
    },
  };
}

/** Milliseconds from which on a trace is kept; Infinity for none. */
function keepSlowMs(settings: Settings): number {
  return settings.number('tracing.keep-slow-ms') || Infinity;
}

export function httpLiveSettings(settings: Settings): HttpLiveSettings {
  return {
    readyRequiresSync: settings.boolean('http.ready-requires-sync'),
    mainStuckLivenessMs: settings.number('status.main-stuck-liveness-secs') * 1_000,
    allowedHosts: settings.list('http.allowed-hosts'),
    status: statusSettings(settings),
    dataFolder: settings.string('persistence.data-dir'),
    clientBind: settings.list('server.bind').join(' '),
    clientPort: settings.number('server.port'),
    maxmemoryPolicy: settings.string('memory.maxmemory-policy'),
    slowScriptMs: settings.number('scripting.busy-reply-threshold-ms'),
    minReplicas: settings.number('replication.min-replicas-to-write'),
    logLengthMax: byLogKind((kind) => settings.number(COMMAND_LOG_SETTINGS[kind].lengthMax)),
    tracksLatency: settings.boolean('latency.tracking'),
    prefixes: settings.list('key-prefixes.prefixes'),
    keyFates: {
      lengthMax: settings.number('keyfate.max-len'),
      keepsOverwritten: settings.boolean('keyfate.overwritten'),
    },
    bands: {
      isEnabled: settings.boolean('latency-bands.enabled'),
      thresholdsMs: settings.numbers('latency-bands.bands'),
    },
    bundles: {
      countMax: settings.number('debug-bundle.max-bundles'),
      ageSecondsMax: settings.number('debug-bundle.bundle-ttl-secs'),
      slowlogMax: settings.number('debug-bundle.max-slowlog-entries'),
      tracesMax: settings.number('debug-bundle.max-trace-entries'),
    },
    traces: {
      isOn: settings.boolean('tracing.enabled') || settings.boolean('logging.per-request-spans'),
      recentMax: settings.number('tracing.recent-traces-max'),
      isEnabled: settings.boolean('tracing.enabled'),
      samplingRate: settings.number('tracing.sampling-rate'),
      keepSlowMs: keepSlowMs(settings),
      keepsFailed: settings.boolean('tracing.keep-failed'),
    },
    history: {
      isEnabled: settings.boolean('history.enabled'),
      bytesMax: settings.number('history.max-bytes'),
      folder: settings.boolean('persistence.enabled')
        ? path.join(settings.string('persistence.data-dir'), 'history')
        : '',
    },
    metricsPushMs: settings.number('metrics.otlp-interval-secs') * 1_000,
    entries: settings.entries(),
    toml: settings.toToml({ hideSecrets: true }),
  };
}
