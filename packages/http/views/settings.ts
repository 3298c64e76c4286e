/** What the HTTP side is told of the settings; main makes it anew whenever one of them changes. */

import type { SettingReport } from '#api-types';
import type { StatusSettings } from '#observer';
import type { ServiceIdentity, TraceSettings } from '#telemetry';

/** What is read once, when the thread starts. */
export interface HttpFixedSettings {
  readonly isEnabled: boolean;
  readonly bind: string;
  readonly port: number;
  readonly token: string;
  readonly hasRedisNames: boolean;
  readonly bundleFolder: string;
  /** The Redis whose commands and replies this server has. */
  readonly redisVersion: string;
  /** Where traces are sent, and the metrics where they are pushed at all. */
  readonly traceEndpoint: string;
  readonly metricsEndpoint: string | undefined;
  readonly identity: ServiceIdentity;
  /** What each setting is where nobody sets it. */
  readonly defaults: Readonly<Record<string, string>>;
}

/** What may change while the server runs. */
export interface HttpLiveSettings {
  /** Standstill of main that the liveness probe puts up with; 0 for any. */
  readonly mainStuckLivenessMs: number;
  /** Names by which the server is asked, beside its own. */
  readonly allowedHosts: readonly string[];
  readonly status: StatusSettings;
  /** Where clients are listened for. */
  readonly clientBind: string;
  readonly clientPort: number;
  readonly maxmemoryPolicy: string;
  readonly slowLogLengthMax: number;
  readonly tracksLatency: boolean;
  readonly prefixes: readonly string[];
  /** How many deaths of keys are kept, and whether those of overwritten values are. */
  readonly keyFates: { readonly lengthMax: number; readonly keepsOverwritten: boolean };
  readonly bands: { readonly isEnabled: boolean; readonly thresholdsMs: readonly number[] };
  readonly bundles: {
    readonly countMax: number;
    readonly ageSecondsMax: number;
    readonly slowlogMax: number;
    readonly tracesMax: number;
  };
  readonly traces: TraceSettings;
  readonly metricsPushMs: number;
  /** All settings, secrets hidden; one by one, and as the file that would give them. */
  readonly entries: readonly SettingReport[];
  readonly toml: string;
}
