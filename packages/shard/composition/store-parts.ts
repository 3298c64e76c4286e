/** Components of a shard that depend on its store, and on which the executor depends. */

import type { Store } from '#store';
import { ExecutionContext } from '../execution/context.ts';
import { Effects } from '../execution/effects.ts';
import { Watches } from '../execution/watches.ts';
import { Feed } from '../feed/feed.ts';
import { OwnExpiry } from '../replica/own-expiry.ts';
import { Snapshots } from '../snapshot/snapshots.ts';
import { StagedData } from '../snapshot/staged-data.ts';
import { Maintenance } from '../timed/maintenance.ts';
import { WarmValues } from '../warm/warm-values.ts';
import type { MachineOptions } from './machine-options.ts';
import type { ShardLinks } from './shard-links.ts';

/** Components on which an executor depends. */
export interface StoreParts {
  readonly store: Store;
  readonly watches: Watches;
  readonly ownExpiry: OwnExpiry;
  readonly context: ExecutionContext;
  readonly snapshots: Snapshots;
  readonly feed: Feed;
  readonly effects: Effects;
  readonly maintenance: Maintenance;
  readonly staged: StagedData;
  /** Undefined without a warm tier. */
  readonly warmValues: WarmValues | undefined;
}

export function newStoreParts(
  store: Store,
  options: MachineOptions,
  links: ShardLinks,
): StoreParts {
  const { index: shardIndex, journal, page, shardCount, tier: link } = options;
  const { settings, sender, keyLocks, nowUs, work } = links;
  const watches = new Watches(store);
  const ownExpiry = new OwnExpiry(store);
  const context = new ExecutionContext({
    ...options,
    ...links,
    store,
    watches,
    shardIndex,
    reply: sender.writer,
    isKept: (name) => keyLocks.isKept(name),
  });
  const outlet = options.snapshots;
  const snapshots = new Snapshots({ shardCount, store, journal, outlet, sender, page, nowUs });
  const { freeze } = snapshots;
  const feed = new Feed(sender);
  const { args } = links;
  return {
    store,
    watches,
    ownExpiry,
    context,
    snapshots,
    feed,
    effects: new Effects({ store, feed, context, journal, shardIndex, freeze, args }),
    maintenance: new Maintenance({
      ...options,
      ...links,
      store,
      ownExpiry,
      isReading: () => work.isActive || freeze.isReading,
    }),
    staged: new StagedData({ store, settings, context, ownExpiry }),
    warmValues: link && new WarmValues({ store, link, nowUs }),
  };
}
