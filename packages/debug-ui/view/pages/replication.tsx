/** Replication: the server's place in it, how far replicas are, why they needed all data, and what links went through. */

import type { JSX } from 'preact';
import type { Replication } from '../../model/api.ts';
import { age, bytes, count, micros, NONE, whole } from '../../model/format.ts';
import { Fact, Panel } from '../parts.tsx';
import { usePolled } from '../source.ts';
import { LagCharts } from './replication/lag-charts.tsx';
import { LinkChanges } from './replication/link-changes.tsx';
import { PrimaryLink } from './replication/primary-link.tsx';
import { Replicas } from './replication/replicas.tsx';
import { SyncCounts } from './replication/sync-counts.tsx';

const PERIOD_MS = 1_000;

export function ReplicationPage(): JSX.Element {
  const replication = usePolled<Replication>('/debug/api/replication', PERIOD_MS);
  const { data } = replication;
  return (
    <>
      <Panel title="Replication" source={replication}>
        {data !== null && <Facts replication={data} />}
      </Panel>
      {data !== null && data.primary !== null && (
        <Panel title="Link to the primary" source={replication}>
          <PrimaryLink primary={data.primary} />
        </Panel>
      )}
      <Panel title="Replicas" source={replication}>
        <Replicas replicas={data?.replicas ?? []} />
      </Panel>
      <LagCharts />
      <Panel title="Synchronisations" source={replication}>
        {data !== null && <SyncCounts counts={data.counts} />}
      </Panel>
      <LinkChanges changes={data?.history ?? []} source={replication} />
    </>
  );
}

function Facts({ replication }: { readonly replication: Replication }): JSX.Element {
  const { role, replicas, backlog, offset } = replication;
  const used = backlog.active
    ? `${bytes(backlog.used_bytes)} of ${bytes(backlog.size_bytes)} used`
    : 'not allocated: no replicas connected';
  const lasts = backlog.lasts_seconds === null ? NONE : age(backlog.lasts_seconds);
  const isShort = replication.good_replicas < replicas.length;
  return (
    <dl class="facts ten">
      <Fact label="Role" value={role} note={failoverNote(replication)} />
      <Fact
        label="Replicas"
        value={whole(replicas.length)}
        note={`${whole(replication.good_replicas)} good`}
        tone={isShort ? 'warn' : undefined}
      />
      <Fact
        label="Slowest behind"
        value={replicas.length === 0 ? NONE : micros(replication.lag_us)}
        note={replicas.length === 0 ? undefined : bytes(replication.lag_bytes)}
      />
      <Fact label="Offset" value={count(offset)} note={`id ${replication.replid.slice(0, 8)}`} />
      <Fact label="Backlog lasts" value={lasts} note={used} />
      <Fact
        label="Stream"
        value={perSecond(replication.stream_bytes_per_sec)}
        note={`${bytes(replication.stream_bytes)} in all`}
      />
      <Fact
        label="To replicas"
        value={perSecond(replication.bytes_out_per_sec)}
        note={`${bytes(replication.bytes_out)} in all`}
      />
      <Fact
        label="From the primary"
        value={perSecond(replication.bytes_in_per_sec)}
        note={`${bytes(replication.bytes_in)} in all`}
      />
      <Fact label="Buffers" value={bytes(replication.buffer_bytes)} note="stream and data sent" />
      <Fact
        label="Errors of the stream"
        value={whole(replication.counts.stream_errors)}
        tone={replication.counts.stream_errors > 0 ? 'bad' : undefined}
        note={`${whole(replication.counts.link_breaks)} links broke`}
      />
    </dl>
  );
}

function failoverNote({ failover_state: state }: Replication): string | undefined {
  return state === 'no-failover' ? undefined : state;
}

function perSecond(value: number): string {
  return `${bytes(value)}/s`;
}
