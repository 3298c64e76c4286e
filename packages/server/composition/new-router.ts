/** Puts the router of a server together. */

import { Router } from '#router';
import { isAtOneCommand } from '#stats';
import type { Access } from '#access';
import { closesHttp } from '#clients';
import { runningScripts } from '#diagnostics';
import type { Kernel } from './kernel.ts';

interface NewRouterOptions extends Kernel {
  readonly access: Access;
  readonly beginTurn: () => void;
}

export function newRouter({ access, ...kernel }: NewRouterOptions): Router {
  const { serverMemory, settings, clock, log, modules, mainLatency } = kernel;
  return new Router({
    memory: serverMemory.memory,
    links: kernel.links,
    page: kernel.page,
    clock,
    log,
    notes: mainLatency,
    running: kernel.running,
    tracing: { ring: serverMemory.traceRing(), random: Math.random },
    scripts: runningScripts(serverMemory, settings, log),
    gate: (client, entry, args) => modules.gate.judge(client, entry, args),
    runOnMain: modules.runCommand,
    keyEvents: modules.keyEvents,
    replication: modules.feed,
    redirected: modules.redirected,
    failureRefusal: (client, args) => access.failureRefusal(client, args),
    execRefusal: (client, entry, args) => access.execRefusal(client, entry, args),
    denied: (client, denial) => {
      access.deniedInShard(client, denial);
    },
    spokeHttp: closesHttp(log, () => clock.wallMs()),
    publishedAnswers: (shard) => serverMemory.observer.publishedAnswers(shard),
    isShardStuck: (shard) => isAtOneCommand(serverMemory.shardPages[shard]!, clock.nowUs()),
    isOutOfMemory: () => serverMemory.isOutOfMemory(settings),
    queryBytesMax: () => settings.number('server.query-buffer-limit'),
    beginTurn: kernel.beginTurn,
  });
}
