import { availableParallelism } from 'node:os';

/** Up to so many processors main moves the bytes by itself; with more, one in three is a front thread's. */
const CORES_WITHOUT = 3;
const CORES_EACH = 3;

/** Number of front threads that `server.front-threads` means on this machine, or one with so many processors. */
export function frontCount(wanted: number, cores = availableParallelism()): number {
  if (wanted >= 0) return wanted;
  return cores <= CORES_WITHOUT ? 0 : Math.floor(cores / CORES_EACH);
}

/** Number of front threads of a server: none in a cluster, where main sees to every reply that is written. */
export function frontCountOf(settings: {
  number(name: 'server.front-threads'): number;
  boolean(name: 'cluster.enabled'): boolean;
}): number {
  return settings.boolean('cluster.enabled')
    ? 0
    : frontCount(settings.number('server.front-threads'));
}
