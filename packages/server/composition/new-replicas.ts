/** Puts together what a server has for its replicas. */

import type { Router } from '#router';
import { DiskWait, type KeyFreeze, type PersistenceSwitch } from '#durability';
import { Replicas, ReplicationEvents } from '#replication';
import type { Kernel } from './kernel.ts';

interface NewReplicasOptions extends Kernel {
  readonly router: Router;
  readonly freeze: KeyFreeze;
  readonly persistence: PersistenceSwitch;
}

export function newReplicas({ persistence, ...options }: NewReplicasOptions): Replicas {
  const { serverMemory, mainLatency, clock } = options;
  const diskWait = new DiskWait(serverMemory);
  const writeWait = new DiskWait(serverMemory, 'written');
  return new Replicas({
    ...options,
    shards: options.shardCount,
    events: new ReplicationEvents({
      flight: serverMemory.flight,
      latency: mainLatency.latency,
      clock,
    }),
    usedBytes: () => serverMemory.usedBytes,
    keepsLog: () => persistence.durability !== undefined,
    onDisk: (done) => {
      diskWait.add(done);
    },
    isOnDisk: () => diskWait.isThere,
    onWritten: (done) => {
      writeWait.add(done);
    },
  });
}
