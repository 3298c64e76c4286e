/** Creates the gate of commands from the settings and the state of the cluster. */

import type { Clock } from '#base';
import { databaseCountOf, type EndpointType } from '#commands';
import type { Settings } from '#config';
import type { Router } from '#router';
import type { ClusterNode } from '../agreement/cluster-node.ts';
import { ClusterGate } from './cluster-gate.ts';
import type { ClusterObservation } from '../observation/cluster-observation.ts';
import type { SlotTable } from '../slots/slot-table.ts';

interface NewGateOptions {
  readonly settings: Settings;
  readonly router: Router;
  readonly clock: Clock;
  readonly table: SlotTable;
  readonly cluster: {
    readonly node: ClusterNode;
    readonly endpointType: EndpointType;
    readonly observation: ClusterObservation;
  };
}

export function newGate({ settings, router, clock, table, cluster }: NewGateOptions): ClusterGate {
  const { node, observation } = cluster;
  return new ClusterGate({
    databases: databaseCountOf(settings),
    table,
    lease: node.lease,
    nowUs: () => clock.nowUs(),
    turnUs: () => router.nowUs,
    requiresFullCoverage: () => settings.boolean('cluster.require-full-coverage'),
    allowsReadsWhenDown: () => settings.boolean('cluster.allow-reads-when-down'),
    allowsShardChannelsWhenDown: () => settings.boolean('cluster.allow-pubsubshard-when-down'),
    endpointType: () => cluster.endpointType,
    problem: () => node.problem,
    mayWrite: (entry, args) =>
      entry.isWrite ||
      // PFCOUNT may store its cached count, which is not a write of the client.
      (entry.script !== undefined && router.scripts.mayWrite(entry, args)),
    redirected: (kind, client) => {
      observation.redirects.count(kind, client.session);
    },
  });
}
