/** Way of commands through main: users, the router and its turns, the clients, and how they are connected. */

import type { ConnectionConfig } from '#net';
import type { Router } from '#router';
import { type Access, newAccess } from '#access';
import { Clients, TlsCounts } from '#clients';
import { type Composed, MainModule, StartJudge, Turn } from '#main';
import { connectionConfig } from './connection-config.ts';
import type { Kernel } from './kernel.ts';
import { newRouter } from './new-router.ts';

export interface Routing {
  readonly access: Access;
  readonly router: Router;
  readonly turn: Turn<Router>;
  /** Publishes frames to the shards that were sent outside of a turn. */
  readonly beginTurn: () => void;
  readonly clients: Clients;
  readonly tlsCounts: TlsCounts;
  /** Configuration that all connections share. */
  readonly config: ConnectionConfig;
}

export function newRouting(kernel: Kernel): Routing {
  const { settings, page, log, clock, modules, blocks, connected } = kernel;
  const access = newAccess(kernel);
  const turn = new Turn({
    doorbell: kernel.serverMemory.doorbell,
    modules,
    loop: kernel.loop,
    fronts: kernel.frontPool.fronts,
    newRouter: (beginTurn) => newRouter({ ...kernel, access, beginTurn }),
  });
  const { router } = turn;
  const tlsCounts = new TlsCounts(page, log, clock);
  const clients = new Clients({
    router,
    access,
    settings,
    page,
    tls: tlsCounts,
    connected,
    blocks,
    left: modules.left,
    pausesChanged: modules.gate.changed,
    log,
  });
  // Only a node of a cluster holds output back, and each write would ask.
  const mayWrite = settings.boolean('cluster.enabled') ? modules.mayWrite : undefined;
  const config = connectionConfig(kernel, turn, { mayWrite });
  return { access, router, turn, beginTurn: turn.begin, clients, tlsCounts, config };
}

/** Has commands wait until the server serves. */
export function startModule({ progress, modules }: Kernel): Composed<object> {
  const start = new StartJudge(progress, modules, () => {
    modules.gate.drop('start');
  });
  return { module: new MainModule({ name: 'start', judges: { start } }), parts: {} };
}
