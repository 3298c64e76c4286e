/** Settings for the HTTP side; main sends them again whenever one changes. */

import type { ByLogKind } from '#base';
import type { SecureContextOptions } from 'node:tls';
import type { SettingFacts, SettingReport } from '#api-types';
import type { HistorySettings } from '#history';
import type { StatusSettings } from '#observer';
import type { MetricFeature, ServiceIdentity, TraceSettings } from '#telemetry';

/** Settings that are read once, when the thread starts. */
export interface HttpFixedSettings {
  readonly isEnabled: boolean;
  readonly bind: string;
  readonly port: number;
  /** Certificate, key and the rest of what HTTPS needs; undefined for plain HTTP. */
  readonly secure: SecureContextOptions | undefined;
  /** Tokens; empty for none. */
  readonly token: string;
  readonly viewerToken: string;
  readonly hasRedisNames: boolean;
  readonly bundleFolder: string;
  /** Features that are on, whose metrics are sent. */
  readonly metricFeatures: readonly MetricFeature[];
  /** The Redis whose commands and replies this server has. */
  readonly redisVersion: string;
  /** Endpoints of traces, and of metrics where they are pushed at all. */
  readonly traceEndpoint: string;
  readonly metricsEndpoint: string | undefined;
  /** Users with metrics of their own. */
  readonly metricUsersMax: number;
  readonly identity: ServiceIdentity;
  /** Default of each setting. */
  readonly defaults: Readonly<Record<string, string>>;
  /** Properties of the settings that do not change, in the order of their table. */
  readonly settingFacts: readonly SettingFacts[];
}

/** Settings that may change while the server runs. */
export interface HttpLiveSettings {
  /** A replica without a link is not ready. */
  readonly readyRequiresSync: boolean;
  /** Standstill of main that the liveness probe puts up with; 0 for any. */
  readonly mainStuckLivenessMs: number;
  /** Names by which the server is asked, beside its own. */
  readonly allowedHosts: readonly string[];
  readonly status: StatusSettings;
  /** Addresses on which clients are listened for. */
  readonly clientBind: string;
  readonly clientPort: number;
  readonly maxmemoryPolicy: string;
  /** Milliseconds from which on a script is slow; 0 = never. */
  readonly slowScriptMs: number;
  /** Good replicas that writes need. */
  readonly minReplicas: number;
  readonly dataFolder: string;
  /** Most entries of each log of commands. */
  readonly logLengthMax: ByLogKind<number>;
  readonly tracksLatency: boolean;
  readonly prefixes: readonly string[];
  /** Most key fates that are kept, and whether those of overwritten values are kept. */
  readonly keyFates: { readonly lengthMax: number; readonly keepsOverwritten: boolean };
  readonly bands: { readonly isEnabled: boolean; readonly thresholdsMs: readonly number[] };
  readonly bundles: {
    readonly countMax: number;
    readonly ageSecondsMax: number;
    readonly slowlogMax: number;
    readonly tracesMax: number;
  };
  readonly traces: TraceSettings;
  readonly history: HistorySettings;
  readonly metricsPushMs: number;
  /** All settings, secrets hidden; one by one, and as the file that would give them. */
  readonly entries: readonly SettingReport[];
  readonly toml: string;
}
