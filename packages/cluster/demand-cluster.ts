/** Faults of a configuration of a node that no setting has by itself. */

import type { Settings } from '#config';
import { coordinatorOptions } from './nodes/coordinator-options.ts';

/** Throws an error about invalid cluster settings; does nothing without a cluster. */
export function demandCluster(settings: Settings): void {
  if (!settings.boolean('cluster.enabled')) return;
  if (settings.get('cluster.coordinator-endpoints').length === 0) {
    throw new Error('cluster.enabled needs cluster.coordinator-endpoints');
  }
  if (!/^[\w.-]+$/.test(settings.string('cluster.name'))) {
    throw new Error('cluster.name must consist of letters, digits, dots and dashes');
  }
  if (settings.string('replication.primary-host') !== '') {
    throw new Error(
      'replication.primary-host is not allowed with cluster.enabled: the cluster assigns replicas to primaries',
    );
  }
  if (settings.number('server.front-threads') > 0) {
    // A front thread could send output of main after the lease has expired.
    throw new Error('cluster.enabled needs server.front-threads at 0 or -1');
  }
  coordinatorOptions(settings);
}
