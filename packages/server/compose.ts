/**
 * Composes main in the order of dependencies: each part uses earlier ones, and contributes what its module declares
 * (`main/kernel/main-module.ts`). A new feature is a package and a line here.
 */

import { fileURLToPath } from 'node:url';
import type { Settings } from '#config';
import type { EpollParts } from '#net';
import { accessModule } from '#access';
import { clientsModule } from '#clients';
import { clusterModule, NodeId } from '#cluster';
import { hotKeysModule, keySamplesModule, latencyModule, tracesModule } from '#diagnostics';
import { durabilityModule, type OwnFolder } from '#durability';
import { infoModule } from '#info';
import { Composition, type OpsWorker } from '#main';
import { messagingModule } from '#messaging';
import { replicasModule, replicationModule } from '#replication';
import { crashesModule } from './composition/crashes.ts';
import { newKernel } from './composition/kernel.ts';
import { listenersModule } from './composition/listeners-module.ts';
import { newRouting, startModule } from './composition/routing.ts';
import { tickerModule } from './composition/ticker-module.ts';
import { scriptsModule } from './ports/scripts-module.ts';
import { serverModule } from './ports/server-module.ts';
import { sessionModule } from './ports/session-module.ts';
import { settingsModule } from './ports/settings-module.ts';
import { Server } from './server.ts';
import { serviceModule } from './service/service-module.ts';
import type { ServiceNotices } from './service/service-notices.ts';
import { shutdownModule } from './shutdown-module.ts';

/** The file that is started. */
const EXECUTABLE = fileURLToPath(new URL('./main.js', import.meta.url));

interface ComposeOptions {
  readonly settings: Settings;
  /** The data folder; without it nothing is kept on disk at first. */
  readonly own: OwnFolder | undefined;
  /** Undefined where main's loop is libuv's. */
  readonly epoll: EpollParts | undefined;
  /** The ops thread, where it runs already. */
  readonly worker: OpsWorker | undefined;
  readonly service: ServiceNotices;
}

/** Puts a server together; `start` has it serve. */
export function composeServer(options: ComposeOptions): Server {
  const { settings, own, service } = options;
  const kernel = newKernel({ ...options, executable: EXECUTABLE, recovers: own !== undefined });
  const parts = new Composition(kernel)
    .with(newRouting)
    .add(startModule)
    .add(clientsModule)
    .add(accessModule)
    .add(listenersModule)
    .add(messagingModule)
    .add((made) => durabilityModule({ ...made, own }))
    .add(replicasModule)
    .with(() => ({ nodeId: nodeIdOf(settings) }))
    .add(replicationModule)
    .add(clusterModule)
    .add(latencyModule)
    .add(hotKeysModule)
    .add(keySamplesModule)
    .add(tracesModule)
    .add(infoModule)
    .add(scriptsModule)
    .add(sessionModule)
    .add(settingsModule)
    .add(serverModule)
    .add(tickerModule)
    .add((made) => serviceModule({ ...made, service }))
    .add(shutdownModule)
    .add(crashesModule)
    .end();
  const { access, router, beginTurn } = parts;
  access.begin((control) => {
    router.broadcast(control);
    beginTurn();
  });
  return new Server(parts);
}

/** Identity of this node; undefined where the server is in no cluster. */
function nodeIdOf(settings: Settings): NodeId | undefined {
  return settings.boolean('cluster.enabled') ? new NodeId(settings) : undefined;
}
