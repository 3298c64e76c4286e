/** Deaths of threads, for the one who ends the server for them; kept until it is there. */

/** Ends a server of which a thread has died. */
export interface DeathListener {
  shardDied(shard: number, reason: unknown): void;
  frontDied(thread: string, reason: unknown): void;
}

export class ThreadDeaths {
  readonly #early: ((listener: DeathListener) => void)[] = [];
  #listener: DeathListener | undefined;

  readonly shardDied = (shard: number, reason: unknown): void => {
    this.#report((listener) => {
      listener.shardDied(shard, reason);
    });
  };

  readonly frontDied = (thread: string, reason: unknown): void => {
    this.#report((listener) => {
      listener.frontDied(thread, reason);
    });
  };

  /** Reports to `listener` from now on, beginning with what has died before. */
  follow(listener: DeathListener): void {
    this.#listener = listener;
    for (const report of this.#early.splice(0)) report(listener);
  }

  #report(report: (listener: DeathListener) => void): void {
    if (this.#listener === undefined) this.#early.push(report);
    else report(this.#listener);
  }
}
