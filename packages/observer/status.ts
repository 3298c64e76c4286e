/** Sources of the status document: the same in every thread that is asked for it. */

import { machineLimits, readable, residentBytes } from '#base';
import {
  collectHealth,
  collectStatus,
  type HealthLimits,
  type JudgedIssue,
  type Page,
  persistenceStatus,
  type StatusSource,
  type ThreadRates,
  type VerdictReport,
} from '#stats';
import type { ExecutingReport, Health, StatusDocument } from '#api-types';
import { ringDepth } from '#link';
import { durabilityIn } from './durability.ts';
import { executingIn, scriptIn } from './executing.ts';
import type { Observer } from './observer.ts';

/** Settings that the document contains, or that its health depends on. */
export interface StatusSettings {
  readonly maxClients: number;
  readonly memoryLimitBytes: number;
  /** There is an eviction policy. */
  readonly evicts: boolean;
  /** There is a warm tier. */
  readonly isTiered: boolean;
  /** Writes are refused while the last snapshot has failed. */
  readonly refusesUnsaved: boolean;
  /** Writes are refused while the log cannot be written. */
  readonly refusesUnlogged: boolean;
  /** Interval of snapshots in milliseconds; 0 without one. */
  readonly snapshotIntervalMs: number;
  readonly dataFolder: string;
  /** sync, periodic or async. */
  readonly durabilityMode: string;
  readonly limits: HealthLimits;
}

export interface HealthOptions {
  readonly observer: Observer;
  readonly settings: StatusSettings;
  readonly version: string;
  readonly mainRates: ThreadRates;
  readonly shardRates: readonly ThreadRates[];
  readonly nowUs: number;
  readonly wallMs: number;
  /** Issues of the last seconds; by default those of the published verdict. */
  readonly recentIssues?: readonly JudgedIssue[];
  /** Returns the id of the client in a slot of main's list; null if unknown. */
  readonly clientId: (slot: number) => number | null;
}

/** The document of STATUS JSON and of /status/json. */
export function statusDocument(options: HealthOptions): StatusDocument {
  return collectStatus(statusSource(options));
}

/** Health as of now. */
export function healthNow(options: HealthOptions): Health {
  return collectHealth(statusSource(options));
}

/** Main's slots of the clients whose commands are being executed now. */
export function executingConnections({ memory, shards }: Observer, nowUs: number): number[] {
  return shards.flatMap((page) => executingIn(page, memory, nowUs)?.connection ?? []);
}

function statusSource(options: HealthOptions): StatusSource {
  const { observer, nowUs } = options;
  return {
    version: options.version,
    processId: process.pid,
    nowUs,
    wallMs: options.wallMs,
    rssBytes: residentBytes(),
    machine: machineLimits(),
    mode: modeOf(observer.main),
    main: observer.main,
    mainRates: options.mainRates,
    shards: observer.shards.map((page, index) => ({
      page,
      rates: options.shardRates[index]!,
      queue: ringDepth(observer.memory, observer.layout.requests[index]!),
      executing: executingReport(options, index),
    })),
    shape: observer.shape,
    commandNames: observer.commandNames,
    fronts: observer.fronts,
    windows: (command) => observer.windows(command),
    ...options.settings,
    verdict: verdictOf(options),
    persistence: persistenceStatus(durabilityIn(observer, options.settings.durabilityMode, nowUs)),
  };
}

/** The published verdict, with the issues that are judged now in place of its own. */
function verdictOf({ observer: { verdict }, recentIssues }: HealthOptions): VerdictReport {
  return recentIssues === undefined ? verdict : { ...verdict, issues: recentIssues };
}

/** The server's place in a cluster or in replication: a primary is one from its first replica on. */
function modeOf(main: Page): StatusSource['mode'] {
  if (main.get('clusterEnabled') === 1) return 'cluster';
  if (main.get('isReplica') === 1) return 'replica';
  return main.get('isPrimary') === 1 ? 'primary' : 'standalone';
}

function executingReport(
  { observer, nowUs, clientId }: HealthOptions,
  index: number,
): ExecutingReport | null {
  const executing = executingIn(observer.shards[index]!, observer.memory, nowUs);
  if (executing === null) return null;
  return {
    command: executing.command,
    script: scriptIn(observer.shards[index]!, observer.memory),
    key: executing.key === null ? null : readable(executing.key),
    client_id: clientId(executing.connection),
    elapsed_us: Math.round(executing.elapsedUs),
  };
}
