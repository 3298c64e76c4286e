/** Nodes of a cluster as found by a tool: reported by one of them, or by the coordinator. */

import type { ClusterState } from '#api-types';
import { httpGet, type ToolCertificates } from '#net';
import { etcd } from '../agreement/coordinator/etcd.ts';
import { Topology } from '../agreement/topology.ts';

/** Longest answer of a node about its cluster. */
const OVERVIEW_BYTES_MAX = 64 * 1024 * 1024;
const COORDINATOR_MS_MAX = 10_000;

export interface FoundNode {
  readonly id: string;
  readonly role: 'primary' | 'replica';
  readonly group: string;
  /** Address of its HTTP side; undefined if it announces none. */
  readonly http: string | undefined;
  /** It has a lease. */
  readonly isPresent: boolean;
}

/** Way to the HTTP side of nodes. */
export interface HttpAccess extends ToolCertificates {
  readonly token: string;
  readonly idleMs: number;
}

/** Returns the nodes that the node at an address knows. */
export async function nodesKnownTo(url: string, access: HttpAccess): Promise<readonly FoundNode[]> {
  const reply = await httpGet(`${url}/debug/api/cluster/overview`, access);
  const pieces: Uint8Array[] = [];
  let byteCount = 0;
  for await (const piece of reply.body) {
    byteCount += piece.length;
    if (byteCount > OVERVIEW_BYTES_MAX) throw new Error(`${url}: the reply is too long`);
    pieces.push(piece);
  }
  const text = Buffer.concat(pieces).toString();
  if (reply.status !== 200) throw new Error(`${url}: ${problemOf(reply.status, text)}`);
  const overview = JSON.parse(text) as ClusterState | { readonly enabled: false };
  if (!overview.enabled) throw new Error(`${url}: the server is no node of a cluster`);
  return overview.nodes.map(({ id, role, group, http, present }) => ({
    id,
    role,
    group,
    http: http ?? undefined,
    isPresent: present,
  }));
}

/** Says in words what a server has answered instead of a document. */
export function problemOf(status: number, text: string): string {
  if (status === 401) return 'it wants another token (--token-file)';
  let reason = '';
  try {
    const { error } = JSON.parse(text) as { readonly error?: string };
    reason = error === undefined ? '' : `: ${error}`;
  } catch {
    // Invalid documents are ignored.
  }
  return `it answers with status ${status}${reason}`;
}

/** Cluster at a coordinator, and the login there. */
interface CoordinatorPlace {
  readonly endpoints: readonly string[];
  readonly cluster: string;
  readonly username: string;
  readonly password: string;
}

/** Returns the nodes that the coordinator knows. */
export async function nodesOfCoordinator(place: CoordinatorPlace): Promise<readonly FoundNode[]> {
  const coordinator = etcd({ ...place, tls: undefined, timeoutMs: COORDINATOR_MS_MAX });
  try {
    const { entries, revision } = await coordinator.read();
    const topology = Topology.of(entries, revision);
    if (topology.groups.size === 0) {
      throw new Error(`the coordinator knows no cluster ${place.cluster}`);
    }
    return [...topology.groups.values()].flatMap((group) =>
      [group.primary, ...group.replicas].map((id) => {
        const node = topology.nodes.get(id);
        return {
          id,
          role: id === group.primary ? ('primary' as const) : ('replica' as const),
          group: group.id,
          http: node?.http === '' ? undefined : node?.http,
          isPresent: node !== undefined,
        };
      }),
    );
  } finally {
    coordinator.close();
  }
}
