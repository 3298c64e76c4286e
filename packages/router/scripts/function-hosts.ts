/**
 * Shards that run functions. Every shard has each library with its variables, so a function that keeps state in them
 * runs on one shard only, for any keys; the others run where their first key is. Shard 0 determines the kind of each; a
 * function of unknown kind runs as if it kept state.
 */

import type { CommandEntry } from '#commands';
import { STATELESS_FUNCTIONS } from '#stats';
import type { ShardCalls } from '../shards/shard-calls.ts';

/** Shard of functions that keep something. */
export const STATE_HOST = 0;
const ANSWER_MS_MAX = 30_000;

const CHANGES = new Set(['function|load', 'function|delete', 'function|flush', 'function|restore']);

export class FunctionHosts {
  readonly #shardCalls: ShardCalls;
  /** Names, in lower case, of functions that keep nothing; undefined until they are known. */
  #stateless: ReadonlySet<string> | undefined;
  #isAsking = false;
  /** Counts what may have changed the libraries. */
  #changes = 0;

  constructor(shardCalls: ShardCalls) {
    this.#shardCalls = shardCalls;
  }

  /** Clears the known kinds of functions, if the sent command may change the libraries. */
  sent(entry: CommandEntry): void {
    if (!CHANGES.has(entry.lowerName)) return;
    this.#changes += 1;
    this.#stateless = undefined;
  }

  /** True when a function, by its name, must run on `STATE_HOST`. */
  mayKeepState(name: string): boolean {
    if (this.#stateless === undefined) this.#ask();
    return this.#stateless?.has(name.toLowerCase()) !== true;
  }

  #ask(): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const changes = this.#changes;
    const how = { question: null, timeoutMs: ANSWER_MS_MAX };
    void this.#shardCalls.askOne(STATE_HOST, STATELESS_FUNCTIONS, how).then((report) => {
      this.#isAsking = false;
      if (!report.missing && changes === this.#changes) this.#stateless = new Set(report.answer);
    });
  }
}
