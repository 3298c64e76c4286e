/**
 * Replication as a shard knows it: its role, and what main says of the feed of replicas, each at its place of the order of
 * commands.
 */

import type { LibraryDetails } from '#commands';
import { decodeMessage, type FeedOrder } from '#link';
import type { Store } from '#store';
import type { Feed } from '../feed/feed.ts';
import type { Frame } from '../frames/frame.ts';
import type { ReplySender } from '../frames/reply-sender.ts';
import type { ControlTakers, ShardModule } from '../modules/shard-module.ts';
import type { Role } from '../replica/role.ts';
import type { SyncOrder } from '../snapshot/full-sync.ts';
import type { Snapshots } from '../snapshot/snapshots.ts';
import type { Maintenance } from '../timed/maintenance.ts';

interface FeedModuleOptions {
  readonly feed: Feed;
  readonly sender: ReplySender;
  readonly store: Store;
  readonly snapshots: Snapshots;
  readonly role: Role;
  readonly maintenance: Pick<Maintenance, 'roleChanged'>;
  /** Libraries of functions, which the first shard sends. */
  readonly scripts: { readonly libraries: readonly LibraryDetails[] };
  readonly index: number;
  readonly shardCount: number;
}

export class FeedModule implements ShardModule {
  readonly #options: FeedModuleOptions;
  readonly frames = {
    feed: (frame: Frame): void => {
      this.#obey(decodeMessage(frame.body) as FeedOrder);
    },
  };

  readonly controls: ControlTakers = {
    role: ({ isReplica, primary }) => {
      this.#options.role.change(isReplica, primary);
      this.#options.maintenance.roleChanged();
    },
    'lacks-replicas': ({ isSo }) => {
      this.#options.role.hasFewReplicas = isSo;
    },
    stale: ({ isSo }) => {
      this.#options.role.isStale = isSo;
    },
  };

  constructor(options: FeedModuleOptions) {
    this.#options = options;
  }

  #obey(order: FeedOrder): void {
    const { feed, snapshots, shardCount, scripts } = this.#options;
    switch (order.kind) {
      case 'begin':
        this.#begin();
        feed.cut(order.number, shardCount);
        break;
      case 'end':
        this.#end();
        break;
      case 'cut':
        this.#begin();
        feed.cut(order.number, shardCount);
        snapshots.beginSync(order, this.#sendsLibraries(order) ? scripts.libraries : []);
        break;
      case 'abandon':
        snapshots.abandonSync(order.number);
        break;
    }
  }

  #sendsLibraries({ filter, slots }: SyncOrder): boolean {
    return filter !== 'nothing' && slots === null && this.#options.index === 0;
  }

  #begin(): void {
    const { feed, sender, store } = this.#options;
    if (feed.isOn) return;
    feed.begin();
    sender.sendAlong(feed);
    store.namesFields = true;
  }

  #end(): void {
    const { feed, sender, store } = this.#options;
    feed.end();
    sender.sendAlong(undefined);
    store.namesFields = false;
  }
}
