/** Persistence: how far the disk is behind, how long its syncs take, snapshots, and failures. */

import type { JSX } from 'preact';
import type { Persistence } from '../../model/api.ts';
import { age, bytes, counted, dateTime, micros, NONE, percent, whole } from '../../model/format.ts';
import { post, wallMs } from '../browser.ts';
import { Done, Fact, Panel, Problem, useDoing } from '../parts.tsx';
import { ActionButton } from '../scope.tsx';
import { usePolled, type Polled } from '../source.ts';
import { Failures } from './persistence/failures.tsx';
import { Logs } from './persistence/logs.tsx';
import { Snapshots } from './persistence/snapshots.tsx';

const PERIOD_MS = 2_000;

export function PersistencePage(): JSX.Element {
  const persistence = usePolled<Persistence>('/debug/api/persistence', PERIOD_MS);
  const { data } = persistence;
  if (data !== null && !data.enabled) {
    return (
      <Panel title="Durability" source={persistence}>
        <p class="empty">Nothing is kept on disk: persistence.enabled is off.</p>
      </Panel>
    );
  }
  return (
    <>
      <Panel title="Durability" source={persistence}>
        {data !== null && <State persistence={data} />}
      </Panel>
      <SnapshotPanel persistence={persistence} />
      <Panel title="Failures" source={persistence}>
        {data !== null && <Failures outcomes={data.outcomes} />}
      </Panel>
      <Panel title="Logs of shards" source={persistence}>
        <Logs logs={data?.logs ?? []} />
      </Panel>
    </>
  );
}

function State({ persistence }: { readonly persistence: Persistence }): JSX.Element {
  const { sync, disk } = persistence;
  return (
    <>
      {persistence.log_failed && (
        <p class="issue bad">A log cannot be written: see the failures below.</p>
      )}
      {persistence.awaits_snapshot && (
        <p class="issue warn">
          The first snapshot is not finished: a restart would lose all changes since persistence was
          switched on.
        </p>
      )}
      <dl class="facts">
        <Fact label="Mode" value={persistence.durability_mode ?? NONE} />
        <Fact label="Lag" value={micros(persistence.lag_ms * 1_000)} note="oldest unsynced write" />
        <Fact
          label="Pending"
          value={bytes(persistence.pending_bytes)}
          note={counted(persistence.pending_records, 'record')}
        />
        <Fact
          label="Sync p50 / p99"
          value={sync.syncs === 0 ? NONE : `${micros(sync.p50_us)} / ${micros(sync.p99_us)}`}
          note={counted(sync.syncs, 'sync')}
        />
        <Fact
          label="Sync p99.9 / max"
          value={sync.syncs === 0 ? NONE : `${micros(sync.p999_us)} / ${micros(sync.max_us)}`}
          note="since the start"
        />
        <Fact
          label="Free disk"
          value={bytes(disk?.free_bytes)}
          note={
            disk === null
              ? 'unknown'
              : `${percent((100 * disk.free_bytes) / disk.total_bytes)} free`
          }
        />
      </dl>
      {disk !== null && (
        <p class="prose">
          Data folder: <code>{disk.folder}</code>
        </p>
      )}
    </>
  );
}

interface SnapshotPanelProps {
  readonly persistence: Polled<Persistence>;
}

function SnapshotPanel({ persistence }: SnapshotPanelProps): JSX.Element {
  const doing = useDoing();
  const { data } = persistence;
  const start = (): void =>
    doing.run(async () => {
      await post('/debug/api/snapshot');
      await persistence.again();
      return 'Snapshot started.';
    });
  return (
    <Panel
      title="Snapshots"
      source={persistence}
      aside={
        <ActionButton
          type="button"
          class="primary"
          disabled={doing.isBusy || data?.enabled !== true}
          onClick={start}
        >
          Snapshot now
        </ActionButton>
      }
    >
      <Problem text={doing.problem} />
      <Done text={doing.done} />
      {data !== null && <SnapshotFacts snapshot={data.snapshot} />}
      {data !== null && <Snapshots outcomes={data.outcomes} />}
    </Panel>
  );
}

function SnapshotFacts({ snapshot }: Pick<Persistence, 'snapshot'>): JSX.Element {
  const { running_since_time_ms: runningMs, last_time_ms: lastMs, last_ok: isOk } = snapshot;
  return (
    <dl class="facts">
      <Fact
        label="Now"
        value={runningMs === null ? 'none running' : 'running'}
        note={runningMs === null ? undefined : `since ${dateTime(runningMs)}`}
      />
      <Fact
        label="Last attempt"
        value={isOk === null ? NONE : isOk ? 'succeeded' : 'failed'}
        tone={isOk === false ? 'bad' : undefined}
        note={`${whole(snapshot.finished)} finished, ${whole(snapshot.failed)} failed`}
      />
      <Fact
        label="Age of the last"
        value={lastMs === null ? NONE : age((wallMs() - lastMs) / 1_000)}
        note={dateTime(lastMs)}
      />
      <Fact
        label="Size of the last"
        value={bytes(snapshot.last_bytes)}
        note={`${counted(snapshot.last_keys, 'key')} in ${micros(snapshot.last_duration_us)}`}
      />
      <Fact label="Changes since" value={whole(snapshot.changes_since)} />
    </dl>
  );
}
