/** Zone of the shown times: that of the reader, or UTC. */

import { useEffect, useState } from 'preact/hooks';
import { setUtc } from '../model/format.ts';
import { recall, remember } from './browser.ts';

const listeners = new Set<() => void>();

let isUtc = recall('zone') === 'utc';
setUtc(isUtc);

export function toggleUtc(): void {
  isUtc = !isUtc;
  remember('zone', isUtc ? 'utc' : 'local');
  setUtc(isUtc);
  for (const listener of listeners) listener();
}

/** Renders again when the zone changes; true for UTC. */
export function useUtc(): boolean {
  const [, setRound] = useState(0);
  useEffect(() => {
    const listener = (): void => setRound((round) => round + 1);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return isUtc;
}
