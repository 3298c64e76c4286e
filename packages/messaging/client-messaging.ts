/** Client messaging: everything that happens between connections, all of it on main. */

import { type Logger, unixUs } from '#base';
import type { Settings } from '#config';
import type { Modules } from '#main';
import type { Page } from '#stats';
import type { Client, CommandWatcher, ParkingBlocks, Router } from '#router';
import { FanOut } from './fan-out.ts';
import { KeyEvents } from './key-events.ts';
import { Monitors } from './monitors.ts';
import { PageMonitors } from './monitors/page-monitors.ts';
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
  readonly log: Pick<Logger, 'info'>;
  /** Publishes frames to the shards that were sent outside of a turn. */
  readonly beginTurn: () => void;
}

export class ClientMessaging {
  readonly pubsub: PubSub;
  readonly tracking: Tracking;
  readonly monitors: Monitors;
  /** Monitors of the debug pages. */
  readonly pageMonitors: PageMonitors;
  readonly keyEvents: KeyEvents;
  readonly #router: Router;
  /** True while the shards report commands that scripts call. */
  #areCallsWatched = false;

  constructor(options: ClientMessagingOptions) {
    const { settings, page, blocks, router, clients, modules, log, beginTurn } = options;
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
    const nowMs = (): number => unixUs() / 1_000;
    this.monitors = new Monitors(fanOut, nowMs, () => {
      this.#watch();
    });
    this.pageMonitors = new PageMonitors({
      nowMs,
      log,
      changed: () => {
        this.#watch();
        beginTurn();
      },
    });
    this.keyEvents = new KeyEvents(this.pubsub, this.tracking);
  }

  /** Observes commands of clients, and calls of scripts, while tracking or a monitor needs them. */
  #watch(): void {
    const { tracking, monitors, pageMonitors } = this;
    const router = this.#router;
    const areCallsWatched = tracking.isOn || monitors.isOn || pageMonitors.hasCalls;
    if (areCallsWatched !== this.#areCallsWatched) {
      router.broadcast({ kind: 'watch-calls', isOn: areCallsWatched });
    }
    this.#areCallsWatched = areCallsWatched;
    if (areCallsWatched || pageMonitors.isOn) router.watchers.add(this.#routed);
    else router.watchers.delete(this.#routed);
  }

  readonly #routed: CommandWatcher = (client, entry, args, origin) => {
    const { tracking, monitors, pageMonitors } = this;
    tracking.routed(client, entry, args, typeof origin === 'object' ? origin : undefined);
    if (!monitors.isOn && !pageMonitors.isOn) return;
    const command = { client, entry, args, origin };
    if (monitors.isOn) monitors.routed(command);
    if (pageMonitors.isOn) pageMonitors.routed(command);
  };

  /** Called when the replies of a turn are complete and not written yet. */
  endTurn(): void {
    if (this.tracking.isOn) this.tracking.endTurn();
    if (this.monitors.isOn) this.monitors.endTurn();
    this.pageMonitors.tick();
  }

  /** Ends all subscriptions, watches and tracking of a client that has disconnected or was reset. */
  left(client: Client): void {
    this.pubsub.forget(client);
    this.tracking.forget(client);
    this.monitors.forget(client);
  }
}
