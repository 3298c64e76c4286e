/** The cluster as this node sees it: slots by group, nodes and the ways to them, the lease, redirects, and what happened. */

import type { JSX } from 'preact';
import type { Cluster, NoCluster } from '../../model/api.ts';
import { visible } from '../../model/escape.ts';
import { micros, NONE, whole } from '../../model/format.ts';
import type { Reading } from '../../model/freshness.ts';
import { Fact, Panel } from '../parts.tsx';
import { usePolled } from '../source.ts';
import { CoordinatorCalls } from './cluster/coordinator-calls.tsx';
import { ClusterEvents } from './cluster/events.tsx';
import { Groups } from './cluster/groups.tsx';
import { Nodes } from './cluster/nodes.tsx';
import { Redirects } from './cluster/redirects.tsx';
import { SlotMap } from './cluster/slot-map.tsx';

const PERIOD_MS = 1_000;

export function ClusterPage(): JSX.Element {
  const source = usePolled<Cluster | NoCluster>('/debug/api/cluster/overview', PERIOD_MS);
  const { data } = source;
  if (data?.enabled === true) return <Panels cluster={data} source={source} />;
  return (
    <Panel title="Cluster" source={source}>
      {data !== null && (
        <p class="prose">
          This server is not part of a cluster: <code>cluster.enabled</code> is off.
        </p>
      )}
    </Panel>
  );
}

interface PanelsProps {
  readonly cluster: Cluster;
  readonly source: Reading;
}

function Panels({ cluster, source }: PanelsProps): JSX.Element {
  return (
    <>
      <Panel title="Cluster" source={source}>
        <Facts cluster={cluster} />
        {cluster.state_reason !== null && (
          <p class="problem">It refuses commands with keys: {visible(cluster.state_reason)}.</p>
        )}
      </Panel>
      <Panel title="Slots" source={source}>
        <SlotMap groups={cluster.groups} />
        <Groups groups={cluster.groups} open={cluster.slots.open} />
      </Panel>
      <Panel title="Nodes" source={source}>
        <Nodes nodes={cluster.nodes} groups={cluster.groups} />
      </Panel>
      <ClusterEvents events={cluster.history} nodes={cluster.nodes} source={source} />
      <Panel title="Calls to the coordinator" source={source}>
        <CoordinatorCalls calls={cluster.coordinator.calls} />
      </Panel>
      <Panel title="Redirected commands" source={source}>
        <Redirects all={cluster.redirects} libraries={cluster.redirects_by_library} />
      </Panel>
    </>
  );
}

function Facts({ cluster }: { readonly cluster: Cluster }): JSX.Element {
  const { slots, lease, coordinator } = cluster;
  const isRisky = lease.remaining_ms < lease.ttl_ms / 2;
  const isWhole = slots.fail + slots.free === 0;
  return (
    <dl class="facts ten">
      <Fact
        label="State"
        value={cluster.state}
        tone={cluster.state === 'ok' ? 'good' : 'bad'}
        note={`cluster ${visible(cluster.name)}`}
      />
      <Fact
        label="This node"
        value={cluster.role ?? NONE}
        note={`id ${cluster.node_id.slice(0, 8)}`}
      />
      <Fact
        label="Nodes"
        value={whole(cluster.known_nodes)}
        tone={cluster.nodes_present < cluster.known_nodes ? 'warn' : undefined}
        note={`${whole(cluster.nodes_present)} with a lease`}
      />
      <Fact
        label="Slots served"
        value={whole(slots.ok)}
        tone={isWhole ? undefined : 'bad'}
        note={`${whole(slots.free)} unassigned, ${whole(slots.fail)} without a primary`}
      />
      <Fact label="Own slots" value={whole(slots.own)} note={`${whole(slots.open.length)} open`} />
      <Fact
        label="Lease lasts"
        value={lease.held ? micros(1_000 * lease.remaining_ms) : 'none'}
        tone={isRisky ? 'bad' : undefined}
        note={`of ${micros(1_000 * lease.ttl_ms)}; ${whole(lease.losses)} lost`}
      />
      <Fact
        label="Coordinator"
        value={coordinator.up ? 'answers' : 'away'}
        tone={coordinator.up ? 'good' : 'bad'}
        note={coordinator.problem === null ? undefined : visible(coordinator.problem)}
      />
      <Fact
        label="Groups without primary"
        value={whole(cluster.groups_without_primary)}
        tone={cluster.groups_without_primary > 0 ? 'bad' : undefined}
      />
      <Fact
        label="Epoch"
        value={whole(cluster.current_epoch)}
        note={`own group ${whole(cluster.my_epoch)}`}
      />
      <Fact label="Failovers seen" {...failoversIn(cluster)} />
    </dl>
  );
}

function failoversIn({ failovers_by_reason: counts }: Cluster): { value: string; note: string } {
  const reasons = Object.entries(counts);
  return {
    value: whole(reasons.reduce((sum, [, count]) => sum + count, 0)),
    note: reasons.map(([reason, count]) => `${reason} ${whole(count)}`).join(', '),
  };
}
