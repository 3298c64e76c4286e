/** INFO's lines of the replicas of this server. */

import type { Settings } from '#config';
import { lagSecs, type Primary } from '#replication';
import type { Line } from './info-lines.ts';

export function replicasLines(primary: Primary, settings: Settings, nowMs: number): Line[] {
  const { replicas, goodReplicas } = primary;
  const lines: Line[] = [['connected_slaves', replicas.length]];
  const isCounted =
    settings.number('replication.min-replicas-to-write') > 0 &&
    settings.number('replication.min-replicas-max-lag-secs') > 0;
  if (isCounted) lines.push(['min_slaves_good_slaves', goodReplicas]);
  for (const [nth, { host, listeningPort, state, ackOffset, ackMs }] of replicas.entries()) {
    const lag = state === 'online' ? lagSecs(nowMs, ackMs) : 0;
    const place = `ip=${host},port=${listeningPort}`;
    lines.push([`slave${nth}`, `${place},state=${state},offset=${ackOffset},lag=${lag}`]);
  }
  return lines;
}
