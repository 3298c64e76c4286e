/**
 * Requests of a running script to other shards, which have stopped for it: a command whose keys are all of one shard is run
 * there without main. What a shard does not take goes by way of main, as all else does.
 */

import type { Bytes } from '#base';
import type { ScriptExchange } from '#link';
import type { Lending } from '../lending/lending.ts';
import type { MainAsks } from './main-asks.ts';

/** Way of a script that runs alone to other shards. */
export interface ShardExchange {
  readonly exchange: ScriptExchange;
  /** Wakes a shard that sleeps. */
  readonly wake: (shard: number) => void;
}

interface ShardAsksOptions extends ShardExchange {
  readonly shardIndex: number;
  readonly asks: MainAsks;
  readonly lending: Lending;
}

export class ShardAsks {
  readonly #options: ShardAsksOptions;

  constructor(options: ShardAsksOptions) {
    this.#options = options;
  }

  /** Reply of a command that a shard was asked to run; undefined when it is main's to run. */
  ask(callee: number, frame: Bytes): Bytes | undefined {
    const { exchange, asks } = this.#options;
    if (!exchange.fits(frame)) return undefined;
    return asks.aside(() => {
      this.#ask(callee, frame);
      const { total } = exchange;
      if (total < 0) return undefined;
      const reply = new Uint8Array(total);
      let taken = exchange.takePiece(reply, 0);
      while (taken < total) {
        this.#ask(callee, taken);
        taken = exchange.takePiece(reply, taken);
      }
      return reply;
    });
  }

  /** Has time stand still on all shards for the script that runs alone. */
  holdTime(nowMs: number): void {
    const { exchange, lending } = this.#options;
    exchange.holdTime(lending.loneRun, nowMs);
  }

  /** Asks, and waits for the answer: the shard may have to come to its stop first. */
  #ask(callee: number, what: Bytes | number): void {
    const { exchange, wake, asks, lending, shardIndex } = this.#options;
    exchange.ask({ host: shardIndex, callee, run: lending.loneRun, what });
    wake(callee);
    asks.until(() => exchange.isAnswered);
  }
}
