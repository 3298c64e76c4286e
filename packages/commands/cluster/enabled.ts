/** Beginning of all commands of the family: there is a cluster. */

import { CommandError } from '#base';
import type { CommandHead } from '../definition/definition.ts';
import { noKeys } from '../definition/keys.ts';
import type { ClusterContext, ClusterPort } from './ports.ts';

const disabled = new CommandError('ERR This instance has cluster support disabled');

/** The cluster; throws where the server is in none. */
export function clusterOf({ cluster }: ClusterContext): ClusterPort {
  if (cluster === undefined) throw disabled;
  return cluster;
}

/** Fields of commands that anybody may send. */
export const ofCluster = {
  group: 'cluster',
  keys: noKeys,
  flags: ['stale'],
} as const satisfies Partial<CommandHead>;

/** Fields of commands that change the cluster. */
export const ofAdministration = {
  group: 'cluster',
  keys: noKeys,
  flags: ['admin', 'stale', 'no_async_loading'],
} as const satisfies Partial<CommandHead>;
