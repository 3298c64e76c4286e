/** Metrics of each replica, and of the link to a primary, from the latest state that main has sent. */

import type { ReplicaReport } from '#api-types';
import { metric, type MetricDefinition, type MetricSource } from '../definition.ts';

/** Maximum number of replicas with their own samples. */
const REPLICAS_MAX = 64;

/** Returns replicas by address: of those with equal addresses, the latest one. */
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
  return metric('gauge', labelled, 'main, reported every second', (source, samples) => {
    for (const replica of replicasByPlace(source)) {
      samples.value(of(replica), placeOf(replica), replica.state);
    }
  });
}

export const replicationMetrics: readonly MetricDefinition[] = [
  perReplica(
    {
      name: 'svc_replica_acknowledged_offset_bytes',
      help: 'Offset acknowledged by a replica.',
      unit: 'bytes',
    },
    ({ offset }) => offset,
  ),
  perReplica(
    {
      name: 'svc_replica_behind_bytes',
      help: 'Bytes of the stream not yet acknowledged by a replica.',
      unit: 'bytes',
    },
    (replica) => replica.lag_bytes,
  ),
  perReplica(
    {
      name: 'svc_replica_behind_seconds',
      help: 'Lag of a replica: by timestamps in the stream, or by acknowledgements if it does not return them.',
      unit: 'seconds',
    },
    (replica) => replica.lag_ms / 1_000,
  ),
  perReplica(
    {
      name: 'svc_replica_acknowledgement_age_seconds',
      help: 'Time since the last acknowledgement of a replica.',
      unit: 'seconds',
    },
    (replica) => replica.ack_age_ms / 1_000,
  ),
  perReplica(
    {
      name: 'svc_replica_held_bytes',
      help: 'Bytes buffered for a replica, including those of its connection.',
      unit: 'bytes',
    },
    (replica) => replica.held_bytes + replica.output_buffer_bytes,
  ),
  metric(
    'gauge',
    {
      name: 'svc_primary_link_state',
      help: '1 for the current state of the link of this replica to its primary.',
      labels: ['primary', 'state'],
    },
    'main, reported every second',
    ({ replication }, samples) => {
      const primary = replication?.primary;
      if (!primary) return;
      samples.value(1, `${primary.host}:${primary.port}`, primary.state);
    },
  ),
];
