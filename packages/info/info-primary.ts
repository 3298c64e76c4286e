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
  for (const [nth, { host, announced, state, ack }] of replicas.entries()) {
    const lag = state === 'online' ? lagSecs(nowMs, ack.ms) : 0;
    const place = `ip=${host},port=${announced.listeningPort}`;
    lines.push([`slave${nth}`, `${place},state=${state},offset=${ack.offset},lag=${lag}`]);
  }
  return lines;
}

/** Additional lines to those of Redis: lag of each replica in bytes and milliseconds, and its buffers. */
export function replicaLagLines(primary: Primary, nowMs: number): Line[] {
  return primary.replicas.map((replica, nth) => {
    const { link, ack, sinceMs } = replica;
    const { figures } = primary;
    const parts = {
      addr: link.address,
      lag_bytes: figures.lagBytes(replica),
      lag_ms: Math.round(figures.lagMs(replica)),
      lag_source: figures.hasStampLag(replica) ? 'timestamps' : 'acknowledgements',
      ack_age_ms: Math.max(0, Math.round(nowMs - ack.ms)),
      buffer_bytes: primary.heldFor(replica) + link.pendingBytes,
      state_seconds: Math.max(0, Math.floor((nowMs - sinceMs) / 1_000)),
    };
    const reported = Object.entries(parts).map(([name, value]) => `${name}=${value}`);
    return [`replica${nth}`, reported.join(',')];
  });
}
