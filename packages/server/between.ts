/** What happens between connections: all of it main's. */

import type { Page } from '#diag';
import type { Client, ParkingBlocks } from '#router';
import { FanOut } from './fan-out.ts';
import { KeyEvents } from './key-events.ts';
import { PubSub } from './pubsub.ts';

export interface BetweenParts {
  page: Page;
  blocks: ParkingBlocks;
  /** Looks whether a client that leaves much unread must go. */
  overfull: (client: Client) => void;
}

export class Between {
  readonly pubsub: PubSub;
  readonly keyEvents: KeyEvents;

  constructor({ page, blocks, overfull }: BetweenParts) {
    this.pubsub = new PubSub(new FanOut(blocks, overfull), page);
    this.keyEvents = new KeyEvents(this.pubsub, {
      modified: () => undefined,
      flushed: () => undefined,
    });
  }

  /** Ends what a client had with others: it is gone, or begins anew. */
  left(client: Client): void {
    this.pubsub.forget(client);
  }
}
