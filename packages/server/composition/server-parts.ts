/** Everything that main is made of, once it is put together. */

import type { ClientListeners } from '#clients';
import type { PersistenceSwitch } from '#durability';
import type { MetricsReader } from '#info';
import type { Replicas, Replication } from '#replication';
import type { Kernel } from './kernel.ts';
import type { Routing } from './routing.ts';

export interface ServerParts extends Kernel, Routing {
  readonly listeners: ClientListeners;
  readonly persistence: PersistenceSwitch;
  readonly replicas: Replicas;
  readonly replication: Replication;
  readonly metricsReader: MetricsReader;
}
