/** Cluster data for commands, derived from the topology. */

import { SLOT_COUNT } from '#base';
import type { ClusterGroupDetails, ClusterNodeDetails } from '#commands';
import type { ClusterNode } from './agreement/cluster-node.ts';
import type { Member } from './agreement/topology.ts';
import type { MemberAddress } from './agreement/documents/documents.ts';

type KnownNode = Pick<ClusterNode, 'id' | 'topology' | 'group'>;

/** Properties of the client that asks for nodes. */
interface View {
  /** True if it is connected with TLS. */
  readonly isSecure: boolean;
  /** This node's own offset, which is newer here than with the coordinator. */
  readonly offset: number;
  readonly address: MemberAddress;
}

/** Groups that a node sees. One that has not registered yet sees itself. */
export function groupDetails(node: KnownNode, view: View): readonly ClusterGroupDetails[] {
  const members = node.topology.membersSeenBy(node.id);
  if (members.length === 0) return [{ id: '', nodes: [ownDetails(node, view)] }];
  const groups = new Map<string, ClusterNodeDetails[]>();
  for (const member of members) {
    const nodes = groups.get(member.group.id) ?? [];
    groups.set(member.group.id, nodes);
    nodes.push(detailsOf(node, member, view));
  }
  return [...groups].map(([id, nodes]) => ({ id, nodes }));
}

function ownDetails({ id }: KnownNode, { address, isSecure, offset }: View): ClusterNodeDetails {
  return {
    id,
    ...placeDetails(address, isSecure),
    isMyself: true,
    primary: undefined,
    isPresent: true,
    epoch: 0,
    offset,
    slots: [],
    migrating: [],
    importing: [],
  };
}

function placeDetails(address: MemberAddress, isSecure: boolean) {
  const { host, port, tlsPort, hostname, zone = '' } = address;
  const reported = isSecure && tlsPort > 0 ? tlsPort : port;
  return { host, hostname, zone, port: reported, plainPort: port, tlsPort };
}

function detailsOf(node: KnownNode, member: Member, view: View): ClusterNodeDetails {
  const { id, group, isPrimary } = member;
  const isMyself = id === node.id;
  const address = isMyself ? view.address : member.address;
  const moved = isMyself && isPrimary ? movedSlots(node, group.id) : NOTHING_MOVED;
  return {
    id,
    ...placeDetails(address, view.isSecure),
    isMyself,
    primary: isPrimary ? undefined : group.primary,
    isPresent: isMyself || member.node !== undefined,
    epoch: group.revision,
    offset: isMyself ? view.offset : (member.node?.offset ?? -1),
    slots: member.slots.map(([first, last]) => [first, last] as const),
    ...moved,
  };
}

type MovedSlots = Pick<ClusterNodeDetails, 'migrating' | 'importing'>;

const NOTHING_MOVED: MovedSlots = { migrating: [], importing: [] };

function movedSlots({ topology }: KnownNode, group: string): MovedSlots {
  const migrating: (readonly [number, string])[] = [];
  const importing: (readonly [number, string])[] = [];
  for (const [text, { migratingTo, importedBy }] of Object.entries(topology.slots.open)) {
    const slot = Number(text);
    const owner = topology.owners[slot];
    const target = topology.groups.get(migratingTo ?? '')?.primary;
    const source = topology.groups.get(owner ?? '')?.primary;
    if (owner === group && target !== undefined) migrating.push([slot, target]);
    if (importedBy === group && source !== undefined) importing.push([slot, source]);
  }
  return { migrating, importing };
}

/** Counts of messages between nodes: sent, dropped, dropped for lack of room, and received. */
interface MessageCounts {
  readonly sent: number;
  readonly lost: number;
  readonly overflows: number;
  readonly received: number;
}

/** Lines of CLUSTER INFO, in Redis' names. */
export function infoLines(
  node: KnownNode,
  isUp: boolean,
  messages: MessageCounts,
): readonly (readonly [name: string, value: string | number])[] {
  const { topology, group, id } = node;
  const seen = topology.membersSeenBy(id);
  const spans = seen.flatMap((member) =>
    member.slots.map(([first, last]) => ({
      count: last - first + 1,
      isServed: member.node !== undefined,
    })),
  );
  const assigned = spans.reduce((sum, { count }) => sum + count, 0);
  const served = spans.reduce((sum, { count, isServed }) => sum + (isServed ? count : 0), 0);
  return [
    ['cluster_state', isUp ? 'ok' : 'fail'],
    ['cluster_slots_assigned', assigned],
    ['cluster_slots_ok', served],
    ['cluster_slots_pfail', 0],
    ['cluster_slots_fail', assigned - served],
    ['cluster_known_nodes', Math.max(seen.length, 1)],
    ['cluster_size', seen.filter(({ slots }) => slots.length > 0).length],
    ['cluster_current_epoch', topology.revision],
    ['cluster_my_epoch', group?.revision ?? 0],
    ['cluster_slots_free', SLOT_COUNT - assigned],
    ['cluster_slot_migrations', topology.migrations.size],
    ['cluster_stats_messages_sent', messages.sent],
    ['cluster_stats_messages_received', messages.received],
    ['cluster_stats_messages_lost', messages.lost],
    ['total_cluster_links_buffer_limit_exceeded', messages.overflows],
  ];
}
