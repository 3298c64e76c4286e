/**
 * One turn of main's event loop: read input from sockets or front threads, publish frames to the shards once, take
 * their replies, write every socket once. Writes are the largest cost of main. So while many sockets are to be written,
 * one whose client still waits for replies, for example of another shard, is deferred to the next turn, when most of
 * them are there: Redis also writes when all input read from a client is answered. A timer keeps the wait short if
 * there is no such turn. Main is marked asleep only between turns. While it is awake shards do not ring: it checks
 * their rings itself before it sleeps.
 */

import type { Doorbell } from '#link';
import type { Fronts, ThreadLoop, TurnConnection } from '#net';
import type { Router } from '#router';
import type { Modules } from '../kernel/modules.ts';

/** Rounds of taking answers in one turn; then the sockets are served before the next. */
const ROUNDS_MAX = 8;
/** With fewer sockets to write than this, replies are written as they come: the next turn is too far (measured). */
const CROWD_MIN = 12;
/** Milliseconds that replies wait for more when there is no next turn. */
const PUT_OFF_MS = 1;

/** Members of the router that a turn needs. */
interface TurnRouter extends Pick<
  Router,
  'publish' | 'drain' | 'readClock' | 'readMonotonic' | 'hasWork'
> {
  readonly tracing: Pick<Router['tracing'], 'flush'>;
}

type TurnDoorbell = Pick<Doorbell, 'setAsleep' | 'setAwake'>;
/** Loop that the turns are taken in. */
type TurnLoop = Pick<ThreadLoop, 'start' | 'schedule'>;
/** Front threads that main exchanges frames with. */
type TurnFronts = Pick<Fronts, 'drain' | 'publish' | 'hasWork'>;

/** Parts of main that take part in each turn. */
type TurnModules = Pick<Modules, 'endTurn' | 'hasWork' | 'worked'>;

interface TurnParts<Routing extends TurnRouter> {
  readonly doorbell: TurnDoorbell;
  readonly modules: TurnModules;
  readonly loop: TurnLoop;
  /** Undefined where main reads and writes the sockets itself. */
  readonly fronts: TurnFronts | undefined;
  /** Makes the router whose turns are taken; `beginTurn` may not be called before it is made. */
  readonly newRouter: (beginTurn: () => void) => Routing;
}

export class Turn<Routing extends TurnRouter> {
  /** Turns begun so far. */
  number = 0;
  /** Router whose turns are taken. */
  readonly router: Routing;
  readonly #fronts: TurnFronts | undefined;
  readonly #modules: TurnModules;
  readonly #doorbell: TurnDoorbell;
  readonly #loop: TurnLoop;
  #active = false;
  #isStopped = false;
  /** Connections to be flushed, the first `#dirtyCount` of an array that keeps its length: setting that is a call of V8's runtime. */
  #dirty: (TurnConnection | undefined)[] = [];
  #dirtyCount = 0;
  #spare: (TurnConnection | undefined)[] = [];
  /** Connections that have more commands than one turn takes of each. */
  #waiting: TurnConnection[] = [];
  /** Many sockets are to be written in this turn. */
  #isCrowded = false;
  /** Timer that ends the wait of deferred writes. */
  #timer: NodeJS.Timeout | undefined;

  constructor({ doorbell, modules, loop, fronts, newRouter }: TurnParts<Routing>) {
    this.#modules = modules;
    this.#doorbell = doorbell;
    this.#loop = loop;
    this.#fronts = fronts;
    this.router = newRouter(this.begin);
    loop.start({
      rang: () => {
        this.#active = true;
        this.#modules.worked();
        this.router.readClock();
        this.#finish();
      },
      endTurn: () => {
        this.#finish();
      },
    });
  }

  /** Has shards wake main from here on. */
  listen(): void {
    this.#doorbell.setAsleep();
  }

  /** There is work: the turn ends after all sockets that are ready now were read. */
  readonly begin = (): void => {
    if (this.#active) {
      this.router.readMonotonic();
      return;
    }
    this.#active = true;
    this.#modules.worked();
    this.#doorbell.setAwake();
    this.router.readClock();
    this.#loop.schedule();
  };

  /** Processes no more turns: main has failed, and its shutdown reads the rings. */
  stop(): void {
    this.#isStopped = true;
  }

  /** To be flushed when the turn ends. */
  dirty(connection: TurnConnection): void {
    this.#putDirty(connection);
    if (!this.#active) this.begin();
  }

  /** To be resumed in the next turn, when other sockets were read. */
  later(connection: TurnConnection): void {
    this.#waiting.push(connection);
  }

  /** Processes input of front threads, and input left over from the previous turn. */
  #takeInput(): void {
    this.#fronts?.drain();
    this.number += 1;
    this.#resumeWaiting();
  }

  #resumeWaiting(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    for (const connection of waiting) connection.resume();
  }

  #finish(): void {
    if (this.#isStopped) return;
    const router = this.router;
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      if (round === 0 || this.#fronts !== undefined) this.#takeInput();
      router.publish();
      router.drain();
      this.#modules.endTurn();
      // Frames released by replies: shards process them while sockets are written.
      router.publish();
      this.#flush(round === 0);
      this.#fronts?.publish();
      router.tracing.flush();
      router.publish();
      this.#doorbell.setAsleep();
      if (!router.hasWork && !this.#modules.hasWork && this.#fronts?.hasWork !== true) {
        if (this.#waiting.length > 0) break;
        this.#active = false;
        return;
      }
      this.#doorbell.setAwake();
    }
    this.#doorbell.setAwake();
    this.#loop.schedule();
  }

  /** Writes the sockets; those that were put off in the turn before are written when this one `begins`. */
  #flush(begins: boolean): void {
    const connections = this.#dirty;
    const count = this.#dirtyCount;
    this.#isCrowded = count >= CROWD_MIN || (this.#isCrowded && !begins);
    if (count === 0) return;
    this.#dirty = this.#spare;
    this.#dirtyCount = 0;
    for (let nth = 0; nth < count; nth += 1) {
      const connection = connections[nth]!;
      connections[nth] = undefined;
      if (this.#isCrowded && connection.isOwedReplies && !(begins && connection.isPutOff)) {
        connection.isPutOff = true;
        this.#putDirty(connection);
        continue;
      }
      connection.isPutOff = false;
      connection.flush();
    }
    this.#spare = connections;
    if (this.#dirtyCount > 0) this.#awaitNext();
  }

  #putDirty(connection: TurnConnection): void {
    this.#dirty[this.#dirtyCount] = connection;
    this.#dirtyCount += 1;
  }

  #awaitNext(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#dirtyCount > 0) this.begin();
    }, PUT_OFF_MS);
  }
}
