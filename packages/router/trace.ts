/** One request that is traced, from its being taken up to its reply, and those of a client that are under way. */

import { errorIndex, type KeptArguments } from '#diag';
import type { Bytes } from '#base';
import type { ShardTimes, TraceRecord } from '#link';

/** What is known of a request when it is taken up. */
export interface TraceHead {
  readonly ids: Bytes;
  readonly isSampled: boolean;
  readonly sequence: number;
  readonly command: number;
  readonly connection: number;
  readonly startUs: number;
  readonly keyCount: number;
  readonly args: KeptArguments;
}

export class Trace {
  readonly sequence: number;
  /** How long main itself executed the command. */
  mainUs: number | undefined;
  readonly #head: TraceHead;
  readonly #shards: (ShardTimes & { readonly shard: number })[] = [];
  #error = -1;
  #isGathered = false;

  constructor(head: TraceHead) {
    this.#head = head;
    this.sequence = head.sequence;
  }

  get ids(): Bytes {
    return this.#head.ids;
  }

  get isSampled(): boolean {
    return this.#head.isSampled;
  }

  /** Main has answered with this error, or null for none. */
  failed(errorText: string | null): void {
    if (errorText !== null) this.#error = errorIndex(errorText);
  }

  /** The parts of several shards were put together. */
  gathered(errorText: string | null): void {
    this.#isGathered = true;
    this.failed(errorText);
  }

  shardDid(shard: number, times: ShardTimes): void {
    this.#shards.push({ ...times, shard });
    if (times.error >= 0) this.#error = times.error;
  }

  record(endUs: number): TraceRecord {
    const { ids, isSampled, command, connection, startUs, keyCount, args } = this.#head;
    return {
      ...{ ids, isSampled, command, connection, startUs, endUs, keyCount },
      ...{ error: this.#error, mainUs: this.mainUs, isGathered: this.#isGathered },
      args: args.shown,
      shards: this.#shards,
    };
  }
}

/** Those of one client that are not answered yet, in the order of their sequences. */
export class OpenTraces {
  readonly #open: Trace[] = [];
  readonly #ended: Trace[];

  /** What is answered goes to `ended`. */
  constructor(ended: Trace[]) {
    this.#ended = ended;
  }

  add(trace: Trace): void {
    this.#open.push(trace);
  }

  /** Takes back the one that was added last. */
  takeBack(trace: Trace): void {
    if (this.#open.at(-1) === trace) this.#open.pop();
  }

  at(sequence: number): Trace | undefined {
    return this.#open.find((trace) => trace.sequence === sequence);
  }

  /** All commands before this sequence have their replies. */
  answered(dueSequence: number): void {
    for (let first = this.#open[0]; first !== undefined; first = this.#open[0]) {
      if (((dueSequence - first.sequence) | 0) <= 0) return;
      this.#open.shift();
      this.#ended.push(first);
    }
  }
}
