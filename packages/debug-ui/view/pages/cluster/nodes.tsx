/** Nodes, each with its role, how far its data are, and how long a PING to it takes. */

import type { JSX } from 'preact';
import type { ClusterGroup, ClusterNode } from '../../../model/api.ts';
import { visible } from '../../../model/escape.ts';
import { bytes, count, micros, NONE, whole } from '../../../model/format.ts';
import { Badge } from '../../parts.tsx';
import { Table, type Column } from '../../table.tsx';

interface NodesProps {
  readonly nodes: readonly ClusterNode[];
  readonly groups: readonly ClusterGroup[];
}

export function Nodes({ nodes, groups }: NodesProps): JSX.Element {
  const numbers = new Map(groups.map(({ id }, index) => [id, index + 1]));
  return (
    <Table
      caption="Nodes"
      columns={columnsOf(numbers)}
      rows={nodes}
      keyOf={({ id }) => id}
      empty="This node is not registered yet."
    />
  );
}

function columnsOf(numbers: ReadonlyMap<string, number>): readonly Column<ClusterNode>[] {
  return [
    ...identity,
    {
      name: 'group',
      title: 'Group',
      isNumber: true,
      value: ({ group }) => numbers.get(group) ?? 0,
      show: ({ group }) => whole(numbers.get(group) ?? 0),
    },
    ...figures,
  ];
}

const identity: readonly Column<ClusterNode>[] = [
  {
    name: 'node',
    title: 'Node',
    isWide: true,
    value: ({ host, port }) => `${host}:${port}`,
    show: (node) => (
      <span title={node.id}>
        <code>
          {visible(node.host)}:{node.port}
        </code>{' '}
        {node.id.slice(0, 8)}
        {node.self && ' (this node)'}
      </span>
    ),
  },
  {
    name: 'health',
    title: 'Health',
    value: ({ present }) => Number(present),
    show: (node) =>
      node.present ? <Badge tone="good" text="has a lease" /> : <Badge tone="bad" text="away" />,
  },
  { name: 'role', title: 'Role', value: ({ role }) => role, show: ({ role }) => role },
];

const figures: readonly Column<ClusterNode>[] = [
  {
    name: 'latency',
    title: 'PING',
    isNumber: true,
    hint: 'round-trip time of the last PING, including delays of both main threads',
    value: ({ latency }) => latency?.last_us ?? -1,
    show: ({ latency }) => micros(latency?.last_us ?? null),
  },
  {
    name: 'slowest',
    title: 'Slowest',
    isNumber: true,
    hint: 'of the last 60 pings',
    value: ({ latency }) => latency?.max_us ?? -1,
    show: ({ latency }) => micros(latency?.max_us ?? null),
  },
  {
    name: 'failures',
    title: 'Failed',
    isNumber: true,
    hint: 'PINGs without a reply',
    value: ({ latency }) => latency?.failures ?? -1,
    show: ({ latency }) =>
      latency === null ? (
        NONE
      ) : (
        <span title={latency.problem ?? undefined}>
          {whole(latency.failures)} of {whole(latency.pings)}
        </span>
      ),
  },
  {
    name: 'lag',
    title: 'Behind',
    isNumber: true,
    hint: 'bytes by which a replica is behind, as both report to the coordinator',
    value: (node) => node.lag_bytes ?? -1,
    show: (node) => (node.lag_bytes === null ? NONE : bytes(node.lag_bytes)),
  },
  {
    name: 'slots',
    title: 'Slots',
    isNumber: true,
    value: ({ slots }) => slots,
    show: ({ slots }) => whole(slots),
  },
  {
    name: 'keys',
    title: 'Keys',
    isNumber: true,
    value: ({ keys }) => keys ?? -1,
    show: ({ keys }) => (keys === null ? NONE : count(keys)),
  },
  {
    name: 'version',
    title: 'Version',
    value: ({ version }) => version ?? '',
    show: ({ version }) => (version === null ? NONE : visible(version)),
  },
  {
    name: 'http',
    title: 'Debug pages',
    value: ({ http }) => http ?? '',
    show: ({ http }) =>
      http === null || !/^https?:\/\//.test(http) ? NONE : <a href={`${http}/debug/`}>open</a>,
  },
];
