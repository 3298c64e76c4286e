/** Puts together what a server has for its replicas. */

import { DiskWait } from '../durability/disk-wait.ts';
import { KeyFreeze } from '../durability/key-freeze.ts';
import type { ServerMemory } from '../threads/shared-memory.ts';
import { Replicas, type ReplicasOptions } from './replicas.ts';

type NewReplicasOptions = Omit<
  ReplicasOptions,
  'shards' | 'freeze' | 'page' | 'usedBytes' | 'onDisk'
> & {
  readonly serverMemory: ServerMemory;
};

export function newReplicas({ serverMemory, ...options }: NewReplicasOptions): Replicas {
  const diskWait = new DiskWait(serverMemory);
  return new Replicas({
    ...options,
    shards: serverMemory.shardPages.length,
    freeze: new KeyFreeze(),
    page: serverMemory.mainPage,
    usedBytes: () => serverMemory.usedBytes,
    onDisk: (done) => {
      diskWait.add(done);
    },
  });
}
