import type { Settings } from '#config';

/** Up to so many processors main moves the bytes by itself; with more, one in three is a front thread's. */
const CORES_WITHOUT = 3;
const CORES_EACH = 3;

/** Number of front threads that the settings ask for on a machine with so many processors. */
export function frontCountOf(settings: Settings, cores: number): number {
  const wanted = settings.number('server.front-threads');
  if (wanted >= 0) return wanted;
  return cores <= CORES_WITHOUT ? 0 : Math.floor(cores / CORES_EACH);
}
