/** Defaults that depend on the limits of a container, and warnings about settings that do not fit into them. */

import type { MachineLimits } from '#base';
import type { ConfigWarning } from '../config-warning.ts';
import type { Settings } from '../runtime.ts';

/** Memory of a server without data, which the default of maxmemory leaves free. */
const SERVER_BYTES = 192 * 2 ** 20;
/** Share of the rest for the data. Buffers of clients and replicas, rings, snapshots and fragments take the others. */
const DATA_SHARE = 0.75;
/** Least share of the limit, for containers that are hardly larger than the server. */
const LEAST_SHARE = 0.25;

/**
 * Returns the default of `memory.maxmemory`: 0, no limit, unless a cgroup limits the memory. The kernel would end the process
 * at its limit, with all data that is not on disk; with this default writes are refused, or keys evicted, before.
 */
export function defaultMaxMemory({ memoryLimitBytes: limit }: MachineLimits): number {
  if (limit === undefined) return 0;
  return Math.floor(Math.max((limit - SERVER_BYTES) * DATA_SHARE, limit * LEAST_SHARE));
}

/** Returns warnings about settings that were given for a larger machine. */
export function machineWarnings(settings: Settings, limits: MachineLimits): ConfigWarning[] {
  const warnings: ConfigWarning[] = [];
  const warn = (event: string, message: string): void => {
    warnings.push({ event, severity: 'warn', message });
  };
  const { processors, memoryLimitBytes } = limits;
  const fronts = settings.number('server.front-threads');
  if (settings.isSet('server.front-threads') && fronts >= processors) {
    warn(
      'too-many-front-threads',
      `server.front-threads is ${fronts} (io-threads ${1 + fronts}), and main, the front threads and the shards have ${processors === 1 ? 'one processor' : `${processors} processors`}: they will wait for each other; set it to 0`,
    );
  }
  const maxMemory = settings.number('memory.maxmemory');
  if (memoryLimitBytes !== undefined && maxMemory > memoryLimitBytes) {
    warn(
      'maxmemory-above-limit',
      `memory.maxmemory is ${maxMemory} bytes and the cgroup allows ${memoryLimitBytes}: the kernel will end the server before data are evicted or refused`,
    );
  }
  return warnings;
}
