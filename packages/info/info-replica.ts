/** INFO's lines of a replica. */

import type { Settings } from '#config';
import type { ReplicaSide } from '#replication';
import type { Line } from './info-lines.ts';

export function replicaLines(replica: ReplicaSide, settings: Settings, nowMs: number): Line[] {
  const { host, port, isUp, link, position, sync } = replica;
  const seconds = (sinceMs: number): number => Math.max(0, Math.floor((nowMs - sinceMs) / 1_000));
  const offset = position?.offset ?? 0;
  const lines: Line[] = [
    ['master_host', host],
    ['master_port', port],
    ['master_link_status', isUp ? 'up' : 'down'],
    ['master_last_io_seconds_ago', isUp ? Math.floor(link.silentMs / 1_000) : -1],
    ['master_sync_in_progress', Number(sync !== undefined)],
    ['slave_read_repl_offset', Math.max(offset, replica.readOffset)],
    ['slave_repl_offset', offset],
  ];
  if (sync !== undefined) {
    const total = sync.totalBytes ?? -1;
    const share = total > 0 ? (100 * sync.receivedBytes) / total : 0;
    lines.push(
      ['master_sync_total_bytes', Math.max(0, total)],
      ['master_sync_read_bytes', sync.receivedBytes],
      ['master_sync_left_bytes', total < 0 ? -sync.receivedBytes : total - sync.receivedBytes],
      ['master_sync_perc', share.toFixed(2)],
      ['master_sync_last_io_seconds_ago', seconds(sync.lastReceivedMs)],
      ['master_sync_keys', sync.keys],
    );
  }
  if (!isUp) lines.push(['master_link_down_since_seconds', seconds(replica.downSinceMs)]);
  lines.push(
    ['slave_priority', settings.number('replication.priority')],
    ['slave_read_only', Number(settings.boolean('replication.read-only'))],
    ['replica_announced', Number(settings.boolean('replication.announced'))],
    ['master_link_state', replica.state],
    ['master_link_state_seconds', seconds(link.stateSinceMs)],
    ['master_link_state_reason', oneLine(link.stateReason)],
    ['master_link_lag_ms', replica.lag?.ms ?? -1],
    ['master_link_last_failure', oneLine(link.lastFailure)],
    ['master_unapplied_bytes', replica.unapplied.bytes],
    ['master_unapplied_ms', Math.round(replica.unapplied.ms)],
    ['master_data_differ', Number(replica.faults.differs)],
    ['master_stream_last_error', faultLine(replica.faults.last)],
  );
  return lines;
}

/** Last command of the stream that could not be run, with its error; empty where there was none. */
function faultLine(fault: ReplicaSide['faults']['last']): string {
  return fault === undefined ? '' : oneLine(`${fault.command} ${fault.key}: ${fault.error}`);
}

/** Text of another server, which must not make lines of its own. */
function oneLine(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?');
}
