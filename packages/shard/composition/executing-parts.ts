/** The store of a shard with the executor, and with the listeners that are made with the store. */

import { databaseCountOf } from '#commands';
import { Store } from '#store';
import type { Executor } from '../execution/executor.ts';
import { ownChanges } from '../execution/store-events.ts';
import { ShardKeyFates } from '../observation/key-fates.ts';
import type { MachineOptions } from './machine-options.ts';
import type { MachineWays } from './machine-ways.ts';
import { newExecutor } from './new-executor.ts';
import type { ShardLinks } from './shard-links.ts';
import { newStoreParts, type StoreParts } from './store-parts.ts';

export interface ExecutingParts extends StoreParts {
  readonly executor: Executor;
  readonly fates: ShardKeyFates;
}

export function newExecutingParts(
  options: MachineOptions,
  links: ShardLinks,
  ways: MachineWays,
): ExecutingParts {
  const { index: shardIndex, page, seed, random, localTier, tier: outlet = localTier } = options;
  const { settings } = links;
  const databases = databaseCountOf(settings);
  const countsSlots = settings.boolean('cluster.enabled');
  return Store.with({ databases, seed, random, countsSlots }, (store) => {
    const parts = newStoreParts(store, options, links);
    const { context, effects, ownExpiry, maintenance, warmValues } = parts;
    const executor = newExecutor(options, links, parts, ways);
    const fates = new ShardKeyFates(options, links.slowness, executor);
    const { events } = links;
    const changes = ownChanges({ store, context, events, effects, ownExpiry, shardIndex, page });
    const tier = {
      outlet,
      othersMaySpill: () => maintenance.room.othersMaySpill(),
      ...(warmValues && {
        fetch: warmValues.fetch.bind(warmValues),
        // What is done while no command runs may change what it finds.
        isWriting: () => executor.isWriting,
      }),
    };
    return [
      { events: changes, fates, tier },
      { ...parts, executor, fates },
    ];
  });
}
