/** Puts together what a server has for its replicas. */

import { DiskWait } from '../durability/disk-wait.ts';
import { KeyFreeze } from '../durability/key-freeze.ts';
import type { LatencyEvents } from '#stats';
import type { ServerMemory } from '../threads/shared-memory.ts';
import { ReplicationEvents } from '../replication/replication-events.ts';
import { Replicas, type ReplicasOptions } from '../replication/primary/replicas.ts';

type NewReplicasOptions = Omit<
  ReplicasOptions,
  'shards' | 'freeze' | 'page' | 'usedBytes' | 'onDisk' | 'isOnDisk' | 'onWritten' | 'events'
> & {
  readonly serverMemory: ServerMemory;
  readonly latency: LatencyEvents;
};

export function newReplicas({ serverMemory, latency, ...options }: NewReplicasOptions): Replicas {
  const diskWait = new DiskWait(serverMemory);
  const writeWait = new DiskWait(serverMemory, 'written');
  return new Replicas({
    ...options,
    shards: serverMemory.shardPages.length,
    freeze: new KeyFreeze(),
    events: new ReplicationEvents({ flight: serverMemory.flight, latency, clock: options.clock }),
    page: serverMemory.mainPage,
    usedBytes: () => serverMemory.usedBytes,
    onDisk: (done) => {
      diskWait.add(done);
    },
    isOnDisk: () => diskWait.isThere,
    onWritten: (done) => {
      writeWait.add(done);
    },
  });
}
