/** Way of commands through main: who a client is and what it may do, the router, the clients, and how they are connected. */

import type { ConnectionConfig } from '#net';
import type { Router } from '#router';
import { type Access, newAccess } from '#access';
import { Clients, TlsCounts } from '#clients';
import { StartJudge } from '#main';
import { connectionConfig } from './connection-config.ts';
import type { Kernel } from './kernel.ts';
import { newRouter } from './new-router.ts';

export interface Routing {
  readonly access: Access;
  readonly router: Router;
  readonly clients: Clients;
  readonly tlsCounts: TlsCounts;
  /** Configuration that all connections share. */
  readonly config: ConnectionConfig;
}

export function newRouting(kernel: Kernel): Routing {
  const { settings, page, log, clock, modules, turn, blocks, connected } = kernel;
  const access = newAccess(kernel);
  const router = newRouter({ ...kernel, access });
  turn.route(router);
  const tlsCounts = new TlsCounts(page, log, clock);
  const clients = new Clients({
    router,
    access,
    settings,
    page,
    tls: tlsCounts,
    connected,
    blocks,
    left: (client) => {
      modules.left(client);
    },
    pausesChanged: () => {
      modules.gate.changed();
    },
    log,
  });
  const start = new StartJudge(kernel.progress, modules, () => {
    modules.gate.drop('start');
  });
  modules.add(
    { judges: { start } },
    {
      judges: {
        client: { judge: (client, entry, args) => clients.gate(client, entry, args) },
        pause: {
          concerns: () => clients.hasPauses,
          judge: (client, entry, args) => clients.hold(client, entry, args),
        },
      },
      tick: (nowMs) => {
        clients.tick(nowMs);
      },
      get awaitsTick() {
        return clients.awaitsTick;
      },
    },
    {
      tick: (nowMs) => {
        access.tick(nowMs);
      },
    },
  );
  // Only a node of a cluster holds output back, and each write would ask.
  const mayWrite = settings.boolean('cluster.enabled') ? () => modules.mayWrite() : undefined;
  const config = connectionConfig(kernel, { mayWrite });
  return { access, router, clients, tlsCounts, config };
}
