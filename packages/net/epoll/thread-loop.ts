/**
 * Interface of the loop in which a thread with sockets works in turns: events are taken, the turn ends, the thread sleeps.
 */

export interface TurnEvents {
  /** Called when another thread has rung the doorbell: runs one turn. */
  rang(): void;
  /** Ends the turn that was scheduled: all sockets that were ready have been read. */
  endTurn(): void;
}

export interface ThreadLoop {
  /** Name of the interface of the kernel, or of the library, that it waits with, as INFO shows it. */
  readonly name: 'epoll' | 'libuv';
  /** Milliseconds for which the thread has slept since it started. */
  readonly idleMs: number;
  /** Calls these from here on. */
  start(events: TurnEvents): void;
  /** Has the turn end when the sockets that are ready were read. */
  schedule(): void;
  /** Reports no ring of the bell any more, so that the process may end. */
  stop(): void;
}
