/** Table of causes: everything that can limit the server, and how it is judged. */

import type { LimitCause } from '#api-types';
import * as data from './data-causes.ts';
import type { Facts } from './facts.ts';
import type { Judge, Judged } from './finding.ts';
import * as threads from './thread-causes.ts';
import * as work from './work-causes.ts';

/** Each cause as users read it, and its judge. */
export const CAUSES: Readonly<
  Record<LimitCause, { readonly title: string; readonly judge: Judge }>
> = {
  command: { title: 'one command or script', judge: work.command },
  client: { title: 'one client', judge: work.client },
  key: { title: 'one key', judge: work.key },
  machine: { title: 'the machine', judge: threads.machine },
  disk: { title: 'the disk', judge: data.disk },
  memory: { title: 'the memory limit', judge: data.memory },
  replication: { title: 'replication', judge: data.replication },
  tier: { title: 'the warm tier', judge: data.tier },
  network: { title: 'the network', judge: data.network },
  barrier: { title: 'transactions over all shards', judge: work.barrier },
  garbage: { title: 'garbage collection', judge: threads.garbage },
  shard: { title: 'the shards', judge: threads.shards },
  front: { title: 'front threads', judge: threads.fronts },
  main: { title: 'the main thread', judge: threads.main },
};

export const LIMIT_CAUSES = Object.keys(CAUSES) as readonly LimitCause[];

/** Everything that limits the server, the strongest first. */
export function judgeLimits(facts: Facts): readonly Judged[] {
  return Object.values(CAUSES)
    .flatMap(({ judge }) => judge(facts))
    .sort((a, b) => b.weight - a.weight);
}
