/** What the status document is collected from, on main. */

import { isUtf8 } from 'node:buffer';
import type { Bytes } from '#base';
import { commandTable } from '#commands';
import type { Settings } from '#config';
import {
  collectStatus,
  NO_PERSISTENCE,
  type ExecutingReport,
  type HealthLimits,
  type StatusSource,
  type ThreadRates,
} from '#diag';
import { ringDepth } from '#link';
import { executingIn } from '#router';
import type { Fabric } from './fabric.ts';
import { VERSION } from './version.ts';

const COMMAND_NAMES = commandTable.entries.map(({ lowerName }) => lowerName);

export interface StatusParts {
  readonly fabric: Fabric;
  readonly settings: Settings;
  readonly mainRates: ThreadRates;
  readonly shardRates: readonly ThreadRates[];
  readonly nowUs: number;
  readonly wallMs: number;
  /** The id of the client in a slot of main's list. */
  readonly clientId: (slot: number) => number | null;
}

/** The document as compact JSON: what STATUS JSON answers. */
export function statusJson(parts: StatusParts): string {
  return JSON.stringify(collectStatus(statusSource(parts)));
}

function statusSource(parts: StatusParts): StatusSource {
  const { fabric, settings, nowUs } = parts;
  return {
    version: VERSION,
    processId: process.pid,
    ...{ nowUs, wallMs: parts.wallMs },
    rssBytes: process.memoryUsage.rss(),
    mode: 'standalone',
    main: fabric.mainPage,
    mainRates: parts.mainRates,
    shards: fabric.shardPages.map((page, index) => ({
      page,
      rates: parts.shardRates[index]!,
      queue: ringDepth(fabric.memory, fabric.layout.requests[index]!),
      executing: executingReport(parts, index),
    })),
    shape: fabric.pageShape,
    commandNames: COMMAND_NAMES,
    maxClients: settings.number('server.max-clients'),
    memoryLimitBytes: settings.number('memory.maxmemory'),
    limits: healthLimits(settings),
    persistence: NO_PERSISTENCE,
  };
}

function executingReport(
  { fabric, nowUs, clientId }: StatusParts,
  index: number,
): ExecutingReport | null {
  const executing = executingIn(fabric.shardPages[index]!, fabric.memory, nowUs);
  if (executing === null) return null;
  return {
    command: executing.command,
    key: executing.key === null ? null : keyText(executing.key),
    client_id: clientId(executing.connection),
    elapsed_us: Math.round(executing.elapsedUs),
  };
}

/** JSON has no bytes: a key that is no UTF-8 is shown with a character for each byte. */
function keyText(key: Bytes): string {
  return Buffer.from(key).toString(isUtf8(key) ? 'utf8' : 'latin1');
}

function healthLimits(settings: Settings): HealthLimits {
  return {
    memoryWarningPercent: settings.number('status.memory-warning-percent'),
    connectionWarningPercent: settings.number('status.connection-warning-percent'),
    durabilityLagWarningMs: settings.number('status.durability-lag-warning-ms'),
    durabilityLagCriticalMs: settings.number('status.durability-lag-critical-ms'),
  };
}
