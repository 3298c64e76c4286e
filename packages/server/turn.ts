/**
 * One turn of main's event loop: read what came, tell the shards once, take their answers, write every
 * socket once.
 *
 * Main is marked asleep only between turns. While it is awake shards do not ring: it looks at their
 * rings by itself before it sleeps.
 */

import type { Doorbell } from '#link';
import type { Connection } from '#net';
import type { Router } from '#router';
import type { Between } from './between.ts';

/** Rounds of taking answers in one turn; then the sockets are served before the next. */
const ROUNDS_MAX = 8;

export class Turn {
  readonly #router: Router;
  readonly #between: Between;
  readonly #doorbell: Doorbell;
  readonly #end: () => void;
  #active = false;
  #dirty: Connection[] = [];
  #spare: Connection[] = [];

  constructor(router: Router, doorbell: Doorbell, between: Between) {
    this.#between = between;
    this.#router = router;
    this.#doorbell = doorbell;
    this.#end = () => {
      this.#finish();
    };
  }

  /** Main was woken by a shard, or begins to listen to shards at all. */
  listen(): void {
    this.#doorbell.listen(() => {
      this.#active = true;
      this.#router.readClock();
      this.#finish();
    });
    this.#doorbell.setAsleep();
  }

  /** Work has come up: the turn ends after all sockets that are ready now were read. */
  begin(): void {
    if (this.#active) {
      this.#router.readMonotonic();
      return;
    }
    this.#active = true;
    this.#doorbell.setAwake();
    this.#router.readClock();
    setImmediate(this.#end);
  }

  /** To be flushed when the turn ends. */
  dirty(connection: Connection): void {
    this.#dirty.push(connection);
    if (!this.#active) this.begin();
  }

  #finish(): void {
    const router = this.#router;
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      router.publish();
      router.drain();
      this.#between.endTurn();
      this.#flush();
      router.tracing.flush();
      router.publish();
      this.#doorbell.setAsleep();
      if (!router.hasWork) {
        this.#active = false;
        return;
      }
      this.#doorbell.setAwake();
    }
    setImmediate(this.#end);
  }

  #flush(): void {
    const connections = this.#dirty;
    if (connections.length === 0) return;
    this.#dirty = this.#spare;
    for (const connection of connections) connection.flush();
    connections.length = 0;
    this.#spare = connections;
  }
}
