/** Client messaging: everything that happens between connections, all of it on main. */

import { unixUs } from '#base';
import type { Settings } from '#config';
import type { Modules } from '#main';
import type { Page } from '#stats';
import type { Client, CommandWatcher, ParkingBlocks, Router } from '#router';
import { FanOut } from './fan-out.ts';
import { KeyEvents } from './key-events.ts';
import { Monitors } from './monitors.ts';
import { PubSub } from './pubsub.ts';
import { Tracking } from './tracking.ts';

/** The connected clients, as messaging uses them. */
interface ConnectedClients {
  byId(id: number): Client | undefined;
  /** Closes a client whose output is over its limits. */
  checkOutput(client: Client): void;
}

export interface ClientMessagingOptions {
  readonly settings: Settings;
  readonly page: Page;
  readonly blocks: ParkingBlocks;
  readonly router: Router;
  readonly clients: ConnectedClients;
  readonly modules: Pick<Modules, 'published'>;
}

export class ClientMessaging {
  readonly pubsub: PubSub;
  readonly tracking: Tracking;
  readonly monitors: Monitors;
  readonly keyEvents: KeyEvents;
  readonly #router: Router;
  /** True while the shards report commands that scripts call. */
  #areCallsWatched = false;

  constructor({ settings, page, blocks, router, clients, modules }: ClientMessagingOptions) {
    this.#router = router;
    const fanOut = new FanOut(blocks, (client) => {
      clients.checkOutput(client);
    });
    this.pubsub = new PubSub(fanOut, page, modules.published);
    this.tracking = new Tracking({
      fanOut,
      page,
      clientById: (id) => clients.byId(id),
      clientInSlot: (slot) => router.clientInSlot(slot),
      follow: (isOn) => {
        router.broadcast({ kind: 'tracking', isOn });
        this.#watch();
      },
      keysMax: () => settings.number('server.tracking-table-max-keys'),
      random: Math.random,
    });
    this.monitors = new Monitors(
      fanOut,
      () => unixUs() / 1_000,
      () => {
        this.#watch();
      },
    );
    this.keyEvents = new KeyEvents(this.pubsub, this.tracking);
  }

  /** Observes commands of clients and scripts while a client uses tracking or MONITOR. */
  #watch(): void {
    const { tracking, monitors } = this;
    const router = this.#router;
    const isOn = tracking.isOn || monitors.isOn;
    if (isOn !== this.#areCallsWatched) router.broadcast({ kind: 'watch-calls', isOn });
    this.#areCallsWatched = isOn;
    if (isOn) router.watchers.add(this.#routed);
    else router.watchers.delete(this.#routed);
  }

  readonly #routed: CommandWatcher = (client, entry, args, call) => {
    this.tracking.routed(client, entry, args, call);
    this.monitors.routed(client, entry, args, call);
  };

  /** Called when the replies of a turn are complete and not written yet. */
  endTurn(): void {
    if (this.tracking.isOn) this.tracking.endTurn();
    if (this.monitors.isOn) this.monitors.endTurn();
  }

  /** Ends all subscriptions, watches and tracking of a client that has disconnected or was reset. */
  left(client: Client): void {
    this.pubsub.forget(client);
    this.tracking.forget(client);
    this.monitors.forget(client);
  }
}
