import { machineLimits } from '#base';

/** Number of cores up to which main serves the sockets itself; with more, one core in three gets a front thread. */
const CORES_WITHOUT = 3;
const CORES_EACH = 3;

/** Returns the number of front threads for a value of `server.front-threads` where `cores` processors may be used. */
export function frontCount(wanted: number, cores = machineLimits().processors): number {
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
