/** Work of main that is done `hz` times a second, or once where main is idle: time-outs, limits, rates. */

import { PacedTimer, type Clock } from '#base';
import type { Settings } from '#config';
import type { Router } from '#router';
import type { Access } from '../access/access.ts';
import type { Clients } from '../clients/clients.ts';
import type { LatencyMonitor } from '../diagnostics/latency-monitor.ts';
import type { MetricsReader } from '../info/metrics-reader.ts';
import type { ClientMessaging } from '../messaging/client-messaging.ts';
import type { ServerMemory } from '../threads/shared-memory.ts';

interface TickerOptions {
  readonly settings: Settings;
  readonly router: Router;
  readonly clients: Clients;
  readonly access: Access;
  readonly messaging: ClientMessaging;
  readonly latencyMonitor: LatencyMonitor;
  readonly metricsReader: MetricsReader;
  readonly serverMemory: ServerMemory;
  readonly clock: Clock;
  /** Links to replicas. */
  readonly primary: { tick(): void };
}

export class Ticker {
  readonly #options: TickerOptions;
  #timer: PacedTimer | undefined;

  constructor(options: TickerOptions) {
    this.#options = options;
  }

  start(): void {
    const { settings } = this.#options;
    this.#restart();
    settings.onChange('server.hz', () => {
      this.#restart();
    });
  }

  #restart(): void {
    this.stop();
    const everyMs = 1_000 / this.#options.settings.number('server.hz');
    this.#timer = new PacedTimer(everyMs, () => {
      this.#tick();
    });
    this.#timer.start();
  }

  /** Notes that main has work. */
  worked(): void {
    this.#timer?.worked();
  }

  stop(): void {
    this.#timer?.stop();
  }

  #tick(): void {
    const { router, clients, access, messaging, serverMemory, clock } = this.#options;
    router.readClock();
    clients.tick(router.nowMs);
    if (clients.awaitsTick) this.worked();
    access.tick(router.nowMs);
    this.#options.primary.tick();
    messaging.endTurn();
    // A pause that has ended is news for the shards.
    router.publish();
    const nowUs = clock.nowUs();
    const page = serverMemory.mainPage;
    this.#options.latencyMonitor.look(nowUs);
    page.set('peakBytes', Math.max(page.get('peakBytes'), serverMemory.usedBytes));
    this.#options.metricsReader.sample(nowUs);
  }
}
