/** Orders of main about the feed, each obeyed at its place of the order of commands. */

import type { LibraryFacts } from '#commands';
import type { FeedOrder } from '#link';
import type { Store } from '#store';
import type { ReplySender } from '../frames/reply-sender.ts';
import type { SyncOrder } from '../snapshot/full-sync.ts';
import type { Snapshots } from '../snapshot/snapshots.ts';
import type { Feed } from '../feed/feed.ts';

/** Parts of a shard's machine that the orders concern. */
interface FedParts {
  readonly feed: Feed;
  readonly sender: ReplySender;
  readonly store: Store;
  readonly snapshots: Snapshots;
}

interface FeedOrdersOptions {
  readonly index: number;
  readonly shardCount: number;
}

export class FeedOrders {
  readonly #parts: FedParts;
  readonly #options: FeedOrdersOptions;
  /** Libraries of functions, which the first shard sends. */
  readonly #scripts: { readonly libraries: readonly LibraryFacts[] };

  constructor(
    parts: FedParts,
    scripts: { readonly libraries: readonly LibraryFacts[] },
    options: FeedOrdersOptions,
  ) {
    this.#parts = parts;
    this.#scripts = scripts;
    this.#options = options;
  }

  obey(order: FeedOrder): void {
    const { feed, snapshots } = this.#parts;
    const { shardCount } = this.#options;
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
        snapshots.beginSync(order, this.#sendsLibraries(order) ? this.#scripts.libraries : []);
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
    const { feed, sender, store } = this.#parts;
    if (feed.isOn) return;
    feed.begin();
    sender.sendAlong(feed);
    store.namesFields = true;
  }

  #end(): void {
    const { feed, sender, store } = this.#parts;
    feed.end();
    sender.sendAlong(undefined);
    store.namesFields = false;
  }
}
