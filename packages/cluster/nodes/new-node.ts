/** Makes the node of the settings and of its parts here. */

import type { Clock, Logger } from '#base';
import { type Settings, VERSION } from '#config';
import { type ClusterHost, ClusterNode } from '../agreement/cluster-node.ts';
import { etcd } from '../agreement/coordinator/etcd.ts';
import { TimedCoordinator } from '../agreement/coordinator/timed-coordinator.ts';
import type { ClusterIdentity } from '../agreement/cluster-view.ts';
import { nodeAddress } from '#main';
import { coordinatorOptions, replicaPolicy } from './coordinator-options.ts';
import { newId } from './node-id.ts';
import { announcedHttp } from '../observation/announced-http.ts';
import type { ClusterObservation } from '../observation/cluster-observation.ts';

interface NewNodeOptions {
  readonly id: string;
  readonly identity: ClusterIdentity;
  readonly leaseMs: number;
  readonly wish: () => { readonly group: string; readonly isNamed: boolean };
  readonly host: ClusterHost;
  readonly observation: ClusterObservation;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Logger;
}

export function newNode({ observation, settings, ...options }: NewNodeOptions): ClusterNode {
  const way = etcd(coordinatorOptions(settings));
  return new ClusterNode({
    ...options,
    run: newId(),
    version: VERSION,
    get address() {
      return nodeAddress(settings);
    },
    ...replicaPolicy(settings),
    http: announcedHttp(settings, nodeAddress(settings).host),
    coordinator: new TimedCoordinator(way, options.clock, observation.coordinator),
  });
}
