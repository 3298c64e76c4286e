/** The cluster as a module of main; a server alone contributes no more than that it is none. */

import { type Composed, type InfoSection, MainModule } from '#main';
import { type Page, statusFields } from '#stats';
import { Cluster, type ClusterOptions } from './cluster.ts';
import type { NodeId } from './nodes/node-id.ts';
import { clusterDocument, clusterNodeDocument } from './observation/cluster-document.ts';

interface ClusterModuleOptions extends Omit<
  ClusterOptions,
  'nodeId' | 'pubsub' | 'flight' | 'ownKeys'
> {
  /** Undefined where the server is in no cluster. */
  readonly nodeId: NodeId | undefined;
  readonly serverMemory: {
    readonly flight: ClusterOptions['flight'];
    /** Keys of this server. */
    readonly keyCount: number;
    readonly mainPage: Page;
    readonly shardPages: readonly Page[];
  };
  readonly messaging: { readonly pubsub: ClusterOptions['pubsub'] };
}

type ClusterModule = Composed<
  { readonly cluster: Cluster | undefined },
  'cluster',
  'cluster' | 'cluster-node'
>;

export function clusterModule({ nodeId, ...options }: ClusterModuleOptions): ClusterModule {
  if (nodeId === undefined) return noCluster();
  return ofCluster(newCluster(nodeId, options), options.serverMemory);
}

function newCluster(nodeId: NodeId, options: Omit<ClusterModuleOptions, 'nodeId'>): Cluster {
  const { serverMemory, messaging } = options;
  return new Cluster({
    ...options,
    nodeId,
    pubsub: messaging.pubsub,
    flight: serverMemory.flight,
    ownKeys: () => serverMemory.keyCount,
  });
}

function noCluster(): ClusterModule {
  const module = new MainModule({
    name: 'cluster',
    ports: { cluster: undefined },
    info: infoSection(() => [['cluster_enabled', 0]]),
    answers: { cluster: () => null, 'cluster-node': () => null },
  });
  return { module, parts: { cluster: undefined } };
}

function ofCluster(
  cluster: Cluster,
  { mainPage, shardPages }: ClusterModuleOptions['serverMemory'],
): ClusterModule {
  const { gate, observation, messages, fence, place } = cluster;
  const module = new MainModule({
    name: 'cluster',
    judges: { node: { judge: (client, entry, args) => gate.judge(client, entry, args) } },
    hooks: {
      redirected: (kind, client) => {
        observation.redirects.count(kind, client.session);
      },
      published: (command, channel, message) => {
        messages.publish(command, channel, message);
      },
      mayWrite: () => fence.mayWrite(),
      isAwaited: () => place.isAwaited,
      start: () => {
        cluster.start();
      },
      leave: () => cluster.stop(),
    },
    ports: { cluster },
    info: infoSection(() => [
      ['cluster_enabled', 1],
      ...Object.entries(statusFields('cluster', mainPage, shardPages)).map(
        ([name, value]) => [`cluster_${name}`, value] as const,
      ),
    ]),
    answers: {
      cluster: () => clusterDocument(observation),
      'cluster-node': ({ id }) => clusterNodeDocument(observation, id),
    },
  });
  return { module, parts: { cluster } };
}

/**
 * Section of INFO with the figures of a node, in the names of the status document. It is shown to clients that name it:
 * exporters read INFO ALL and CLUSTER INFO, and would have lines of the same name twice.
 */
function infoSection(lines: InfoSection['lines']): InfoSection {
  return { name: 'Cluster', shownBy: 'none', lines };
}
