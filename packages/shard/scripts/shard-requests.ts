/**
 * Requests of a running script to other shards, which have stopped for it: a command whose keys are all of one shard is run
 * there without main. What a shard does not take goes by way of main, as all else does.
 */

import type { Bytes } from '#base';
import type { ScriptExchange } from '#link';
import type { Lending } from '../lending/lending.ts';
import type { MainRequests } from './main-requests.ts';

/** Way of a script that runs alone to other shards. */
export interface ShardExchange {
  readonly exchange: ScriptExchange;
  /** Wakes a shard that sleeps. */
  readonly wake: (shard: number) => void;
}

interface ShardRequestsOptions extends ShardExchange {
  readonly shardIndex: number;
  readonly mainRequests: MainRequests;
  readonly lending: Lending;
}

export class ShardRequests {
  readonly #options: ShardRequestsOptions;

  constructor(options: ShardRequestsOptions) {
    this.#options = options;
  }

  /** Reply of a command that a shard was asked to run; undefined when it is main's to run. */
  request(target: number, frame: Bytes): Bytes | undefined {
    const { exchange, mainRequests } = this.#options;
    if (!exchange.fits(frame)) return undefined;
    return mainRequests.deferred(() => {
      this.#request(target, frame);
      const { total } = exchange;
      if (total < 0) return undefined;
      const reply = new Uint8Array(total);
      let taken = exchange.takePiece(reply, 0);
      while (taken < total) {
        this.#request(target, taken);
        taken = exchange.takePiece(reply, taken);
      }
      return reply;
    });
  }

  /** Freezes time on all shards for a script that runs alone. */
  holdTime(nowMs: number): void {
    const { exchange, lending } = this.#options;
    exchange.holdTime(lending.exclusiveRun, nowMs);
  }

  /** Asks, and waits for the answer: the shard may have to come to its stop first. */
  #request(target: number, what: Bytes | number): void {
    const { exchange, wake, mainRequests, lending, shardIndex } = this.#options;
    exchange.request({ host: shardIndex, target, run: lending.exclusiveRun, what });
    wake(target);
    mainRequests.until(() => exchange.isAnswered);
  }
}
