/** The end of a server: asked for, waited for, called off, and done in order. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { ShutdownOptions } from '#commands';
import type { Client } from '#router';
import { Phase } from '#stats';
import { ShutdownWait, type StreamPlace } from '#replication';
import type { ServerParts } from './composition/server-parts.ts';

/** Minimum time for work in flight at the end, unless the settings allow less. */
const LEAST_END_MS = 1_000;
/** Between two looks at whether all clients have their replies. */
const DRAIN_POLL_MS = 5;
/** Shards that have not ended by then are ended. */
const SHARD_STOP_MS_MAX = 1_000;
/** Longest wait for shards when main has failed: their rings may be full, and what is in them is to come to the log. */
const CRASH_STOP_MS_MAX = 10_000;

export type ShutdownParts = Pick<
  ServerParts,
  | 'settings'
  | 'clock'
  | 'log'
  | 'page'
  | 'modules'
  | 'progress'
  | 'serverMemory'
  | 'clients'
  | 'router'
  | 'turn'
  | 'loop'
  | 'listeners'
  | 'replicas'
  | 'replication'
  | 'persistence'
  | 'pool'
  | 'tierPool'
  | 'frontPool'
  | 'ops'
>;

export class Shutdown {
  readonly #parts: ShutdownParts;
  readonly #wait: ShutdownWait;
  /** Clients that have sent SHUTDOWN. */
  readonly #awaiting = new Set<Client>();
  #savesAtEnd: boolean | undefined;

  constructor(parts: ShutdownParts) {
    this.#parts = parts;
    this.#wait = new ShutdownWait({ ...parts, primary: parts.replicas.primary });
  }

  left(client: Client): void {
    this.#await(client, false);
  }

  /** Begins the end for a client's SHUTDOWN, once the first snapshot is there; `aborted` is called where it is not to be. */
  ask(options: ShutdownOptions, client: Client, aborted: () => void): void {
    void this.#firstSnapshot(options).then((isThere) => {
      if (!isThere) {
        aborted();
        return;
      }
      this.begin(options, client);
      this.#wait.onAbort(() => {
        this.#await(client, false);
        aborted();
      });
    });
  }

  /** Begins the end; `now` waits for no replica and no client. The end of its client's connection says that all has ended. */
  begin({ now, save }: ShutdownOptions, client?: Client): void {
    const { listeners, router } = this.#parts;
    if (client !== undefined) this.#await(client, true);
    if (save === 'never') this.#savesAtEnd = false;
    if (save === 'always') this.#savesAtEnd = true;
    // Who waits for a script that has run for too long may wait for ever.
    if (now || (save === 'never' && router.scripts.busy.isAny)) {
      listeners.listener.close();
      void this.end(0);
    } else {
      void this.shutDown();
    }
  }

  /** Calls the end off; false where that cannot be done any more. */
  abort(): boolean {
    if (!this.#wait.abort()) return false;
    this.#savesAtEnd = undefined;
    return true;
  }

  /**
   * Waits for the snapshot that the log rests on, where persistence was switched on and it is still being written: without it
   * nothing is on disk. Settles with false when it is not there in time, and the server is not to end.
   */
  async #firstSnapshot({ now, force, save }: ShutdownOptions): Promise<boolean> {
    const { page, clock, log } = this.#parts;
    const isThere = (): boolean => page.get('awaitsSnapshot') === 0;
    if (force || save === 'never' || isThere()) return true;
    const untilMs = clock.wallMs() + (now ? 0 : this.#timeoutMs);
    while (!isThere() && clock.wallMs() < untilMs) await sleep(DRAIN_POLL_MS);
    if (isThere()) return true;
    const message = 'SHUTDOWN refused: the first snapshot is not on disk; FORCE stops without it';
    log.error('shutdown-refused', message);
    return false;
  }

  get #timeoutMs(): number {
    return this.#parts.settings.number('server.shutdown-timeout-secs') * 1_000;
  }

  /** Notes whether a client waits for the end of the server, and counts it as blocked meanwhile. */
  #await(client: Client, isAwaiting: boolean): void {
    if (this.#awaiting.has(client) === isAwaiting) return;
    if (isAwaiting) this.#awaiting.add(client);
    else this.#awaiting.delete(client);
    this.#parts.page.add('blockedClients', isAwaiting ? 1 : -1);
  }

  /** Stops accepting connections, finishes work in flight for as long as the settings allow, ends the threads. */
  async shutDown(): Promise<void> {
    const { progress, clock, log, listeners, modules, clients, turn } = this.#parts;
    const isOver = (): boolean => progress.isStopping;
    if (isOver()) return;
    const timeoutMs = this.#timeoutMs;
    const untilMs = clock.wallMs() + timeoutMs;
    if (!(await this.#wait.run(timeoutMs, isOver)) || isOver()) return;
    log.info('stopping', 'svc is stopping: finishing work in flight');
    listeners.listener.close();
    modules.stopping();
    for (const client of clients.all) {
      // What is held back is not done any more.
      if (client.wait.isPostponed) client.socket.destroy();
      else if (!client.roles.isReplica) client.end();
    }
    turn.begin();
    // Work in flight has a minimum time, even after a long wait for replicas.
    await this.end(Math.max(untilMs - clock.wallMs(), Math.min(timeoutMs, LEAST_END_MS)));
  }

  /** True while clients are in flight; one that waits for an event (WAIT, or SHUTDOWN itself) would wait in vain. */
  #hasClientsInFlight(): boolean {
    return this.#parts.clients.all.some(
      (client) => !client.wait.isOccupied && !client.roles.isReplica,
    );
  }

  /** Ends everything; waits for clients to get their replies, but no longer than `timeoutMs`. */
  async end(timeoutMs: number): Promise<void> {
    const { progress, page, clock, modules, router } = this.#parts;
    if (progress.isStopping) return;
    progress.isStopping = true;
    modules.stopping();
    // A start that is under way never ends now. Node would take that for a fault.
    process.exitCode ??= 0;
    page.set('phase', Phase.stopping);
    const untilMs = clock.wallMs() + timeoutMs;
    while (this.#hasClientsInFlight() && clock.wallMs() < untilMs) await sleep(DRAIN_POLL_MS);
    // No further changes that would have to be replicated occur without commands.
    router.broadcast({ kind: 'pause', isOn: true });
    await modules.leave(() => clock.wallMs() < untilMs);
    await this.#save(untilMs);
    modules.stop();
    const hasEnded = await this.#endShards();
    await this.#endThreads(hasEnded ? await this.#lastPlace() : undefined);
  }

  /** Closes all connections but those that wait for the end, and keeps the data. */
  async #save(untilMs: number): Promise<void> {
    const { clients, progress, clock, persistence } = this.#parts;
    const leaving = clients.all.filter((client) => !this.#awaiting.has(client));
    for (const client of leaving) client.socket.destroy();
    if (!progress.isLoaded || progress.hasCrashed) return;
    await persistence.durability?.saveAtEnd(untilMs - clock.wallMs(), this.#savesAtEnd);
  }

  /** Has the shards end; settles with false where they have not in time. */
  async #endShards(): Promise<boolean> {
    const { pool, router, progress } = this.#parts;
    pool.expectEnd();
    router.broadcast({ kind: 'stop' });
    router.publish();
    const stopMs = progress.isMainDead ? CRASH_STOP_MS_MAX : SHARD_STOP_MS_MAX;
    // The timer must not outlive the threads, or each stop would take as long.
    return Promise.race([pool.ended().then(() => true), sleep(stopMs, false, { ref: false })]);
  }

  /** Place in the stream of replication of the data that the shards have left; undefined where it is not known. */
  async #lastPlace(): Promise<StreamPlace | undefined> {
    const { progress, router, replication } = this.#parts;
    if (progress.hasCrashed || !progress.isLoaded) return undefined;
    // All that they have sent is in the rings.
    router.drain();
    return replication.placeAtEnd();
  }

  async #endThreads(place: StreamPlace | undefined): Promise<void> {
    const { pool, serverMemory, tierPool, persistence, loop, log, ops, frontPool } = this.#parts;
    await pool.terminate();
    serverMemory.endShards();
    await tierPool.stop();
    await persistence.stop(place);
    loop.stop();
    log.info('stopped', 'svc has stopped');
    await ops.stop();
    for (const client of this.#awaiting) client.socket.destroy();
    await frontPool.terminate();
  }
}
