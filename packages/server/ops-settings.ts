/** What the ops thread is told of the settings: what it needs, and of the secrets only its own token. */

import type { LogLevel } from '#base';
import { isLoopback, rowOf, settingNames, type Settings } from '#config';
import type { HttpFixedSettings, HttpLiveSettings } from '#http';
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
    level: settings.string('logging.level') as LogLevel,
    format: settings.string('logging.format') as LogWriterOptions['format'],
    output: settings.string('logging.output') as LogWriterOptions['output'],
    ...(path === '' ? {} : { file }),
  };
}

export function httpFixedSettings(settings: Settings): HttpFixedSettings {
  const bind = settings.string('http.bind');
  return {
    isEnabled: settings.boolean('http.enabled'),
    bind,
    isLoopback: isLoopback(bind),
    port: settings.number('http.port'),
    token: settings.string('http.token'),
    hasRedisNames: settings.boolean('http.redis-exporter-names'),
    bundleFolder: settings.string('debug-bundle.directory'),
    clientBind: settings.list('server.bind').join(' '),
    clientPort: settings.number('server.port'),
    defaults: Object.fromEntries(
      settingNames.map((name) => [name, rowOf(name).kind.format(rowOf(name).default)]),
    ),
  };
}

export function httpLiveSettings(settings: Settings): HttpLiveSettings {
  return {
    status: statusSettings(settings),
    tracksLatency: settings.boolean('latency.tracking'),
    prefixes: settings.list('key-prefixes.prefixes'),
    bands: {
      isEnabled: settings.boolean('latency-bands.enabled'),
      thresholdsMs: settings.numbers('latency-bands.bands'),
    },
    bundles: {
      countMax: settings.number('debug-bundle.max-bundles'),
      ageSecondsMax: settings.number('debug-bundle.bundle-ttl-secs'),
      slowlogMax: settings.number('debug-bundle.max-slowlog-entries'),
    },
    entries: settings.entries(),
    toml: settings.toToml({ hideSecrets: true }),
  };
}
