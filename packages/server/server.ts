/** A server that was put together (`compose.ts`): its start and its stop. */

import type { ConfigWarning } from '#config';
import type { MainAnswers } from '#http';
import { Phase } from '#stats';
import { testAtStart } from '#main';
import type { ServerParts } from './composition/server-parts.ts';
import type { Crashes } from './composition/crashes.ts';
import { followProcess } from './process-events.ts';
import type { ServiceNotices } from './service/service-notices.ts';
import type { Shutdown } from './shutdown.ts';
import { startSummary } from './start-summary.ts';

interface StartParts extends ServerParts {
  readonly shutdown: Shutdown;
  readonly crashes: Crashes;
  readonly service: ServiceNotices;
  /** Handlers of main for requests of the ops thread. */
  readonly answers: MainAnswers;
}

export class Server {
  readonly #parts: StartParts;

  constructor(parts: StartParts) {
    this.#parts = parts;
  }

  /** True when it ends, and that cannot be called off any more. */
  get isStopping(): boolean {
    return this.#parts.progress.isStopping;
  }

  /** Stops accepting connections, finishes work in flight for as long as the settings allow, ends the threads. */
  async stop(): Promise<void> {
    await this.#parts.shutdown.shutDown();
  }

  /** Starts serving; rejects if an address cannot be bound. `imported` is the log message of a preceding import. */
  async start(warnings: readonly ConfigWarning[], imported?: string): Promise<void> {
    const { progress, log, ops, modules, page, router, turn, settings, service } = this.#parts;
    followProcess(this.#parts);
    if (imported !== undefined) log.info('rdb-imported', imported);
    for (const { event, severity, message } of warnings) log[severity](event, message);
    try {
      const http = ops.start(this.#parts.answers, modules.metrics);
      await Promise.all([http, this.#openToClients(http), this.#recover(http)]);
    } catch (error) {
      await this.#giveUp();
      throw error;
    }
    if (progress.isStopping) return;
    modules.start();
    page.set('phase', Phase.ready);
    progress.isStarted = true;
    router.retryAll();
    turn.begin();
    const { shardCount: shards } = this.#parts;
    const summary = startSummary(settings, shards);
    log.info('started', summary, { shards, pid: process.pid });
    service.ready(summary);
  }

  /** Ends the parts that were started before a start has failed. */
  async #giveUp(): Promise<void> {
    const { progress, listeners, clients, pool, frontPool, tierPool, loop, persistence, ops } =
      this.#parts;
    progress.isStopping = true;
    listeners.listener.close();
    for (const client of clients.all) client.socket.destroy();
    await pool.terminate();
    await frontPool.terminate();
    await tierPool.stop();
    loop.stop();
    await persistence.stop();
    await ops.stop();
  }

  /** Brings the data back; meanwhile clients wait. */
  async #recover(http: Promise<void>): Promise<void> {
    const { pool, tierPool, persistence, settings, page, metricsReader, progress } = this.#parts;
    const threads = Promise.all([http, pool.up(), tierPool.up()]);
    // It may fail before it is waited for, and the start is rejected for that by `http` too.
    threads.catch(() => undefined);
    // From an empty folder nothing comes: commands wait in the rings for the moment that the shards need.
    const { durability } = persistence;
    const isTiered = settings.boolean('tiered.enabled');
    progress.isLoaded = durability?.isEmpty !== false && !isTiered;
    page.set('loading', Number(!progress.isLoaded));
    if (progress.isLoaded) await durability?.recover(pool);
    await threads;
    metricsReader.measureStartup();
    if (!progress.isLoaded) await durability?.recover(pool);
    progress.isLoaded = true;
    page.set('loading', 0);
  }

  /** Opens the listeners: HTTP first, since probes report the progress of the start. */
  async #openToClients(http: Promise<void>): Promise<void> {
    const { settings, log, frontPool, turn, beginTurn, listeners, progress } = this.#parts;
    if (settings.boolean('latency.startup-test')) {
      progress.baseline = await testAtStart(settings, log);
    }
    await Promise.all([http, frontPool.up(beginTurn)]);
    if (progress.isStopping) return;
    await listeners.listener.open();
    turn.listen();
  }
}
