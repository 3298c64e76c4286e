/** Metrics of replicas one by one, and of the link to a primary, as main has told of them last. */

import type { ReplicaReport } from '#api-types';
import { metric, type MetricDefinition, type MetricSource } from '../definition.ts';

/** Replicas with samples of their own. */
const REPLICAS_MAX = 64;

/** Replicas by where they are reached: of those that tell the same place, the one that came last. */
export function replicasByPlace({ replication }: MetricSource): readonly ReplicaReport[] {
  const places = new Map<string, ReplicaReport>();
  for (const replica of replication?.replicas ?? []) places.set(placeOf(replica), replica);
  return [...places.values()].slice(-REPLICAS_MAX);
}

function placeOf({ host, listening_port: port }: ReplicaReport): string {
  return `${host}:${port}`;
}

function perReplica(
  head: { readonly name: string; readonly help: string; readonly unit?: 'bytes' | 'seconds' },
  of: (replica: ReplicaReport) => number,
): MetricDefinition {
  const labelled = { ...head, labels: ['replica', 'state'] };
  return metric('gauge', labelled, 'main, told every second', (source, samples) => {
    for (const replica of replicasByPlace(source)) {
      samples.value(of(replica), placeOf(replica), replica.state);
    }
  });
}

export const replicationMetrics: readonly MetricDefinition[] = [
  perReplica(
    {
      name: 'svc_replica_acknowledged_offset_bytes',
      help: 'Offset of the stream that a replica has acknowledged.',
      unit: 'bytes',
    },
    ({ offset }) => offset,
  ),
  perReplica(
    {
      name: 'svc_replica_behind_bytes',
      help: 'Bytes of the stream that a replica has not acknowledged.',
      unit: 'bytes',
    },
    (replica) => replica.lag_bytes,
  ),
  perReplica(
    {
      name: 'svc_replica_behind_seconds',
      help: 'Time by which a replica is behind: by timestamps in the stream, or by acknowledgements where it answers none.',
      unit: 'seconds',
    },
    (replica) => replica.lag_ms / 1_000,
  ),
  perReplica(
    {
      name: 'svc_replica_acknowledgement_age_seconds',
      help: 'Time since a replica has acknowledged anything.',
      unit: 'seconds',
    },
    (replica) => replica.ack_age_ms / 1_000,
  ),
  perReplica(
    {
      name: 'svc_replica_held_bytes',
      help: 'Bytes that are kept for a replica, and those that its connection has not written yet.',
      unit: 'bytes',
    },
    (replica) => replica.held_bytes + replica.output_buffer_bytes,
  ),
  metric(
    'gauge',
    {
      name: 'svc_primary_link_state',
      help: '1 for the state that the link of a replica to its primary is in.',
      labels: ['primary', 'state'],
    },
    'main, told every second',
    ({ replication }, samples) => {
      const primary = replication?.primary;
      if (!primary) return;
      samples.value(1, `${primary.host}:${primary.port}`, primary.state);
    },
  ),
];
