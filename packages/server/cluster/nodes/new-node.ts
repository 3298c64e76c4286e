/** Makes the node of the settings and of its parts here. */

import type { Clock, Logger } from '#base';
import {
  ClusterNode,
  etcd,
  TimedCoordinator,
  type ClusterHost,
  type ClusterIdentity,
} from '#cluster';
import { VERSION, type Settings } from '#config';
import { coordinatorOptions, replicaPolicy } from './coordinator-options.ts';
import { newId } from './node-id.ts';
import { announcedHttp } from '../observation/announced-http.ts';
import type { ClusterObservation } from '../observation/cluster-observation.ts';
import { nodeAddress } from '../../settings/node-address.ts';

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
