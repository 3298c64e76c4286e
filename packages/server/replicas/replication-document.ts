/** Replication as the debug API tells it. */

import type { PrimaryReport, ReplicaReport, ReplicationDocument } from '#api-types';
import type { Settings } from '#config';
import type { Primary, Replica } from '#replication';
import type { Replication } from '../replication/replication.ts';

export function replicationDocument(
  replication: Replication,
  settings: Settings,
  nowMs: number,
): ReplicationDocument {
  const { primary, role } = replication;
  return {
    role: role.role === 'master' ? 'primary' : 'replica',
    replid: replication.id,
    replid2: primary.stream.secondOffset < 0 ? null : primary.stream.secondId,
    offset: replication.offset,
    second_offset: primary.stream.secondOffset,
    backlog: {
      active: primary.isActive,
      size_bytes: settings.number('replication.backlog-size'),
      used_bytes: primary.backlogUsed,
      first_byte_offset: primary.backlogBegin,
    },
    waiting_units: primary.waitingUnits,
    buffer_bytes: primary.memoryBytes,
    primary: primaryReport(replication.replica),
    replicas: primary.replicas.map((replica) => replicaReport(primary, replica, nowMs)),
  };
}

function primaryReport(replica: Replication['replica']): PrimaryReport | null {
  if (replica === undefined) return null;
  const { host, port, state, link, sync, position } = replica;
  return {
    host,
    port,
    state,
    state_since_ms: Math.floor(link.stateSinceMs),
    offset: position?.offset ?? -1,
    last_failure: link.lastFailure === '' ? null : link.lastFailure,
    bytes_received: link.bytesReceived,
    silent_ms: Math.round(link.silentMs),
    sync:
      sync === undefined
        ? null
        : {
            total_bytes: sync.totalBytes ?? null,
            received_bytes: sync.receivedBytes,
            keys: sync.keys,
            started_ms: Math.floor(sync.startedMs),
          },
  };
}

function replicaReport(primary: Primary, replica: Replica, nowMs: number): ReplicaReport {
  const { link, state, reason, sinceMs, ackOffset, diskOffset, ackMs, version } = replica;
  return {
    id: link.id,
    addr: link.address,
    listening_port: replica.listeningPort,
    version: version === '' ? null : version,
    state,
    state_reason: reason,
    state_since_ms: Math.floor(sinceMs),
    offset: ackOffset,
    disk_offset: diskOffset,
    lag_bytes: primary.figures.lagBytes(replica),
    lag_ms: Math.round(primary.figures.lagMs(replica)),
    ack_age_ms: Math.max(0, Math.round(nowMs - ackMs)),
    held_bytes: primary.heldFor(replica),
  };
}
