/** Puts the router of a server together: what it asks of others is asked when a command has come. */

import type { Clock, Logger } from '#base';
import type { Settings } from '#config';
import { Router, type MainNotes } from '#router';
import type { Access } from '../access/access.ts';
import { closesHttp } from '../clients/cross-protocol.ts';
import { runningScripts } from '../diagnostics/running-scripts.ts';
import type { ClientMessaging } from '../messaging/client-messaging.ts';
import type { MainRunner } from '../ports/main-runner.ts';
import type { ServerMemory } from './shared-memory.ts';

type RouterOptions = ConstructorParameters<typeof Router>[0];

interface NewRouterOptions extends Pick<RouterOptions, 'gate' | 'beginTurn' | 'links'> {
  readonly serverMemory: ServerMemory;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly notes: MainNotes;
  readonly log: Logger;
  // Made behind the router.
  readonly runner: () => MainRunner;
  readonly access: () => Access;
  readonly messaging: () => ClientMessaging;
}

export function newRouter(options: NewRouterOptions): Router {
  const { serverMemory, settings, clock, log, runner, access, messaging, ...rest } = options;
  return new Router({
    ...rest,
    memory: serverMemory.memory,
    page: serverMemory.mainPage,
    clock,
    log,
    tracing: { ring: serverMemory.traceRing(), random: Math.random },
    scripts: runningScripts(serverMemory, settings, log),
    runOnMain: (client, entry, args, reply) => {
      runner().run(client, entry, args, reply);
    },
    failureRefusal: (client, args) => access().failureRefusal(client, args),
    execRefusal: (client, entry, args) => access().execRefusal(client, entry, args),
    denied: (client, denial) => {
      access().deniedInShard(client, denial);
    },
    spokeHttp: closesHttp(log, () => clock.wallMs()),
    keyEvents: (body) => {
      messaging().keyEvents.take(body);
    },
    isOutOfMemory: () => serverMemory.isOutOfMemory(settings),
    queryBytesMax: () => settings.number('server.query-buffer-limit'),
  });
}
