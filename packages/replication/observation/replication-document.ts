/** Replication in the debug API. */

import type {
  LinkChangeReport,
  PrimaryReport,
  ReplicaReport,
  ReplicationDocument,
  ReplicationState,
  SyncCounts,
} from '#api-types';
import type { Settings } from '#config';
import { REPLICATION_QUANTITIES } from '#quantities';
import type { Page } from '#stats';
import type { LinkChange } from '../protocol/history.ts';
import type { Primary } from '../protocol/primary/primary.ts';
import type { Replica } from '../protocol/primary/replica.ts';
import type { Replication } from '../replication.ts';
import type { StreamFault } from '../stream-faults.ts';
import { percentOf, type SyncProgress } from '../sync-progress.ts';

export function replicationDocument(
  replication: Replication,
  settings: Settings,
  nowMs: number,
): ReplicationDocument {
  const history = replication.events.latest.map(changeReport);
  return { ...replicationState(replication, settings, nowMs), history };
}

/** All of it but the history. */
export function replicationState(
  replication: Replication,
  settings: Settings,
  nowMs: number,
): ReplicationState {
  const { primary, role, page } = replication;
  // Figures that are updated with every tick are updated now.
  primary.figures.show();
  const lastsSeconds = page.get('backlogLastsSecs');
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
      lasts_seconds: lastsSeconds < 0 ? null : lastsSeconds,
    },
    failover_state: replication.failover.state,
    good_replicas: page.get('goodReplicas'),
    lag_bytes: page.get('replicaLagBytes'),
    lag_us: page.get('replicaLagUs'),
    stream_bytes: page.get('streamBytes'),
    stream_bytes_per_sec: page.get('streamRate'),
    bytes_in: page.get('replicationInputBytes'),
    bytes_in_per_sec: page.get('replicationInputRate'),
    bytes_out: page.get('replicationOutputBytes'),
    bytes_out_per_sec: page.get('replicationOutputRate'),
    counts: countsOf(page),
    waiting_units: primary.units.waiting,
    buffer_bytes: primary.memoryBytes,
    primary: primaryReport(replication.replica, settings),
    replicas: primary.replicas.map((replica) => replicaReport(primary, replica, nowMs)),
  };
}

function countsOf(page: Page): SyncCounts {
  return {
    full_syncs: page.get('fullSyncs'),
    full_syncs_by_reason: Object.fromEntries(
      REPLICATION_QUANTITIES.syncReasons.map(({ counter, label: [, reason] }) => [
        reason,
        page.get(counter),
      ]),
    ),
    partial_syncs: page.get('partialSyncs'),
    partial_syncs_refused: page.get('partialSyncsRefused'),
    own_full_syncs: page.get('primaryFullSyncs'),
    own_partial_syncs: page.get('primaryPartialSyncs'),
    link_breaks: page.get('primaryLinkBreaks'),
    stream_errors: page.get('replicaErrors'),
  };
}

function changeReport({ timeMs, link, peer, client, state, reason }: LinkChange): LinkChangeReport {
  return {
    time_ms: timeMs,
    link,
    peer: peer === '' ? null : peer,
    client: client ?? null,
    state,
    reason,
  };
}

function primaryReport(replica: Replication['replica'], settings: Settings): PrimaryReport | null {
  if (replica === undefined) return null;
  const { host, port, state, link, sync, position, lag, faults } = replica;
  return {
    host,
    port,
    state,
    state_reason: link.stateReason,
    state_since_ms: Math.floor(link.stateSinceMs),
    offset: position?.offset ?? -1,
    read_offset: replica.readOffset,
    unapplied_bytes: replica.unapplied.bytes,
    unapplied_ms: Math.round(replica.unapplied.ms),
    lag_ms: lag?.ms ?? null,
    lag_time_ms: lag?.atMs ?? null,
    last_failure: link.lastFailure === '' ? null : link.lastFailure,
    stream_fault: faults.last === undefined ? null : faultReport(faults.last),
    data_differ: faults.differs,
    bytes_received: link.bytesReceived,
    priority: settings.number('replication.priority'),
    read_only: settings.boolean('replication.read-only'),
    silent_ms: Math.round(link.silentMs),
    sync: sync === undefined ? null : syncReport(sync),
  };
}

function faultReport({ command, key, error, atMs }: StreamFault): PrimaryReport['stream_fault'] {
  return { command, key, error, time_ms: Math.floor(atMs) };
}

function syncReport(sync: SyncProgress): PrimaryReport['sync'] {
  const { totalBytes, receivedBytes, keys, startedMs } = sync;
  return {
    total_bytes: totalBytes ?? null,
    received_bytes: receivedBytes,
    percent: percentOf(sync),
    keys,
    started_ms: Math.floor(startedMs),
  };
}

function replicaReport(primary: Primary, replica: Replica, nowMs: number): ReplicaReport {
  const { link, state, reason, sinceMs, ack } = replica;
  const { version } = replica.announced;
  const { figures } = primary;
  return {
    id: link.id,
    addr: link.address,
    host: replica.host,
    listening_port: replica.announced.listeningPort,
    version: version === '' ? null : version,
    state,
    state_reason: reason,
    state_since_ms: Math.floor(sinceMs),
    offset: ack.offset,
    disk_offset: ack.diskOffset,
    lag_bytes: figures.lagBytes(replica),
    lag_ms: Math.round(figures.lagMs(replica)),
    lag_source: figures.hasStampLag(replica) ? 'timestamps' : 'acknowledgements',
    ack_age_ms: Math.max(0, Math.round(nowMs - ack.ms)),
    held_bytes: primary.heldFor(replica),
    output_buffer_bytes: link.pendingBytes,
    sent_bytes: link.sentBytes,
    sync_reason: replica.sync.reason ?? null,
  };
}
