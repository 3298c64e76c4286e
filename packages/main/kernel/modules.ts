/**
 * The parts of main in the order in which they were made. What concerns all of them goes to each in this order, the end in
 * the reverse. The list is there before the first of them, so that router, turn and clients are made once, with it.
 */

import { type Bytes, unreachable } from '#base';
import type { Arguments, CommandEntry } from '#commands';
import type { KeptPlace } from '#persistence';
import type { OwnedReply } from '#resp';
import type { Client, FeedTaker, RedirectTaker } from '#router';
import { Gate } from './gate.ts';
import type { MainModule, TurnWork } from './main-module.ts';

export class Modules implements TurnWork {
  readonly gate = new Gate();
  /** Passes what shards send for replicas on to all modules that take it. */
  readonly feed: FeedTaker;
  readonly #all: MainModule[] = [];
  readonly #feeds: FeedTaker[] = [];
  readonly #turns: TurnWork[] = [];
  /** Modules that are asked with each turn, and with each write to a socket. */
  readonly #workers: MainModule[] = [];
  readonly #guards: MainModule[] = [];
  #runner: MainModule | undefined;

  constructor() {
    const feeds = this.#feeds;
    this.feed = {
      fed: (shard, body) => {
        for (const feed of feeds) feed.fed(shard, body);
      },
      synced: (number, piece, isFault) => {
        for (const feed of feeds) feed.synced(number, piece, isFault);
      },
      wrote: (client) => {
        for (const feed of feeds) feed.wrote(client);
      },
      drained: () => {
        for (const feed of feeds) feed.drained();
      },
    };
  }

  /** Adds modules behind those that are there. */
  add(...modules: readonly MainModule[]): void {
    for (const module of modules) {
      this.#all.push(module);
      if (module.feed !== undefined) this.#feeds.push(module.feed);
      if (module.turn !== undefined) this.#turns.push(module.turn);
      if (module.worked !== undefined) this.#workers.push(module);
      if (module.mayWrite !== undefined) this.#guards.push(module);
      if (module.runCommand !== undefined) this.#runner = module;
      if (module.judges !== undefined) this.gate.add(module.judges);
    }
  }

  keyEvents(body: Bytes): void {
    for (const module of this.#all) module.keyEvents?.(body);
  }

  readonly redirected: RedirectTaker = (kind, client) => {
    for (const module of this.#all) module.redirected?.(kind, client);
  };

  /** Runs a command of main, by the one module that does. */
  readonly runCommand = (
    client: Client,
    entry: CommandEntry,
    args: Arguments,
    reply: OwnedReply,
  ): void => {
    if (this.#runner?.runCommand === undefined) unreachable('a module runs the commands of main');
    this.#runner.runCommand(client, entry, args, reply);
  };

  left(client: Client): void {
    for (const module of this.#all) module.left?.(client);
  }

  /** Output may leave the server while no module objects. */
  mayWrite(): boolean {
    for (const guard of this.#guards) if (guard.mayWrite?.() === false) return false;
    return true;
  }

  endTurn(): void {
    for (const turn of this.#turns) turn.endTurn();
  }

  get hasWork(): boolean {
    for (const turn of this.#turns) if (turn.hasWork === true) return true;
    return false;
  }

  tick(nowMs: number): void {
    for (const module of this.#all) module.tick?.(nowMs);
  }

  get awaitsTick(): boolean {
    return this.#all.some((module) => module.awaitsTick === true);
  }

  worked(): void {
    for (const worker of this.#workers) worker.worked?.();
  }

  get isAwaited(): boolean {
    return this.#all.some((module) => module.isAwaited === true);
  }

  recovered(place: KeptPlace | undefined): void {
    for (const module of this.#all) module.recovered?.(place);
  }

  start(): void {
    for (const module of this.#all) module.start?.();
  }

  stopping(): void {
    for (const module of this.#all) module.stopping?.();
  }

  async leave(hasTime: () => boolean): Promise<void> {
    for (const module of this.#all) await module.leave?.(hasTime);
  }

  stop(): void {
    for (const module of [...this.#all].reverse()) module.stop?.();
  }
}
