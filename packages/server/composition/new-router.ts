/** Puts the router of a server together. */

import type { Clock, Logger } from '#base';
import type { Settings } from '#config';
import { Router, type MainNotes } from '#router';
import { isAtOneCommand } from '#stats';
import type { Access } from '../access/access.ts';
import { closesHttp } from '../clients/cross-protocol.ts';
import { runningScripts } from '../diagnostics/running-scripts.ts';
import type { ServerMemory } from '../threads/shared-memory.ts';

type RouterOptions = ConstructorParameters<typeof Router>[0];

/**
 * Calls by which the router tells of what has come up. What they reach is made behind it, and cannot be made before: commands
 * on main may ask anything of the server, and messages and turns are sent by the router.
 */
type RouterCalls = Pick<
  RouterOptions,
  'gate' | 'runOnMain' | 'keyEvents' | 'replication' | 'redirected' | 'beginTurn'
>;

interface NewRouterOptions extends RouterCalls, Pick<RouterOptions, 'links' | 'running'> {
  readonly serverMemory: ServerMemory;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly notes: MainNotes;
  readonly log: Logger;
  readonly access: Access;
}

export function newRouter(options: NewRouterOptions): Router {
  const { serverMemory, settings, clock, log, access, ...rest } = options;
  return new Router({
    ...rest,
    memory: serverMemory.memory,
    page: serverMemory.mainPage,
    clock,
    log,
    tracing: { ring: serverMemory.traceRing(), random: Math.random },
    scripts: runningScripts(serverMemory, settings, log),
    failureRefusal: (client, args) => access.failureRefusal(client, args),
    execRefusal: (client, entry, args) => access.execRefusal(client, entry, args),
    denied: (client, denial) => {
      access.deniedInShard(client, denial);
    },
    spokeHttp: closesHttp(log, () => clock.wallMs()),
    isShardStuck: (shard) => isAtOneCommand(serverMemory.shardPages[shard]!, clock.nowUs()),
    isOutOfMemory: () => serverMemory.isOutOfMemory(settings),
    queryBytesMax: () => settings.number('server.query-buffer-limit'),
  });
}
